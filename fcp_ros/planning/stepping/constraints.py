# SPDX-License-Identifier: Apache-2.0
"""Constraints that a step newly violates.

A new match of a constraint's pattern uses a tuple that the step added, since elements and their
types stay. So it is enough to search from each added tuple, whatever the size of the state. (The
tests compare this with all matches before and after.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fcp_ros.cset import Instance, find_homs
from fcp_ros.domain.expressions.syntax import Variable
from fcp_ros.domain.model import Constraint
from fcp_ros.domain.span_conditions import DomainSpans

AddedTuple = tuple[str, int, tuple[int, ...]]
"""Relation, id and legs of a tuple that a step added."""


class ConstraintCheck:
    """The constraints of a domain, by the relations that they mention."""

    def __init__(self, spans: DomainSpans) -> None:
        self._by_relation: dict[str, list[tuple[Constraint, Instance]]] = {}
        for constraint, pattern in spans.constraints:
            for relation in dict.fromkeys(atom.predicate for atom in constraint.never):
                self._by_relation.setdefault(relation, []).append((constraint, pattern))

    def find_violations(self, after: Instance, added: Iterable[AddedTuple]) -> Iterator[str]:
        """Yield a clause for each new violation."""
        added = tuple(added)
        touched = {
            constraint.name: (constraint, pattern)
            for relation in dict.fromkeys(relation for relation, _, _ in added)
            for constraint, pattern in self._by_relation.get(relation, ())
        }
        for constraint, pattern in touched.values():
            for binding in find_new_matches(pattern, after, added):
                yield _describe(constraint, binding)


def find_new_matches(
    pattern: Instance, after: Instance, added: Iterable[AddedTuple]
) -> list[dict[str, str]]:
    """Return the matches of a pattern that a step has brought about, each once.

    Returns:
        name of an element of the pattern -> name of the element of the state.
    """
    found: dict[tuple[str, ...], None] = {}
    names = [pattern.name_of(element) for element in pattern.all_elements()]
    for relation, id_, _ in added:
        for row in pattern.tuples(relation):
            for match in find_homs(pattern, after, initial={row: id_}):
                images = (match.mapping[element] for element in pattern.all_elements())
                found[tuple(map(after.name_of, images))] = None
    return [dict(zip(names, images, strict=True)) for images in found]


def _describe(constraint: Constraint, binding: dict[str, str]) -> str:
    facts = (
        f"{atom.predicate}"
        f"({', '.join(binding[t.name] for t in atom.arguments if isinstance(t, Variable))})"
        for atom in constraint.never
    )
    return f"{' and '.join(facts)} must never hold ({constraint.name}): {constraint.because}"
