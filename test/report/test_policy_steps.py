# SPDX-License-Identifier: Apache-2.0
"""The path of a policy: its steps by abstract actions."""

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.planning.model.plan import PolicyFeature, PolicyMove, PolicyTrace
from fcp_ros.report.console import group_steps

FEATURES = (
    PolicyFeature("carrying", "any(on)", True),
    PolicyFeature("left", "count(<goal> & at)", False),
)
TRACE = PolicyTrace(
    FEATURES, (PolicyMove("fetch", (0, 1), 2), PolicyMove("bring", (1, 1), 5)), (0, 0)
)


@st.composite
def traces(draw):
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    features = tuple(PolicyFeature(f"f{i}<", "any(a & b)", kind) for i, kind in enumerate(kinds))
    values = st.tuples(*(st.integers(0, 1 if kind else 9) for kind in kinds))
    moves, done = [], 0
    for steps in draw(st.lists(st.integers(1, 5), max_size=6)):
        done += steps
        moves.append(PolicyMove("go & see", draw(values), done))
    return PolicyTrace(features, tuple(moves), draw(values))


def test_steps_are_grouped_with_the_changes_of_their_action():
    groups = group_steps(TRACE)
    assert list(groups) == [0, 2]
    assert [(one.number, one.action, one.steps) for one in groups.values()] == [
        (1, "fetch", 2),
        (2, "bring", 3),
    ]
    assert groups[0].condition == "not carrying, left = 1"
    assert groups[2].condition == "carrying, left = 1"
    changed = [[one.name for one in group.changes if one.is_change] for group in groups.values()]
    assert changed == [["carrying"], ["carrying", "left"]]
    assert [(one.before, one.after) for one in groups[2].changes] == [("yes", "no"), ("1", "0")]


@given(traces())
def test_every_step_belongs_to_one_group(trace):
    covered = []
    for first, group in group_steps(trace).items():
        covered += range(first, first + group.steps)
    assert covered == list(range(trace.moves[-1].steps if trace.moves else 0))


def test_a_distance_without_a_way_is_infinite():
    way = PolicyFeature("way", "distance(here, road, goal.at)", False, 7)
    moves = [PolicyMove("go", (value,), steps) for value, steps in ((1, 1), (7, 2), (3, 4))]
    trace = PolicyTrace((way,), tuple(moves), (7,))
    assert [one.condition for one in group_steps(trace).values()] == [
        "way = 1",
        "way = \u221e",
        "way = 3",
    ]
