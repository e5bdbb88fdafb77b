# SPDX-License-Identifier: Apache-2.0
"""Broken conditions as values, and functional legs: the constraints beyond types."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset.draft import ChangedTuple
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.schema import Relation, RelationName


class ViolationKind(str, Enum):
    """The broken condition."""

    NATURALITY = "naturality"
    """A mapping does not commute with a function, a leg, a type or an attribute."""
    NOT_MONIC = "not_monic"
    """Two elements of the pattern are sent to one although the match must be monic."""
    IDENTIFICATION = "identification"
    """A deleted element of the pattern shares its image with another element of the pattern."""
    DANGLING = "dangling"
    """Something that stays refers to an element that would be deleted."""
    NEGATIVE_CONDITION = "negative_condition"
    """A negative application condition matches."""
    POSITIVE_CONDITION = "positive_condition"
    """A positive application condition does not match."""
    FUNCTIONAL = "functional"
    """Two tuples of a relation have the same element in a leg that is functional."""
    CONTRADICTION = "contradiction"
    """A rule says two things of an attribute of elements that are one in the state."""


@dataclass(frozen=True)
class Violation:
    """One broken condition."""

    kind: ViolationKind
    message: str
    # names of the elements concerned (a tuple of a relation is named like ``on(mug_1, table_1)``)
    elements: tuple[str, ...] = ()
    # the function, leg, attribute or condition concerned, if there is one
    symbol: str | None = None

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.message}"


def find_conflicts(
    instance: Instance, relations: Iterable[RelationName] | None = None
) -> tuple[Violation, ...]:
    """Find each element that is in a functional leg of several tuples, which are named."""
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
