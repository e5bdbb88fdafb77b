# SPDX-License-Identifier: Apache-2.0
"""The front door of homomorphism search: `find_homs` and `find_hom`.

The pattern is a conjunctive query: its join plan is evaluated one match at a time by
`Backtracking`, or for all matches at once by `ColumnJoin`. An iteration begins with the former, and
goes on with the latter where matches turn out to be rare among many candidates. Their slow obvious
twin, which tries every assignment, is in the tests.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice

import numpy as np

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.search.backtracking import Backtracking
from fcp_ros.cset.search.column_join import ColumnJoin, count_unindexed_rows
from fcp_ros.cset.search.join_order import CountSizes, measure_by_column, measure_by_index
from fcp_ros.cset.search.join_plan import JoinPlan, Query, plan_join
from fcp_ros.cset.search.pattern import Pattern, analyse_pattern

_MANY_DISTINCT = 64
"""With more slots that must differ, comparing columns in pairs costs more than backtracking."""

_LEAST_PATIENCE = 1024
_ROWS_PER_CANDIDATE = 4
_LAZY_ROWS = 1 << 14
"""Maximum number of rows of a block where matches are asked for one by one."""


def find_homs(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
    where: Sequence[ValueComparison] = (),
    limit: int | None = None,
) -> "Homs":
    """Find the morphisms from `pattern` to `target`, lazily.

    An element of the pattern matches elements of its type and subtypes, a tuple those of its
    relation. Attributes that are set in the pattern must be equal; those that are not set match
    anything; a `ValueVariable` matches any value that is set, the same one wherever it occurs.

    Args:
        pattern: what to find.
        target: where.
        monic: whether different elements and tuples must have different images; or the types (with
            their subtypes) and relations for which they must.
        initial: images that are fixed, by id of the pattern. One of a tuple fixes its legs, too.
        allowed: the only images that some ids of the pattern may have.
        where: what must hold of the values of variables.
        limit: maximum number of morphisms; all of them by default.

    Raises:
        ValueError: schemas differ, `initial` or `allowed` has an id that the pattern lacks, or
            `where` a variable.
        SchemaError: `monic` names a type or relation that does not exist.
        ValueExpressionError: while searching, where a comparison has no value.
    """
    if pattern.schema is not target.schema and pattern.schema != target.schema:
        raise ValueError(
            f"the pattern has schema {pattern.schema.name!r}, the target "
            f"{target.schema.name!r}; they must be the same schema"
        )
    query = analyse_pattern(pattern)
    anchors = {_find_slot(query, id_, "initial"): image for id_, image in (initial or {}).items()}
    choices = {
        _find_slot(query, id_, "allowed"): images if isinstance(images, Set) else frozenset(images)
        for id_, images in (allowed or {}).items()
    }
    if not isinstance(monic, bool):
        monic = frozenset(monic)
        for type_ in monic:
            pattern.schema.subtypes(type_)
    asked = Query(monic, tuple(anchors), choices, tuple(where))
    if where:
        _check_variables(query, asked)
    return Homs(pattern, target, asked, anchors, limit)


def find_hom(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
    where: Sequence[ValueComparison] = (),
) -> Morphism | None:
    """Find one morphism, or None; the arguments are those of `find_homs`."""
    return next(
        find_homs(pattern, target, monic=monic, initial=initial, allowed=allowed, where=where), None
    )


class Homs(Iterator[Morphism]):
    """The morphisms that a search finds: one at a time, in number, or all at once as columns.

    Iterating consumes them; `count` and `columns` always concern all of them. All agree in the
    order.
    """

    __slots__ = ("_anchors", "_asked", "_found", "_limit", "pattern", "target")

    def __init__(
        self,
        pattern: Instance,
        target: Instance,
        asked: Query,
        anchors: Mapping[int, int],
        limit: int | None,
    ) -> None:
        """For `find_homs` only, which has checked the arguments."""
        self.pattern = pattern
        self.target = target
        self._asked = asked
        self._anchors = anchors
        self._limit = None if limit is None else max(0, limit)
        self._found: Iterator[Morphism] | None = None

    def __iter__(self) -> Iterator[Morphism]:
        if self._found is None:
            found = self._iterate_morphisms()
            self._found = found if self._limit is None else islice(found, self._limit)
        return self._found

    def __next__(self) -> Morphism:
        return next(self._found or iter(self))

    def count(self) -> int:
        """Count the morphisms."""
        plan = self._make_plan(measure_by_column)
        if len(plan.distinct) > _MANY_DISTINCT:
            return sum(1 for _ in islice(self._iterate_bindings(plan), self._limit))
        return self._start_join(plan).count(self._limit)

    def columns(self, ids: Collection[int] | None = None) -> Mapping[int, Column]:
        """Return the images of ids of the pattern, one entry for each morphism.

        Args:
            ids: of elements and tuples; all of them by default.

        Returns:
            Arrays that may be shared with the target: don't write to them.

        Raises:
            ValueError: the pattern has no such id.
        """
        plan = self._make_plan(measure_by_column)
        pattern = plan.pattern
        chosen = pattern.ids if ids is None else tuple(dict.fromkeys(ids))
        slots = [_find_slot(pattern, id_, "ids") for id_ in chosen]
        if len(plan.distinct) > _MANY_DISTINCT:
            found = [
                binding.copy() for binding in islice(self._iterate_bindings(plan), self._limit)
            ]
            table = np.array(found, dtype=np.int64).reshape(len(found), len(pattern.slots))
            columns = [table[:, slot] for slot in slots]
        else:
            columns = self._start_join(plan).columns(slots, self._limit)
        return dict(zip(chosen, columns, strict=True))

    def _make_plan(self, count_sizes: CountSizes) -> JoinPlan:
        return plan_join(analyse_pattern(self.pattern), self._asked, self.target, count_sizes)

    def _start_join(self, plan: JoinPlan) -> ColumnJoin:
        return ColumnJoin(plan, self._asked, self.target, self._anchors)

    def _start_search(self, plan: JoinPlan) -> Backtracking:
        return Backtracking(plan, self.target, self._asked.allowed, self._asked.where)

    def _iterate_bindings(self, plan: JoinPlan) -> Iterator[list[int]]:
        search = self._start_search(plan)
        return (search.binding for _ in search.run(self._anchors))

    def _iterate_morphisms(self) -> Iterator[Morphism]:
        pattern, target = self.pattern, self.target
        plan = self._make_plan(measure_by_index)
        search = self._start_search(plan)
        ids, binding, values = plan.pattern.ids, search.binding, search.values
        no_values: dict[str, AttributeValue] = {}
        number = 0
        for _ in search.run(self._anchors, self._choose_patience(plan)):
            number += 1
            bound = values.copy() if values else no_values
            # Both have an entry for each slot; strict=True would take a third of the loop's time.
            mapping = dict(zip(ids, binding))  # noqa: B905
            yield Morphism(pattern, target, mapping, bound)
        if search.gave_up:
            yield from islice(self._iterate_joined(plan), number, None)

    def _choose_patience(self, plan: JoinPlan) -> float:
        """Choose how many candidates are tried one by one before columns are joined instead.

        A candidate takes 0.5 to 1.5 us one by one, and 0.05 us in a join. The columns and indexes
        of a join take 0.3 us a row where they are not there yet.
        """
        # A comparison without a value is an error: one of a later match must not come first.
        if self._asked.where or len(plan.distinct) > _MANY_DISTINCT:
            return math.inf
        rows = sum(
            count_unindexed_rows(self.target, kind, name) for kind, name in plan.pattern.tables
        )
        return max(_LEAST_PATIENCE, rows // _ROWS_PER_CANDIDATE)

    def _iterate_joined(self, plan: JoinPlan) -> Iterator[Morphism]:
        """Yield all morphisms from blocks of columns, which are small: not all may be asked for."""
        pattern, target, ids = self.pattern, self.target, plan.pattern.ids
        tables = [(n, target.attribute_table(a), ids[at]) for n, a, at in plan.variables]
        join = ColumnJoin(plan, self._asked, target, self._anchors, _LAZY_ROWS)
        for images in join.rows(range(len(ids))):
            mapping = dict(zip(ids, images))  # noqa: B905, as above
            values = {name: table[mapping[id_]] for name, table, id_ in tables}
            yield Morphism(pattern, target, mapping, values)


def _find_slot(query: Pattern, id_: int, argument: str) -> int:
    slot = query.index.get(id_)
    if slot is None:
        raise ValueError(
            f"{argument!r} has id {id_}, which is neither an element nor a tuple of the pattern"
        )
    return slot


def _check_variables(query: Pattern, asked: Query) -> None:
    for comparison, compared in zip(asked.where, asked.compared, strict=True):
        lacking = compared - query.variables
        if lacking:
            known = ", ".join(sorted(query.variables)) or "none"
            raise ValueError(
                f"'where' compares {comparison}, but the pattern has no variable "
                f"{', '.join(sorted(lacking))}; its variables are: {known}"
            )
