# SPDX-License-Identifier: Apache-2.0
"""Random flat tasks in which ways to the same state differ in loss, cost and resources."""

from __future__ import annotations

from hypothesis import strategies as st

from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator, FlatResource
from fcp_ros.planning.flat.task import FlatTask


@st.composite
def trade_offs(draw, *, max_places=5, max_ways=4, resources=True) -> FlatTask:
    """A chain of places, several ways from each to the next, and some that skip one or go back."""
    places = draw(st.integers(2, max_places))
    fuel = resources and draw(st.booleans())
    timed = resources and draw(st.integers(0, 2)) == 0
    pools = [FlatResource(draw(st.sampled_from([2.0, 4.0])), 0.0, 5.0)] if fuel else []
    if timed:
        pools = [*pools, FlatResource(0.0, 0.0, draw(st.sampled_from([5.0, 9.0])))]

    def way(start: int, end: int) -> FlatOperator:
        use = (draw(st.sampled_from([0.0, 1.0, 2.0, -1.0])),) if fuel else ()
        if timed:
            use = (*use, -draw(st.sampled_from([0.0, 1.0, 2.0, 3.0])))
        opens, closes = draw(st.sampled_from([(0.0, float("inf"))] * 4 + [(3.0, 9.0), (0.0, 4.0)]))
        return FlatOperator(
            pre=((0, start),),
            effects=(FlatEffect(0, end),),
            loss=draw(st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3])),
            cost=draw(st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0])),
            use=use,
            opens=opens if timed else 0.0,
            closes=closes if timed else float("inf"),
        )

    made = []
    for place in range(places - 1):
        for _ in range(draw(st.integers(1, max_ways))):
            made.append(way(place, place + 1))
        if place + 2 < places and draw(st.booleans()):
            made.append(way(place, place + 2))
        if draw(st.integers(0, 3)) == 0:
            made.append(way(place + 1, place))
    order = draw(st.permutations(made))
    return FlatBuilder(
        [places], [0], ((0, places - 1),), order, pools, len(pools) - 1 if timed else -1
    ).build()
