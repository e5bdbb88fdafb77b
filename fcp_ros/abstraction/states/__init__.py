# SPDX-License-Identifier: Apache-2.0
"""One instance as bitsets, and the rules of its domain on them.

- `state`: the names of a state (flags, concepts, roles), and a bitset for each of them.
- `building`: an instance as a state, and a conjunctive goal as facts.
- `joining`: bindings of variables under conditions, by backtracking.
- `engine`: the front door of rules: bindings, steps in place and back, successors, and what a step
  must not lead to.
- `novelty`: what a state shows that none before it did.
"""
