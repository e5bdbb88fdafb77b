# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: all ways in which a pattern occurs in an instance.

- `homs`: the front door, `find_homs` and `find_hom`.
- `pattern`: an instance as a conjunctive query of slots and atoms.
- `join_order`: the order of the atoms, chosen by the sizes of the target's tables.
- `join_plan`: the steps that follow from the order, with what each binds and checks.
- `backtracking`: evaluates a plan lazily, one match at a time, over hash indexes.
"""
