# SPDX-License-Identifier: Apache-2.0
"""One instance as bitsets, and the rules of its domain on them.

- `vocabulary`: the names of a state: flags, concepts, roles; those that rules change.
- `goal_atoms`: a conjunctive goal as facts.
- `state`: a state, with a bitset for each concept and for each row of a role.
- `building`: an instance as a state.
- `conditions`, `joining`: bindings of variables under conditions, by backtracking.
- `changes`: what a step changes.
- `engine`: the front door of rules: bindings, steps in place, successors, and what a step must not
  lead to.
"""
