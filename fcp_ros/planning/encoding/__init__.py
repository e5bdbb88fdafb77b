# SPDX-License-Identifier: Apache-2.0
"""From a task and the alternatives of a goal to a flat task, and back to the steps of a plan.

`encode` compiles a ground goal: it is the pipeline of all this, and replaces many operators by few
where they differ in an overwritten value only. `variables` finds the facts that matter and chooses
finite-domain variables, `operators` encodes operators over them, `costs` adds costs (in common
units), uses and windows, `chunk_macros` adds sequences of operators that fit a chunk. `encoding` is
the outcome; it decodes plans.
"""
