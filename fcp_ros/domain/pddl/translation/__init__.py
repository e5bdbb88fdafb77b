# SPDX-License-Identifier: Apache-2.0
"""Draft rules, initial facts and goal made a `Domain`, an `Instance` and an `Expression`.

- `invariants`: mutex groups, which become functional legs.
- `definitions`: predicates that only repeat what a relation says, and formulas without them.
- `names`: types, relations and elements for PDDL's names.
- `goal`: the goal as an expression.
- `assembly`: all of it put together.
"""
