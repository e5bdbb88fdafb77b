# SPDX-License-Identifier: Apache-2.0
"""From a task and the alternatives of a goal to a flat task, and back to the steps of a plan.

`goal_task` compiles a ground goal; `encode` is the pipeline of its last stage. `selection` selects
the operators that matter for the goal, `variables` chooses finite-domain variables, `operators`
encodes operators over them, `costs` adds costs (in common units), uses and windows, `merge` and
`metric` replace many operators by few.
`encoding` is the outcome; it decodes plans.
"""
