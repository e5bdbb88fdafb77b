# SPDX-License-Identifier: Apache-2.0
"""Simple temporal networks against Floyd and Warshall's shortest paths."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.planning.schedule import PositiveCycle, TimeBound, Times, solve_network


@st.composite
def networks(draw):
    points = draw(st.integers(1, 6))
    point = st.integers(0, points - 1)
    least = st.one_of(st.integers(-12, 8).map(lambda n: n / 2), st.just(-math.inf))
    return points, draw(st.lists(st.builds(TimeBound, point, point, least), max_size=14))


def longest_paths(points, bounds):
    """All longest paths, by the textbook's three loops."""
    length = [[-math.inf] * points for _ in range(points)]
    for p in range(points):
        length[p][p] = 0.0
    for b in bounds:
        length[b.before][b.after] = max(length[b.before][b.after], b.least)
    for k in range(points):
        for i in range(points):
            for j in range(points):
                length[i][j] = max(length[i][j], length[i][k] + length[k][j])
    return length


@settings(max_examples=150)
@given(networks())
def test_times_are_those_of_all_longest_paths(network):
    points, bounds = network
    length = longest_paths(points, bounds)
    solved = solve_network(points, bounds)
    if any(length[p][p] > 0.0 for p in range(points)):
        assert isinstance(solved, PositiveCycle)
        cycle = [bounds[i] for i in solved.bounds]
        assert all(
            one.after == other.before
            for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        )
        assert sum(b.least for b in cycle) == solved.excess > 0.0
    else:
        assert solved == Times(tuple(length[0]), tuple(-length[p][0] for p in range(points)))


@pytest.mark.parametrize("least", [math.nan, math.inf])
def test_what_is_no_bound_is_refused(least):
    with pytest.raises(ValueError, match="no bound"):
        solve_network(2, [TimeBound(0, 1, least)])


def test_a_bound_on_a_point_and_itself():
    assert solve_network(1, [TimeBound(0, 0, -1.0)]) == Times((0.0,), (0.0,))
    assert solve_network(2, [TimeBound(1, 1, 0.5)]) == PositiveCycle((0,), 0.5)


def test_rounding_does_not_make_a_network_inconsistent():
    bounds = [TimeBound(0, 1, 0.1), TimeBound(1, 2, 0.2), TimeBound(2, 0, -0.3)]
    solved = solve_network(3, bounds)
    assert isinstance(solved, Times)
    assert solved.earliest == pytest.approx((0.0, 0.1, 0.3))
