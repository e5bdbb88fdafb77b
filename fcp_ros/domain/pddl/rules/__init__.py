# SPDX-License-Identifier: Apache-2.0
"""Actions worked out as rules over PDDL's own names.

A precondition becomes alternatives (`normal_form`), each alternative one rule for each way to
identify the action's parameters (`identification`).

- `universe`: types with their objects, and static facts.
- `normal_form`: conditions in disjunctive normal form.
- `identification`: the ways in which parameters may be the same thing.
- `draft`: rules before they are finished, as values.
- `drafting`: an action to its draft rules; `effects` and `costs` do those parts of it.
"""
