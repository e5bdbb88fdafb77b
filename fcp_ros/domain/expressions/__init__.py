# SPDX-License-Identifier: Apache-2.0
"""The goal language and the arithmetic of fuzzy rules: texts, values, types, degrees.

A goal goes from text (`parser`) to a value (`syntax`), gets its names resolved against a domain
and a state and the types of its free variables inferred (`resolution`). Planners compile it, and
`evaluation` gives its degree by definition.

- `syntax`: terms, atoms and connectives as values, and their text.
- `parser`: text to expression, by `grammar` (`expression.lark`).
- `structure`: where counts, trajectory constraints and preferences may stand in a goal.
- `resolution`: `check_goal`, which finds each name in the domain and the state, and the types of
  free variables.
- `evaluation`: the degree of an expression in a state; the built-in predicate `is_a`.
- `arithmetic`: values over numeric attributes (`support.width / item.width`); `arithmetic_parser`.
"""
