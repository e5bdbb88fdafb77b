# SPDX-License-Identifier: Apache-2.0
"""Transitions of training tasks, with the exact distance of each state to the goal.

- `training_task`: domain, instance and goal that a policy is learned on; read from files.
- `restriction`: a state restricted to some of its elements, and which elements to keep.
- `exploration`: all states that can be reached, if they are few.
- `sample`: the state spaces of several tasks as one table of transitions.
- `travel`: rules that do nothing but move one thing.
- `journeys`: travel, then one other step, as one transition.
"""
