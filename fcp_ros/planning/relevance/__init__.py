# SPDX-License-Identifier: Apache-2.0
"""From a domain, a state and the facts that are wanted to a task: only what matters is grounded.

- `compiler`: the entry; it runs the stages below in turn, and writes what can ever be applied as a
  task by names.
- `closure`: the main loop, backwards from what is wanted; `open_literals` is its queue and the
  relaxed reachability, `achievers` the rules that make a literal true.
- `binding_plans`, `binding`: the order in which the open parameters of a rule are bound, and doing
  so; `element_choice` picks a few elements of a type and excludes those that can never get
  somewhere.
- `facts`: facts by number and absence patterns; `operators`: rules with all parameters bound;
  `formulas`: their disjunctive and quantified conditions; `overwriting`: rules grounded without
  the old value that they overwrite.
"""
