# SPDX-License-Identifier: Apache-2.0
"""Indexes over arrays of ids, dense and sparse, against dictionaries."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.search.id_index import ColumnIndex, IdSet, RowIndex, ascending, is_dense

# Up to 20 rows: ids up to 10 are dense, those near 10^6 are not.
IDS = st.one_of(st.integers(1, 10), st.integers(10**6, 10**6 + 5))
TABLES = st.integers(1, 3).flatmap(
    lambda legs: st.lists(st.tuples(*[IDS] * legs), max_size=20, unique=True)
)


def table(rows: list[tuple[int, ...]]) -> np.ndarray:
    """The rows with ids before them."""
    width = 1 + (len(rows[0]) if rows else 2)
    numbered = [(7 + 2 * number, *row) for number, row in enumerate(rows)]
    return np.array(numbered, dtype=np.int64).reshape(-1, width)


def test_what_counts_as_dense() -> None:
    assert is_dense(10, 1)
    assert not is_dense(10**6, 20)


@settings(max_examples=60, deadline=None)
@given(rows=TABLES, asked=st.lists(IDS, max_size=6))
def test_rows_by_one_column(rows: list[tuple[int, ...]], asked: list[int]) -> None:
    array = table(rows)
    for position in range(array.shape[1]):
        index = ColumnIndex(array, position)
        keys = array[:, position].tolist()
        starts, counts = index.ranges(np.array([*asked, *keys], dtype=np.int64))
        columns = [index.column(at).tolist() for at in range(array.shape[1])]
        for id_, start, count in zip([*asked, *keys], starts, counts, strict=True):
            found = list(zip(*(column[start : start + count] for column in columns), strict=True))
            assert found == [tuple(row) for row in array.tolist() if row[position] == id_]
        assert index.unique == (len(set(keys)) == len(keys))
        assert len(index) == len(rows)


@settings(max_examples=60, deadline=None)
@given(rows=TABLES, data=st.data())
def test_rows_by_all_legs(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    legs = len(rows[0]) if rows else 2
    asked = data.draw(st.lists(st.tuples(*[IDS] * legs), min_size=1, max_size=6)) + rows
    columns = [np.array(column, dtype=np.int64) for column in zip(*asked, strict=True)]
    places, found = RowIndex(table(rows)).find(columns)
    for row, place, there in zip(asked, places.tolist(), found.tolist(), strict=True):
        assert there == (row in rows)
        assert not there or rows[place] == row


@settings(max_examples=60, deadline=None)
@given(members=st.sets(IDS, max_size=9), asked=st.lists(IDS, max_size=9))
def test_sets(members: set[int], asked: list[int]) -> None:
    contained = IdSet(ascending(members)).contains(np.array(asked, dtype=np.int64))
    assert contained.tolist() == [id_ in members for id_ in asked]
