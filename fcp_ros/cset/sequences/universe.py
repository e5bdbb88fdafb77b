# SPDX-License-Identifier: Apache-2.0
"""The universe of a sequence: everything that is there at some time, taken together.

Whatever a condition could find after any reordering of the steps, it finds in the universe, too.
"""

from collections.abc import Iterator, Sequence

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.sequences.applied_step import AppliedStep
from fcp_ros.cset.sequences.step_effects import ElementCell, History, TupleCell


class Universe:
    """The union of the states of a sequence; attribute values mean nothing in it.

    Attributes:
        instance: the union. What was there at the start keeps its id.
        present: ids in the union, by ids in the sequence, of what was created.
    """

    def __init__(self, history: History, steps: Sequence[AppliedStep]) -> None:
        """Add to the first state what the steps write."""
        builder = InstanceBuilder.of(history.start)
        self.present: dict[int, int] = {}
        makers: dict[int, Instance] = {}
        for cell in history.cells():
            if isinstance(cell, ElementCell) and not history.initial(cell):
                maker = steps[history.writes(cell)[0][0]].after
                makers[cell.element] = maker
                self.present[cell.element] = builder.add(maker.type_of(cell.element))
        for element, maker in makers.items():
            for function in history.start.schema.functions_of(maker.type_of(element)):
                value = self.image(maker.apply(function.name, element))
                builder.set_function(function.name, self.present[element], value)
        for cell in history.cells():
            if isinstance(cell, TupleCell):
                builder.relate(cell.relation, *map(self.image, cell.legs))
        self.instance = builder.build(allow_conflicts=True)
        self._originals = {image: element for element, image in self.present.items()}

    def image(self, element: int) -> int:
        """The id in the union of an element of the sequence."""
        return self.present.get(element, element)

    def original(self, element: int) -> int:
        """The id in the sequence of an element of the union."""
        return self._originals.get(element, element)

    def tuples_at(self, relation: str, leg: str, element: int) -> Iterator[TupleCell]:
        """Every tuple that has, at some time, the element of the sequence in this leg."""
        rows = self.instance.tuples(relation)
        for row in self.instance.tuples_at(relation, leg, self.image(element)):
            yield TupleCell(relation, tuple(map(self.original, rows[row])))

    def preimages(self, function: str, element: int) -> Iterator[ElementCell]:
        """Every element whose value of the function is, at some time, this element."""
        table = self.instance.function_table(function).preimages()
        for source in table.get(self.image(element), ()):
            yield ElementCell(self.original(source))
