# SPDX-License-Identifier: Apache-2.0
"""Combinations of choices, best first; what is left out of too many has a bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from fcp_ros.fuzzy import TNorm

MOST_TRIED = 20_000
"""Combinations that are looked at."""


def list_best(
    lists: Sequence[Sequence[float]],
    tnorm: TNorm,
    ascending: bool,  # the indices are those of a set: each is larger than the one before it
    leave_out: Callable[[float], None],
    most: int | None = None,  # combinations that are listed; without it, MOST_TRIED are looked at
) -> Iterator[tuple[int, ...]]:
    """List one index into each list of falling degrees, by the composed degree, best first."""
    first = tuple(range(len(lists))) if ascending else (0,) * len(lists)
    if any(index >= len(each) for index, each in zip(first, lists, strict=True)):
        return

    def compose(indices: tuple[int, ...]) -> float:
        return tnorm.compose_all(each[i] for each, i in zip(lists, indices, strict=True))

    heap, seen, listed = [(-compose(first), first)], {first}, 0
    while heap:
        if len(seen) >= MOST_TRIED or listed == most:
            leave_out(-heap[0][0])
            return
        _, indices = heapq.heappop(heap)
        listed += 1
        yield indices
        for position, index in enumerate(indices):
            following = indices[position + 1] if position + 1 < len(indices) else len(lists[-1])
            limit = following if ascending else len(lists[position])
            if index + 1 < limit:
                after = (*indices[:position], index + 1, *indices[position + 1 :])
                if after not in seen:
                    seen.add(after)
                    heapq.heappush(heap, (-compose(after), after))
