# SPDX-License-Identifier: Apache-2.0
"""What the columns of a join step must satisfy: types, differences, attributes, comparisons."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.tables import Column
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.search.id_index import IdSet, Mask, ascending, ids_of_type
from fcp_ros.cset.search.match_block import Growth
from fcp_ros.cset.search.plan import Bind, Plan, Query

_UNSET = -1


class ColumnChecks:
    """The checks of one evaluation of a plan. Values of variables go by numbers given here."""

    def __init__(self, plan: Plan, query: Query, target: Instance) -> None:
        self._plan = plan
        self._target = target
        self._query = query
        self._codes: dict[Any, int] = {}
        self._values: list[Any] = []

    def code(self, value: AttributeValue | None) -> int:
        """The number of a value; equal values have one number, and one that is not set has -1."""
        if value is None:
            return _UNSET
        found = self._codes.setdefault(value, len(self._values))
        if found == len(self._values):
            self._values.append(value)
        return found

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
                get = self._target.attribute_table(attribute).get
                images = growth.column(bind.slot).tolist()
                growth.keep(np.array([get(image) == value for image in images], dtype=bool))
            for attribute, name, first in bind.variables:
                get = self._target.attribute_table(attribute).get
                images = growth.column(bind.slot).tolist()
                codes = np.array([self.code(get(image)) for image in images], dtype=np.int64)
                if first:
                    growth.fresh[name] = codes
                growth.keep(codes != _UNSET if first else codes == growth.column(name))

    def comparisons(self, growth: Growth, where: Sequence[int]) -> None:
        """Drop the rows where a comparison does not hold; each combination is tried once."""
        for number in where:
            comparison, names = self._query.where[number], sorted(self._plan.compared[number])
            codes = np.stack([growth.column(name) for name in names], axis=1)
            combinations, which = np.unique(codes, axis=0, return_inverse=True)
            holds = [
                comparison.holds({n: self._values[c] for n, c in zip(names, row, strict=True)})
                for row in combinations.tolist()
            ]
            growth.keep(np.array(holds, dtype=bool)[which.reshape(-1)])
