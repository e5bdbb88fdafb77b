# SPDX-License-Identifier: Apache-2.0
"""Factorised blocks against plain lists of rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.search.match_block import Growth, MatchBlock


def rows_of(block: MatchBlock, width: int) -> list[tuple[int, ...]]:
    slots = range(width)
    flat = dict(block.flatten(slots))
    columns = [flat[slot].tolist() for slot in slots]
    assert all(len(column) == block.size for column in columns)
    return list(zip(*columns, strict=True))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_blocks_grow_and_shrink_like_lists(data: st.DataObject) -> None:
    block, rows = MatchBlock.of({0: 5}, {}), [(5,)]
    for slot in range(1, data.draw(st.integers(1, 5))):
        counts = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
        one = data.draw(st.booleans())
        if one:
            counts = [1] * len(rows)
        images = list(range(100 * slot, 100 * slot + sum(counts)))
        parents = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
        rows = [(*row, image) for row, image in zip(parents, images, strict=True)]
        fresh = {slot: np.array(images, dtype=np.int64)}
        growth = Growth(block, None if one else np.array(counts, dtype=np.int64), fresh)
        older = slot - 1
        assert growth.column(older).tolist() == [row[older] for row in rows]
        for _ in range(data.draw(st.integers(0, 2))):
            kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
            growth.keep(np.array(kept, dtype=bool))
            rows = [row for row, keep in zip(rows, kept, strict=True) if keep]
            assert growth.column(older).tolist() == [row[older] for row in rows]
        growth.add((slot,))
        assert block.live[slot].tolist() == [row[slot] for row in rows]
        if len(rows) > 1 and data.draw(st.booleans()):
            left, right = block.split()
            width, middle = slot + 1, len(rows) // 2
            assert rows_of(left, width) == rows[:middle]
            assert rows_of(right, width) == rows[middle:]
            block, rows = data.draw(
                st.sampled_from([(left, rows[:middle]), (right, rows[middle:])])
            )
        assert rows_of(block, slot + 1) == rows
