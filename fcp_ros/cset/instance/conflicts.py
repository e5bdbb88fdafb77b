# SPDX-License-Identifier: Apache-2.0
"""Where the functional legs of relations are none."""

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from fcp_ros.cset.instance.change import ChangedTuple
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.schema import Relation

if TYPE_CHECKING:
    from fcp_ros.cset.instance.instance import Instance


def conflicts_in(instance: "Instance", relations: Iterable[Relation]) -> Iterator[Violation]:
    """Every element that is in a functional leg of several tuples, leg by leg."""
    for relation in relations:
        table = instance.relation_table(relation.name)
        for leg in relation.functional:
            index = table.index(relation.position(leg))
            if len(index) == len(table.rows):
                continue
            for element, rows in index.items():
                if len(rows) > 1:
                    yield _conflict(instance, relation.name, leg, element, rows)


def conflicts_at(
    instance: "Instance", relation: Relation, legs: tuple[int, ...]
) -> Iterator[Violation]:
    """The conflicts that the tuple with these elements takes part in."""
    table = instance.relation_table(relation.name)
    for leg in relation.functional:
        position = relation.position(leg)
        rows = table.index(position).get(legs[position], ())
        if len(rows) > 1:
            yield _conflict(instance, relation.name, leg, legs[position], rows)


def conflicts_of_all(instance: "Instance", tuples: Iterable[ChangedTuple]) -> tuple[Violation, ...]:
    """The conflicts that any of some tuples takes part in, each once."""
    found: dict[Violation, None] = {}
    for relation, _, legs in tuples:
        table = instance.relation_table(relation)
        if table.keys and table.shares_key(legs):
            found.update(dict.fromkeys(conflicts_at(instance, table.declared, legs)))
    return tuple(found)


def _conflict(
    instance: "Instance", relation: str, leg: str, element: int, rows: Collection[int]
) -> Violation:
    name, shown = instance.name_of(element), [instance.name_of(row) for row in rows]
    text = (
        f"{name!r} may be {leg!r} in one tuple of {relation!r}, "
        f"but is in {len(rows)}: {'; '.join(shown)}"
    )
    return Violation(ViolationKind.FUNCTIONAL, text, (name, *shown), leg)
