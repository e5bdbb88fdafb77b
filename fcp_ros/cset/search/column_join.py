# SPDX-License-Identifier: Apache-2.0
"""Evaluation of a join plan for all matches at once, on columns of ids.

The steps are those of `Backtracking`, and the rows of a bucket ascend in both, so that both find
the same matches in the same order. A block that would grow too large is halved first, so that the
memory needed does not depend on the number of partial matches.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.relation_table import RelationTable
from fcp_ros.cset.instance.tables import FunctionTable
from fcp_ros.cset.search.backtracking import Backtracking
from fcp_ros.cset.search.column_values import UNSET, ColumnValues
from fcp_ros.cset.search.id_index import (
    ColumnIndex,
    IdSet,
    Mask,
    ascending,
    find_ids_of_type,
    index_column,
    index_rows,
    is_indexed,
)
from fcp_ros.cset.search.join_plan import Bind, JoinPlan, JoinStep, Query
from fcp_ros.cset.search.match_block import ColumnKey, Growth, MatchBlock
from fcp_ros.cset.search.pattern import TableKind


class ColumnChecks:
    """The checks of one evaluation of a plan.

    Attributes:
        values: the numbers by which the values of variables go.
    """

    def __init__(self, plan: JoinPlan, query: Query, target: Instance) -> None:
        self._plan = plan
        self._target = target
        self.values = ColumnValues(target)
        self._query = query

    def test_structure(
        self,
        growth: Growth,
        number: int,
        column: Callable[[int], Column],
        agreeing: Sequence[int],
    ) -> Mask | None:
        """Test the rows of a step for all but attributes; return None if all pass.

        Args:
            growth: the rows.
            number: of the step.
            column: gives a column of the step's table in these rows.
            agreeing: the columns that are known to agree with what is bound.
        """
        mask: Mask | None = None
        for passed in self._make_masks(growth, number, column, agreeing):
            mask = passed if mask is None else mask & passed
        return mask

    def _make_masks(
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
                yield find_ids_of_type(self._target, type_).contains(images)
            if bind.allowed:
                yield IdSet(ascending(self._query.allowed[bind.slot])).contains(images)
            for rival in self._plan.rivals.get(bind.slot, ()):
                yield images != growth.column(rival)

    def filter_by_attributes(self, growth: Growth, binds: Iterable[Bind]) -> None:
        """Drop the rows with other attributes than wanted; bind variables."""
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

    def filter_by_comparisons(self, growth: Growth, where: Sequence[int]) -> None:
        """Drop the rows where a comparison does not hold."""
        for number in where:
            names = sorted(self._plan.compared[number])
            columns = {name: growth.column(name) for name in names}
            growth.keep(self.values.compare(self._query.where[number], columns))


_MOST_ROWS = 1 << 22
"""Maximum number of rows that a step may add to a block of more than one match."""

_LARGE = 1 << 16
"""Results with at least this many entries are one allocation: the C library keeps a freed one for
the next result, whereas many smaller pieces would be requested from the system every time."""

_FEW = 4
"""Up to this many candidates for each row, scanning a bucket beats a look-up by all legs."""


@dataclass(frozen=True)
class _Rows:
    """Candidates of a step: rows of its table.

    Attributes:
        source: gives a column of the table.
        counts: how many candidates there are for each row of the block; None for exactly one.
        places: where they are in the source; None for all of it.
        agreeing: the columns in which they are known to agree with the block.
    """

    source: Callable[[int], Column]
    counts: Column | None
    places: Column | None
    agreeing: tuple[int, ...] = ()

    def column(self, position: int) -> Column:
        """Return a column of the candidates."""
        column = self.source(position)
        return column if self.places is None else column.take(self.places)


class ColumnJoin:
    """One evaluation of a plan."""

    def __init__(
        self,
        plan: JoinPlan,
        query: Query,
        target: Instance,
        anchors: Mapping[int, int],
        most_rows: int = _MOST_ROWS,
    ) -> None:
        """Prepare an evaluation.

        Args:
            plan: the steps.
            query: what the plan was made for.
            target: where.
            anchors: the images of the slots that are bound from the start.
            most_rows: how many rows a step may add to a block of more than one match.
        """
        self._plan = plan
        self._target = target
        self._query = query
        self._anchors = anchors
        self._most_rows = most_rows
        self._checks = ColumnChecks(plan, query, target)

    def count(self, limit: int | None) -> int:
        """Count the matches, up to `limit`."""
        total = 0
        for block in self._generate_blocks(frozenset()):
            total += block.size
            if limit is not None and total >= limit:
                return limit
        return total

    def columns(self, slots: Sequence[int], limit: int | None) -> list[Column]:
        """Return the images of some slots in every match, or in the first `limit` matches."""
        blocks: list[MatchBlock] = []
        total = 0
        for block in self._generate_blocks(frozenset(slots)):
            blocks.append(block)
            total += block.size
            if limit is not None and total >= limit:
                total = limit
                break
        if len(blocks) == 1 and total * len(slots) < _LARGE:
            found = dict(blocks[0].flatten(slots))
            return [found[slot][:total] for slot in slots]
        table = np.empty((len(slots), total), dtype=np.int64)
        place = {slot: row for row, slot in enumerate(slots)}
        start = 0
        for block in blocks:
            rows = table[:, start : start + block.size]
            for slot, column in block.flatten(slots):
                rows[place[slot]] = column[: rows.shape[1]]
            start += block.size
        return list(table)

    def rows(self, slots: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the images of some slots, match by match."""
        for block in self._generate_blocks(frozenset(slots)):
            images = {slot: column.tolist() for slot, column in block.flatten(slots)}
            yield from zip(*(images[slot] for slot in slots), strict=True)

    def _generate_blocks(self, wanted: frozenset[int]) -> Iterator[MatchBlock]:
        """Yield blocks of complete matches, with at least the images of the wanted slots."""
        start = Backtracking(self._plan, self._target, self._query.allowed, self._query.where)
        if not start.anchor(self._anchors):
            return
        values = self._checks.values
        numbers = {name: values.number(value) for name, value in start.values.items()}
        # Depth first, the first half on top: blocks come out in the order of `Backtracking`.
        stack = [(0, MatchBlock.of(self._anchors, numbers))]
        steps = self._plan.steps
        while stack:
            number, block = stack.pop()
            if number == len(steps):
                yield block
                continue
            rows = self._find_candidates(block, steps[number])
            if rows is None:
                stack.extend((number, half) for half in reversed(block.split()))
                continue
            self._grow(block, number, rows, wanted)
            if block.size:
                stack.append((number + 1, block))

    def _grow(self, block: MatchBlock, number: int, rows: _Rows, wanted: frozenset[int]) -> None:
        # Only columns that a check, a later step or the result reads are gathered at all.
        step, live = self._plan.steps[number], self._plan.live[number]
        compared = [slot for _, slot in step.repeated]
        fresh: dict[ColumnKey, Column] = {
            bind.slot: rows.column(bind.position)
            for bind in step.binds
            if bind.is_checked or bind.slot in wanted or bind.slot in live or bind.slot in compared
        }
        growth = Growth(block, rows.counts, fresh)
        mask = self._checks.test_structure(growth, number, rows.column, rows.agreeing)
        if mask is not None:
            growth.keep(mask)
        self._checks.filter_by_attributes(growth, step.binds)
        self._checks.filter_by_comparisons(growth, step.where)
        growth.add(live)

    def _find_candidates(self, block: MatchBlock, step: JoinStep) -> _Rows | None:
        """Find the rows of the step's table that go with a block; None if there are too many."""
        if step.atom.kind is TableKind.ELEMENT:
            ids = self._find_elements(step)
            return self._scan(block, lambda _: ids, len(ids))
        table = self._find_table(step)
        if not step.bound:
            index = index_column(table, 0)
            return self._scan(block, index.column, len(index))
        buckets = [_Bucket.at(table, position, block.live[slot]) for position, slot in step.bound]
        best = min(buckets, key=_Bucket.cost)
        if (
            best.total > _FEW * block.size
            and isinstance(table, RelationTable)
            and _binds_all_legs(step)
        ):
            return self._look_up(block, step, table)
        # A block of one match cannot be split further, whatever it grows to.
        if best.total > self._most_rows and block.size > 1:
            return None
        return best.list_rows()

    def _find_table(self, step: JoinStep) -> RelationTable | FunctionTable:
        if step.atom.kind is TableKind.FUNCTION:
            return self._target.function_table(step.atom.name)
        return self._target.relation_table(step.atom.name)

    def _find_elements(self, step: JoinStep) -> Column:
        (slot,) = step.atom.slots
        target = self._target
        ids = target.element_table().ids_of(step.atom.name, True, target.schema)
        if slot not in self._query.allowed:
            return ids
        allowed = ascending(self._query.allowed[slot])
        return np.intersect1d(ids, allowed, assume_unique=True)

    def _scan(
        self, block: MatchBlock, source: Callable[[int], Column], length: int
    ) -> _Rows | None:
        """Pair all rows of a table with each row of the block."""
        if block.size == 1:
            return _Rows(source, np.array([length], dtype=np.int64), None)
        if length * block.size > self._most_rows:
            return None
        counts = np.full(block.size, length, dtype=np.int64)
        return _Rows(source, counts, np.tile(np.arange(length), block.size))

    def _look_up(self, block: MatchBlock, step: JoinStep, table: RelationTable) -> _Rows:
        legs = [block.live[slot] for slot in step.atom.slots[1:]]
        places, found = index_rows(table).find(legs)
        agreeing = tuple(range(1, len(step.atom.slots)))
        source = index_column(table, 0).column
        return _Rows(source, found.astype(np.int64), places[found], agreeing)


