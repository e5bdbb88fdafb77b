# SPDX-License-Identifier: Apache-2.0
"""The parts of an extension of a match: what must be so for it to be one in a state."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from fcp_ros.cset.instance.expressions import Variable
from fcp_ros.cset.rewriting.causal_needs import PRESENT, Differs, Equals, Need, Role
from fcp_ros.cset.rewriting.conditions import ApplicationCondition
from fcp_ros.cset.rewriting.step_effects import (
    AttributeCell,
    Cell,
    CellValue,
    ElementCell,
    TupleCell,
    image_cell,
)

Now: TypeAlias = Callable[[Cell], CellValue]
Needs: TypeAlias = tuple[Need, ...]


@dataclass(frozen=True)
class CellPart:
    """That a cell passes a test."""

    cell: Cell
    test: Equals | Differs

    def holds(self, now: Now) -> bool:
        """Whether it is so in a state."""
        return self.test(now(self.cell))

    def kept(self, step: int, now: Now) -> Needs:
        """What keeps it so, where it is."""
        role = Role.READ if isinstance(self.cell, AttributeCell) else Role.USE
        return (Need(step, self.cell, role, self.test),)

    def broken(self, step: int, now: Now) -> list[Needs]:
        """What keeps it from being so, where it is not; each entry suffices."""
        role = Role.READ if isinstance(self.cell, AttributeCell) else Role.FORBID
        other = Differs if isinstance(self.test, Equals) else Equals
        return [(Need(step, self.cell, role, other(self.test.value)),)]


@dataclass(frozen=True)
class AgreementPart:
    """That attributes are set, and equal."""

    cells: tuple[AttributeCell, ...]

    def holds(self, now: Now) -> bool:
        """Whether it is so in a state."""
        values = {now(cell) for cell in self.cells}
        return len(values) == 1 and None not in values

    def kept(self, step: int, now: Now) -> Needs:
        """What keeps it so, where it is."""
        return tuple(Need(step, cell, Role.READ, Equals(now(cell))) for cell in self.cells)

    def broken(self, step: int, now: Now) -> list[Needs]:
        """What keeps it from being so, where it is not; each entry suffices."""
        unset = [
            (Need(step, cell, Role.READ, Equals(None)),) for cell in self.cells if now(cell) is None
        ]
        differing = [
            tuple(Need(step, cell, Role.READ, Equals(now(cell))) for cell in pair)
            for pair in combinations(self.cells, 2)
            if now(pair[0]) != now(pair[1])
        ]
        return [*unset, *differing]


Part: TypeAlias = CellPart | AgreementPart


def parts_of(
    condition: ApplicationCondition, elements: Mapping[int, int], now: Now
) -> Iterator[Part]:
    """What must be so for a mapping of a condition's pattern to be an extension.

    Args:
        condition: the condition.
        elements: the image of each element of its pattern.
        now: the state, for the values that the match gives to variables.
    """
    pattern = condition.pattern
    ids = [*pattern.all_elements()]
    for relation in pattern.schema.relations:
        ids.extend(pattern.tuples(relation.name))
    cells = {id_: image_cell(pattern, id_, elements) for id_ in ids}
    yield from (CellPart(cell, PRESENT) for cell in cells.values())
    bound = _bound(condition, cells, now)
    free: dict[str, list[AttributeCell]] = {}
    for id_ in ids:
        for name, value in pattern.attributes(id_).items():
            cell = AttributeCell(cells[id_], name)
            if not isinstance(value, Variable):
                yield CellPart(cell, Equals(value))
            elif value.name in bound:
                yield CellPart(cell, Equals(bound[value.name]))
            else:
                free.setdefault(value.name, []).append(cell)
    for group in free.values():
        if len(group) == 1:
            yield CellPart(group[0], Differs(None))
        else:
            yield AgreementPart(tuple(group))


def _bound(
    condition: ApplicationCondition, cells: Mapping[int, ElementCell | TupleCell], now: Now
) -> dict[str, CellValue]:
    """The values of the pattern's variables that stand where the source has an attribute, too."""
    found: dict[str, CellValue] = {}
    for id_, image in condition.inclusion.mapping.items():
        for name in condition.inclusion.source.attributes(id_):
            value = condition.pattern.attribute(image, name)
            if isinstance(value, Variable):
                found[value.name] = now(AttributeCell(cells[image], name))
    return found
