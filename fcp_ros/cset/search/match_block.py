# SPDX-License-Identifier: Apache-2.0
"""Blocks of partial matches, factorised: what many matches share is stored once.

A block is a list of levels. A row of one level goes with several consecutive rows of the next; a
match is a path from the top to the bottom (compare Olteanu and Schleich, *Factorized Databases*,
SIGMOD Record 2016). So a join step writes the columns that it binds and no others.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fcp_ros.cset.instance.columns import Column
from fcp_ros.cset.search.id_index import Mask

ColumnKey = int | str
"""A slot, or the name of a variable (whose values are numbered)."""


@dataclass(frozen=True)
class Level:
    """The columns that one join step binds.

    Attributes:
        counts: how many rows of this level go with each row of the level above.
        columns: the image for each slot.
    """

    counts: Column
    columns: dict[int, Column]


@dataclass
class MatchBlock:
    """Partial matches that grow in place, one level for each join step.

    Attributes:
        levels: from the top. Only the bottom one changes; the others may be those of other blocks.
        size: the number of rows of the bottom level, which is the number of matches.
        live: in the rows of the bottom level, what later steps need.
    """

    levels: list[Level]
    size: int
    live: Mapping[ColumnKey, Column]

    @classmethod
    def of(cls, images: Mapping[int, int], numbers: Mapping[str, int]) -> "MatchBlock":
        """Make the block of one partial match, which binds these slots and variables."""
        columns = {slot: _make_single(image) for slot, image in images.items()}
        live: dict[ColumnKey, Column] = {
            name: _make_single(number) for name, number in numbers.items()
        }
        live.update((slot, column) for slot, column in columns.items())
        return cls([Level(_make_single(1), columns)], 1, live)

    def split(self) -> tuple["MatchBlock", "MatchBlock"]:
        """Split the block into the first half of the matches and the rest."""
        *above, bottom = self.levels
        # The row above the middle may have rows in both halves, so both keep the levels above, and
        # only the counts of the bottom level differ: a row may have none in one half.
        middle = self.size // 2
        before = np.minimum(_compute_bounds(bottom.counts), middle)
        first = before[1:] - before[:-1]
        parts = ((first, slice(middle)), (bottom.counts - first, slice(middle, None)))
        left, right = (
            MatchBlock(
                [*above, Level(counts, {k: c[rows] for k, c in bottom.columns.items()})],
                len(range(self.size)[rows]),
                {key: column[rows] for key, column in self.live.items()},
            )
            for counts, rows in parts
        )
        return left, right

    def flatten(self, slots: Collection[int]) -> Iterator[tuple[int, Column]]:
        """Yield the images of some slots, one for each match, from the bottom level up."""
        below: Column | None = None
        for level in reversed(self.levels):
            for slot, column in level.columns.items():
                if slot in slots:
                    yield slot, column if below is None else column.repeat(below)
            below = level.counts if below is None else _sum_runs(below, level.counts)


class Growth:
    """The rows that a step adds below a block, while they are checked.

    Attributes:
        counts: how many there are for each row of the block; None for exactly one.
        fresh: the images of the slots that the step binds, and the values of variables.
    """

    def __init__(
        self, block: MatchBlock, counts: Column | None, fresh: dict[ColumnKey, Column]
    ) -> None:
        self.counts = counts
        self.fresh = fresh
        self._block = block
        self._older: dict[ColumnKey, Column] = {}

    def column(self, key: ColumnKey) -> Column:
        """Return the binding of a slot or variable in each row."""
        found = self.fresh.get(key)
        if found is None:
            found = self._older.get(key)
        if found is None:
            found = self._block.live[key]
            if self.counts is not None:
                found = found.repeat(self.counts)
            self._older[key] = found
        return found

    def keep(self, mask: Mask) -> None:
        """Drop the rows where the mask is false."""
        if mask.all():
            return
        # From here on counts says how many of a row's candidates have survived so far.
        self.counts = mask.astype(np.int64) if self.counts is None else _sum_runs(mask, self.counts)
        self.fresh = {key: column[mask] for key, column in self.fresh.items()}
        self._older = {key: column[mask] for key, column in self._older.items()}

    def add(self, live: tuple[ColumnKey, ...]) -> None:
        """Add the rows to the block.

        Args:
            live: what later steps need.
        """
        block = self._block
        block.live = {key: self.column(key) for key in live}
        columns = {key: column for key, column in self.fresh.items() if isinstance(key, int)}
        # With exactly one row below each row no new level is needed: the columns stand side by
        # side.
        if self.counts is None:
            block.levels[-1].columns.update(columns)
        else:
            block.levels.append(Level(self.counts, columns))
            block.size = int(self.counts.sum())


def _make_single(number: int) -> Column:
    return np.array([number], dtype=np.int64)


def _compute_bounds(counts: Column) -> Column:
    """Compute the start of each of consecutive runs of these lengths, and the end of the last."""
    bounds = np.zeros(len(counts) + 1, dtype=np.int64)
    counts.cumsum(out=bounds[1:])
    return bounds


def _sum_runs(values: Column | Mask, counts: Column) -> Column:
    """Sum consecutive runs of `values`, of these lengths."""
    totals, bounds = _compute_bounds(values.astype(np.int64, copy=False)), _compute_bounds(counts)
    ends = totals.take(bounds)
    return ends[1:] - ends[:-1]