def count_unindexed_rows(target: Instance, kind: TableKind, name: str) -> int:
    """Count the rows of a table that no join has made columns of yet."""
    if kind is TableKind.ELEMENT:
        return 0
    if kind is TableKind.RELATION:
        relation = target.relation_table(name)
        return 0 if is_indexed(relation) else len(relation.rows)
    function = target.function_table(name)
    return 0 if is_indexed(function) else len(function.values)


@dataclass(frozen=True)
class _Bucket:
    """For each row of a block, the rows of a table that agree with it in one column.

    Attributes:
        index: of the table by the column.
        position: of the column.
        starts: where they begin in the index.
        counts: how many they are.
        total: the sum of these.
    """

    index: ColumnIndex
    position: int
    starts: Column
    counts: Column
    total: int

    @classmethod
    def at(cls, table: RelationTable | FunctionTable, position: int, ids: Column) -> "_Bucket":
        index = index_column(table, position)
        starts, counts = index.ranges(ids)
        return cls(index, position, starts, counts, int(counts.sum()))

    def cost(self) -> tuple[int, bool]:
        """Return the sort key by which the best column is chosen: few rows, then unique ones."""
        return (self.total, not self.index.unique)

    def list_rows(self) -> _Rows:
        """List all the candidates."""
        agreeing, source, counts = (self.position,), self.index.column, self.counts
        if self.index.unique and self.total == len(counts):  # exactly one for each row
            return _Rows(source, None, self.starts, agreeing)
        if self.index.unique:  # at most one for each row
            return _Rows(source, counts, self.starts.repeat(counts), agreeing)
        # Row i has the places starts[i], ..., starts[i] + counts[i] - 1. In the concatenation of
        # all these runs, run i begins at ends[i] - counts[i]; so one range, shifted run by run,
        # gives them.
        ends = counts.cumsum()
        places = (self.starts - ends + counts).repeat(counts)
        places += np.arange(self.total)
        return _Rows(source, counts, places, agreeing)


def _binds_all_legs(step: JoinStep) -> bool:
    positions = {position for position, _ in step.bound}
    return len(positions - {0}) == len(step.atom.slots) - 1 > 1
