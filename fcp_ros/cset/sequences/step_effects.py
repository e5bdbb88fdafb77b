# SPDX-License-Identifier: Apache-2.0
"""What the steps of a sequence read and write: cells of the state, with their values over time.

A cell is a place of the state that has a value at any time: whether an element is there, whether a
tuple is, what an attribute is. Cells go by element ids, which never change along a sequence; a
tuple goes by its legs, since removing and adding it again gives it another id.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.sequences.applied_step import AppliedStep


class ElementCell(NamedTuple):
    """Whether an element is there: True or False."""

    element: int


class TupleCell(NamedTuple):
    """Whether a relation has the tuple with these elements: True or False."""

    relation: str
    legs: tuple[int, ...]


class AttributeCell(NamedTuple):
    """The value of an attribute of an element or a tuple; None where it is not set."""

    holder: ElementCell | TupleCell
    attribute: str


Cell: TypeAlias = ElementCell | TupleCell | AttributeCell
CellValue: TypeAlias = AttributeValue | None


def cell_of(instance: Instance, id_: int) -> ElementCell | TupleCell:
    """The cell that says whether this element or tuple is there."""
    type_ = instance.type_of(id_)
    if instance.schema.has_relation(type_):
        return TupleCell(type_, instance.tuples(type_)[id_])
    return ElementCell(id_)


def image_cell(pattern: Instance, id_: int, elements: Mapping[int, int]) -> ElementCell | TupleCell:
    """The cell of the image of an element or tuple of a pattern, by the images of its elements."""
    type_ = pattern.type_of(id_)
    if pattern.schema.has_relation(type_):
        return TupleCell(type_, tuple([elements[leg] for leg in pattern.tuples(type_)[id_]]))
    return ElementCell(elements[id_])


def value_at(instance: Instance, cell: Cell) -> CellValue:
    """The value of a cell in a state."""
    if isinstance(cell, ElementCell):
        return cell.element in instance.element_table().types
    if isinstance(cell, TupleCell):
        return instance.find_tuple(cell.relation, cell.legs) is not None
    holder: int | None
    if isinstance(cell.holder, ElementCell):
        holder = cell.holder.element
    else:
        holder = instance.find_tuple(cell.holder.relation, cell.holder.legs)
    return None if holder is None else instance.attribute(holder, cell.attribute)


def effects_of(step: AppliedStep) -> dict[Cell, CellValue]:
    """What a step writes: what changed, and what it says is there although it was there before."""
    after, change = step.after, step.rewrite.change
    written: list[Cell] = [ElementCell(e) for e in (*change.created, *change.deleted)]
    written += [TupleCell(relation, legs) for relation, _, legs in change.added]
    images = (step.comatch.mapping.get(id_) for id_ in step.rule.created)
    written += [cell_of(after, image) for image in images if image is not None]
    written += [AttributeCell(cell_of(after, id_), name) for name, id_ in change.attributes]
    written += [*_lost(step), *_assigned(step), *_forgotten(step)]
    return {cell: value_at(after, cell) for cell in dict.fromkeys(written)}


def merges_or_clones(step: AppliedStep) -> bool:
    """Whether the step makes one element out of several, or several out of one."""
    rule = step.rule
    pairs = {
        (step.match.mapping[rule.left.mapping[k]], step.comatch.mapping[rule.right.mapping[k]])
        for k in rule.K.all_elements()
        if rule.right.mapping[k] in step.comatch.mapping
    }
    return any(len(set(side)) < len(pairs) for side in zip(*pairs, strict=True))


def _lost(step: AppliedStep) -> Iterator[Cell]:
    """The tuples that are removed, be it to be added again, and the attributes that go with them.

    They would lose attributes that they do not happen to have as well.
    """
    removed = [TupleCell(relation, legs) for relation, _, legs in step.rewrite.change.removed]
    cells = [cell_of(step.before, step.match.mapping[id_]) for id_ in step.rule.deleted]
    for cell in (*removed, *(cell for cell in cells if isinstance(cell, TupleCell))):
        yield cell
        for attribute in step.before.schema.attributes_of(cell.relation):
            yield AttributeCell(cell, attribute.name)
    for element in step.rewrite.change.deleted:
        for name in step.before.attributes(element):
            yield AttributeCell(ElementCell(element), name)


def _assigned(step: AppliedStep) -> Iterator[AttributeCell]:
    """The attributes that the right side sets and the glue does not."""
    rule = step.rule
    kept = {
        (rule.right.mapping[id_], name)
        for id_ in rule.right.mapping
        for name in rule.K.attributes(id_)
    }
    for id_, image in step.comatch.mapping.items():
        for name in rule.R.attributes(id_):
            if (id_, name) not in kept:
                yield AttributeCell(cell_of(step.after, image), name)


def _forgotten(step: AppliedStep) -> Iterator[AttributeCell]:
    """The attributes that the left side sets and the glue does not."""
    rule = step.rule
    for id_, original in rule.left.mapping.items():
        for name in rule.L.attributes(original).keys() - rule.K.attributes(id_).keys():
            yield AttributeCell(cell_of(step.before, step.match.mapping[original]), name)


class History:
    """The values of the cells that some step writes, over a whole sequence.

    Attributes:
        start: the state before the first step.
        effects: what each step writes.
    """

    def __init__(self, start: Instance, steps: Sequence[AppliedStep]) -> None:
        """Collect what the steps write."""
        self.start = start
        self.effects = tuple(map(effects_of, steps))
        self._writes: dict[Cell, list[tuple[int, CellValue]]] = {}
        for number, effects in enumerate(self.effects):
            for cell, value in effects.items():
                self._writes.setdefault(cell, []).append((number, value))

    @property
    def length(self) -> int:
        """How many steps there are."""
        return len(self.effects)

    def cells(self) -> Iterator[Cell]:
        """The cells that are written."""
        return iter(self._writes)

    def initial(self, cell: Cell) -> CellValue:
        """The value before the first step."""
        return value_at(self.start, cell)

    def writes(self, cell: Cell) -> Sequence[tuple[int, CellValue]]:
        """(step, value) for each write of a cell, in the order of the sequence."""
        return self._writes.get(cell, ())

    def before(self, cell: Cell, step: int) -> CellValue:
        """The value right before a step."""
        found = self.initial(cell)
        for number, value in self.writes(cell):
            if number >= step:
                break
            found = value
        return found
