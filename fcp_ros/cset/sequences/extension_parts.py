# SPDX-License-Identifier: Apache-2.0
"""The parts of an extension of a match: what must be so for it to be one in a state."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.instance.expressions import (
    Comparison,
    ExpressionError,
    Variable,
    variables_of,
)
from fcp_ros.cset.sequences.causal_needs import PRESENT, Differs, Equals, Need, Role
from fcp_ros.cset.sequences.readings import inherited
from fcp_ros.cset.sequences.step_effects import (
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
    """That a cell passes a test.

    Attributes:
        cell: which one.
        test: the test.
        exact: whether other parts depend on the very value that it has.
    """

    cell: Cell
    test: Equals | Differs
    exact: bool = False

    def holds(self, now: Now) -> bool:
        """Whether it is so in a state."""
        return self.test(now(self.cell))

    def kept(self, step: int, now: Now) -> Needs:
        """What keeps it so, where it is."""
        role = Role.READ if isinstance(self.cell, AttributeCell) else Role.USE
        test = Equals(now(self.cell)) if self.exact else self.test
        return (Need(step, self.cell, role, test),)

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
        return as_they_are(self.cells, step, now)

    def broken(self, step: int, now: Now) -> list[Needs]:
        """What keeps it from being so, where it is not; each entry suffices."""
        unset = [
            (Need(step, cell, Role.READ, Equals(None)),) for cell in self.cells if now(cell) is None
        ]
        differing = [
            as_they_are(pair, step, now)
            for pair in combinations(self.cells, 2)
            if now(pair[0]) != now(pair[1])
        ]
        return [*unset, *differing]


@dataclass(frozen=True)
class ComparisonPart:
    """That a comparison holds of the values of variables.

    Attributes:
        comparison: over the variables of the pattern.
        cells: an attribute that each of its variables stands for.
    """

    comparison: Comparison
    cells: tuple[tuple[str, AttributeCell], ...]

    def holds(self, now: Now) -> bool:
        """Whether it is so in a state."""
        values = {name: value for name, cell in self.cells if (value := now(cell)) is not None}
        try:
            return self.comparison.holds(values)
        except ExpressionError:
            return False

    def kept(self, step: int, now: Now) -> Needs:
        """What keeps it so, where it is."""
        return as_they_are([cell for _, cell in self.cells], step, now)

    def broken(self, step: int, now: Now) -> list[Needs]:
        """What keeps it from being so, where it is not."""
        return [self.kept(step, now)]


def as_they_are(cells: Iterable[AttributeCell], step: int, now: Now) -> Needs:
    """That attributes have the values that they have."""
    return tuple(Need(step, cell, Role.READ, Equals(now(cell))) for cell in cells)


Part: TypeAlias = CellPart | AgreementPart | ComparisonPart


def parts_of(condition: Condition, elements: Mapping[int, int], now: Now) -> Iterator[Part]:
    """What must be so for a mapping of a condition's pattern to be an extension.

    Args:
        condition: the condition.
        elements: the image of each element of its pattern.
        now: the state, for the values that the match gives to variables.
    """
    pattern = condition.pattern
    cells = _cells(condition, elements)
    yield from (CellPart(cell, PRESENT) for cell in cells.values())
    bound = _bound(condition, cells, now)
    # What the source has is settled, where the source is an extension itself.
    given = {place for place, _ in inherited(condition)}
    exact = bool(condition.nested)
    free: dict[str, list[AttributeCell]] = {}
    places: dict[str, AttributeCell] = {}
    for id_, holder in cells.items():
        for name, value in pattern.attributes(id_).items():
            cell = AttributeCell(holder, name)
            if isinstance(value, Variable):
                places[value.name] = cell
            if (id_, name) in given:
                continue
            if not isinstance(value, Variable):
                yield CellPart(cell, Equals(value))
            elif value.name in bound:
                yield CellPart(cell, Equals(bound[value.name]))
            else:
                free.setdefault(value.name, []).append(cell)
    for group in free.values():
        if len(group) == 1:
            yield CellPart(group[0], Differs(None), exact)
        else:
            yield AgreementPart(tuple(group))
    for comparison in condition.where:
        used = sorted(variables_of(comparison.left) | variables_of(comparison.right))
        yield ComparisonPart(comparison, tuple((name, places[name]) for name in used))


def attributes_of(condition: Condition, elements: Mapping[int, int]) -> list[AttributeCell]:
    """Every attribute that the pattern speaks of, and its source does not."""
    given = {place for place, _ in inherited(condition)}
    return [
        AttributeCell(holder, name)
        for id_, holder in _cells(condition, elements).items()
        for name in condition.pattern.attributes(id_)
        if (id_, name) not in given
    ]


def _cells(condition: Condition, elements: Mapping[int, int]) -> dict[int, ElementCell | TupleCell]:
    """The cell of each element and tuple of the pattern."""
    pattern = condition.pattern
    ids = [*pattern.all_elements()]
    for relation in pattern.schema.relations:
        ids.extend(pattern.tuples(relation.name))
    return {id_: image_cell(pattern, id_, elements) for id_ in ids}


def _bound(
    condition: Condition, cells: Mapping[int, ElementCell | TupleCell], now: Now
) -> dict[str, CellValue]:
    """The values of the pattern's variables that stand where the source has an attribute, too."""
    return {
        value.name: now(AttributeCell(cells[image], name))
        for (image, name), value in inherited(condition)
        if isinstance(value, Variable)
    }
