# SPDX-License-Identifier: Apache-2.0
"""Needs: what must be so right before a step, and which orders of the others it rules out.

This is the causal-link (validation) view of plans: Kambhampati and Kedar, *A unified framework for
explanation-based generalization of partially ordered and partially instantiated plans* (1994);
Baeckstrom, *Computational aspects of reordering plans* (1998). A need is met by a producer (the
first of the writes that keep it met until the step), and every other write that breaks it stays
before the producer or after the step, as it was.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from fcp_ros.cset.instance.expressions import Variable
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.applied_step import AppliedStep
from fcp_ros.cset.sequences.readings import compared_only
from fcp_ros.cset.sequences.step_effects import (
    AttributeCell,
    Cell,
    CellValue,
    ElementCell,
    History,
    TupleCell,
    cell_of,
)
from fcp_ros.cset.sequences.universe import Universe


class DependencyKind(str, Enum):
    """Why one step must come before another one.

    The names up to `FORBID_PRODUCE` are those of graph transformation (Lambers, *Certifying
    rule-based models using graph transformation*, 2009): what the earlier step does, then what the
    later one does.
    """

    PRODUCE_USE = "produce-use"
    """The later step uses what the earlier one creates."""
    CHANGE_USE = "change-use"
    """The later step reads an attribute that the earlier one writes."""
    DELETE_FORBID = "delete-forbid"
    """The earlier step removes what the later one forbids."""
    USE_DELETE = "use-delete"
    """The later step removes what the earlier one uses."""
    USE_CHANGE = "use-change"
    """The later step writes an attribute that the earlier one reads."""
    FORBID_PRODUCE = "forbid-produce"
    """The later step creates what the earlier one forbids."""
    DELETE_DANGLING = "delete-dangling"
    """The earlier step removes what would dangle when the later one deletes an element."""
    DELETE_KEY = "delete-key"
    """The earlier step removes a tuple that has the key of one that the later one adds."""
    KEY_PRODUCE = "key-produce"
    """The later step adds a tuple that has the key of one that the earlier one adds."""
    OVERWRITE = "overwrite"
    """Both write the same, and what the later one writes is to last."""
    MERGE = "merge"
    """One of the two merges or clones elements; such a step stays where it is."""


class Role(Enum):
    """What a step needs a cell for; the kinds of its producers and of what would break it."""

    USE = (DependencyKind.PRODUCE_USE, DependencyKind.USE_DELETE)
    FORBID = (DependencyKind.DELETE_FORBID, DependencyKind.FORBID_PRODUCE)
    READ = (DependencyKind.CHANGE_USE, DependencyKind.USE_CHANGE)
    DANGLING = (DependencyKind.DELETE_DANGLING, DependencyKind.FORBID_PRODUCE)
    KEY = (DependencyKind.DELETE_KEY, DependencyKind.KEY_PRODUCE)
    LAST = (DependencyKind.OVERWRITE, DependencyKind.OVERWRITE)


@dataclass(frozen=True)
class Need:
    """Something that must be so right before a step.

    Attributes:
        step: index of the step; the number of steps for what must be so at the end.
        cell: the cell concerned.
        role: what for.
        test: whether a value of the cell will do; the one that it had does.
    """

    step: int
    cell: Cell
    role: Role
    test: Callable[[CellValue], bool]


class Link(NamedTuple):
    """Two steps that must stay in their order, and why."""

    before: int
    after: int
    kind: DependencyKind
    cell: Cell | None


@dataclass(frozen=True)
class Equals:
    """The test for one value."""

    value: CellValue

    def __call__(self, value: CellValue) -> bool:
        return value == self.value


@dataclass(frozen=True)
class Differs:
    """The test for any value but one."""

    value: CellValue

    def __call__(self, value: CellValue) -> bool:
        return value != self.value


PRESENT = Equals(True)
ABSENT = Differs(True)


def links_of(need: Need, history: History) -> Iterator[Link]:
    """Which steps must stay in their order, so that a need is met in every other order, too."""
    writes = history.writes(need.cell)
    earlier = [write for write in writes if write[0] < need.step]
    first = len(earlier)
    while first and need.test(earlier[first - 1][1]):
        first -= 1
    produced, broken = need.role.value
    if first or (earlier and not need.test(history.initial(need.cell))):
        producer = earlier[first][0]
        if need.step < history.length:
            yield Link(producer, need.step, produced, need.cell)
        for step, value in earlier[:first]:
            if not need.test(value):
                yield Link(step, producer, DependencyKind.OVERWRITE, need.cell)
    for step, value in writes:
        if step > need.step and not need.test(value):
            yield Link(need.step, step, broken, need.cell)


def needs_of(
    number: int, step: AppliedStep, history: History, universe: Universe
) -> Iterator[Need]:
    """What a step needs, apart from its application conditions."""
    compared = compared_only(step.rule)
    for id_, image in step.match.mapping.items():
        cell = cell_of(step.before, image)
        yield Need(number, cell, Role.USE, PRESENT)
        for name, wanted in step.rule.L.attributes(id_).items():
            test: Callable[[CellValue], bool] = Equals(step.before.attribute(image, name))
            if isinstance(wanted, Variable) and wanted.name in compared:
                test = compared[wanted.name]
            yield Need(number, AttributeCell(cell, name), Role.READ, test)
    written = history.effects[number]
    if step.rule.semantics is Semantics.DPO:
        yield from _dangling_needs(number, step, written, universe)
    yield from _key_needs(number, step, written, universe)


def last_needs(history: History) -> Iterator[Need]:
    """That every cell has, at the end, the value that it had at the end."""
    for cell in history.cells():
        value = history.writes(cell)[-1][1]
        yield Need(history.length, cell, Role.LAST, Equals(value))


def _dangling_needs(
    number: int, step: AppliedStep, written: Mapping[Cell, CellValue], universe: Universe
) -> Iterator[Need]:
    """That nothing refers to what is deleted, except for what is deleted, too."""
    schema = step.before.schema
    for id_ in step.rule.deleted:
        if schema.has_relation(step.rule.L.type_of(id_)):
            continue
        element = step.match.mapping[id_]
        around: list[ElementCell | TupleCell] = []
        for relation in schema.relations:
            for leg, _ in relation.legs:
                around.extend(universe.tuples_at(relation.name, leg, element))
        for function in schema.functions:
            around.extend(universe.preimages(function.name, element))
        for cell in dict.fromkeys(around):
            if written.get(cell) is not False:
                yield Need(number, cell, Role.DANGLING, ABSENT)


def _key_needs(
    number: int, step: AppliedStep, written: Mapping[Cell, CellValue], universe: Universe
) -> Iterator[Need]:
    """That no other tuple has the key of one that is added."""
    schema = step.before.schema
    for cell in written:
        if not isinstance(cell, TupleCell) or not written[cell]:
            continue
        relation = schema.relation(cell.relation)
        for leg in relation.functional:
            element = cell.legs[relation.position(leg)]
            for other in universe.tuples_at(cell.relation, leg, element):
                if other == cell or written.get(other) is False:
                    continue
                if step.before.find_tuple(other.relation, other.legs) is None:
                    yield Need(number, other, Role.KEY, ABSENT)
                else:
                    # The key was not free: legal only because the tuple itself was there before.
                    yield Need(number, cell, Role.USE, PRESENT)
