# SPDX-License-Identifier: Apache-2.0
"""Actions as draft rules over PDDL's own names.

A precondition becomes alternatives (`normal_form`), each alternative one rule for each way to
identify the action's parameters (`drafting`).

- `universe`: types with their objects, and static facts; `columns`: the objects that may come to
  be at each position of a predicate.
- `normal_form`: conditions in disjunctive normal form.
- `draft`: draft rules as values.
- `drafting`: from an action to its draft rules; `effects` builds their effects and costs.
"""
