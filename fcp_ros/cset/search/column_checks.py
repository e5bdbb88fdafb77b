# SPDX-License-Identifier: Apache-2.0
"""What the columns of a join step must satisfy: types, differences, attributes, comparisons."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.tables import Column
from fcp_ros.cset.search.attribute_index import UNSET
from fcp_ros.cset.search.column_values import ColumnValues
from fcp_ros.cset.search.id_index import IdSet, Mask, ascending, ids_of_type
from fcp_ros.cset.search.match_block import Growth
from fcp_ros.cset.search.plan import Bind, Plan, Query


class ColumnChecks:
    """The checks of one evaluation of a plan.

    Attributes:
        values: the numbers by which the values of variables go.
    """

    def __init__(self, plan: Plan, query: Query, target: Instance) -> None:
        self._plan = plan
        self._target = target
        self.values = ColumnValues(target)
        self._query = query

    def cheap(
        self,
        growth: Growth,
        number: int,
        column: Callable[[int], Column],
        agreeing: Sequence[int],
    ) -> Mask | None:
        """Where the rows of a step pass what needs no attributes; None for everywhere.

        Args:
            growth: the rows.
            number: of the step.
            column: gives a column of the step's table in these rows.
            agreeing: the columns that agree with what is bound for sure.
        """
        mask: Mask | None = None
        for passed in self._cheap_masks(growth, number, column, agreeing):
            mask = passed if mask is None else mask & passed
        return mask

    def _cheap_masks(
        self,
        growth: Growth,
        number: int,
        column: Callable[[int], Column],
        agreeing: Sequence[int],
    ) -> Iterator[Mask]:
        step = self._plan.steps[number]
        for position, slot in (*step.bound, *step.repeated):
            if position not in agreeing:
                yield column(position) == growth.column(slot)
        for bind in step.binds:
            if not bind.is_checked:
                continue
            images = growth.column(bind.slot)
            if bind.accepted is not None:
                type_ = self._plan.pattern.slots[bind.slot].type
                yield ids_of_type(self._target, type_).contains(images)
            if bind.allowed:
                yield IdSet(ascending(self._query.allowed[bind.slot])).contains(images)
            for rival in self._plan.rivals.get(bind.slot, ()):
                yield images != growth.column(rival)

    def attributes(self, growth: Growth, binds: Iterable[Bind]) -> None:
        """Drop the rows whose attributes are not as wanted; bind variables."""
        for bind in binds:
            for attribute, value in bind.constants:
                wanted = self.values.number(value)
                numbers = self.values.of(attribute, growth.column(bind.slot))
                growth.keep(self.values.equal(numbers, wanted))
            for attribute, name, first in bind.variables:
                numbers = self.values.of(attribute, growth.column(bind.slot))
                if first:
                    growth.fresh[name] = numbers
                growth.keep(
                    numbers != UNSET if first else self.values.equal(numbers, growth.column(name))
                )

    def comparisons(self, growth: Growth, where: Sequence[int]) -> None:
        """Drop the rows where a comparison does not hold."""
        for number in where:
            names = sorted(self._plan.compared[number])
            columns = {name: growth.column(name) for name in names}
            growth.keep(self.values.compare(self._query.where[number], columns))
