# SPDX-License-Identifier: Apache-2.0
"""Functional legs: the constraints of a schema beyond its types."""

from collections.abc import Collection, Iterable, Iterator

from fcp_ros.cset.instance.draft import ChangedTuple
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.schema import Relation, RelationName


def find_conflicts(
    instance: Instance, relations: Iterable[RelationName] | None = None
) -> tuple[Violation, ...]:
    """Find the elements that are in a functional leg of several tuples.

    Returns:
        For each such element and leg a violation that names the tuples.
    """
    chosen = instance.schema.relations
    if relations is not None:
        chosen = tuple(instance.schema.relation(name) for name in relations)
    return tuple(_find_conflicts_in(instance, chosen))


def _find_conflicts_in(instance: Instance, relations: Iterable[Relation]) -> Iterator[Violation]:
    for relation in relations:
        table = instance.relation_table(relation.name)
        for leg in relation.functional:
            index = table.index(relation.position(leg))
            if len(index) == len(table.rows):
                continue
            for element, rows in index.items():
                if len(rows) > 1:
                    yield _describe_conflict(instance, relation.name, leg, element, rows)


def _find_conflicts_at(
    instance: Instance, relation: Relation, legs: tuple[int, ...]
) -> Iterator[Violation]:
    """The conflicts that the tuple with these elements takes part in."""
    table = instance.relation_table(relation.name)
    for leg in relation.functional:
        position = relation.position(leg)
        rows = table.index(position).get(legs[position], ())
        if len(rows) > 1:
            yield _describe_conflict(instance, relation.name, leg, legs[position], rows)


def find_conflicts_of(instance: Instance, tuples: Iterable[ChangedTuple]) -> tuple[Violation, ...]:
    """Find the functional conflicts that any of some tuples takes part in, each once."""
    found: dict[Violation, None] = {}
    for relation, _, legs in tuples:
        table = instance.relation_table(relation)
        if table.keys and table.has_shared_key(legs):
            found.update(dict.fromkeys(_find_conflicts_at(instance, table.declared, legs)))
    return tuple(found)


def _describe_conflict(
    instance: Instance, relation: str, leg: str, element: int, rows: Collection[int]
) -> Violation:
    name, shown = instance.name_of(element), [instance.name_of(row) for row in rows]
    text = (
        f"{name!r} may be {leg!r} in one tuple of {relation!r}, "
        f"but is in {len(rows)}: {'; '.join(shown)}"
    )
    return Violation(ViolationKind.FUNCTIONAL, text, (name, *shown), leg)
