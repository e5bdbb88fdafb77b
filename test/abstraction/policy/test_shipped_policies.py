# SPDX-License-Identifier: Apache-2.0
"""The policies that are shipped for the household domain: they terminate, and work in any house."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.abstraction.policy.general_policy import check_fit
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.policy.runner import plan_with_policies
from fcp_ros.abstraction.qnp.state_space import build_policy_graph, sieve
from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, load_domain, parse_expression
from fcp_ros.domain.identity import identify_domain
from fcp_ros.grounding.judgement import Membership
from fcp_ros.package_files import config_folder
from fcp_ros.planning import PlanningOptions, PlanningRequest

DOMAIN = load_domain(config_folder() / "domains/household.yaml")
TIDY = read_policy(config_folder() / "policies/tidy.yaml")


class Certain:
    """Judges everything to be as good as can be."""

    def judge(self, requests):
        return [Membership(1.0, 1.0, source="table") for _ in requests]


def make_house(doors, surfaces, things, closed=()):
    """Make a house whose room `i + 1` has a door to `doors[i]`; the robot is in room 0.

    Args:
        doors: by room, from the second one on.
        surfaces: the room of each surface.
        things: the surface of each thing.
        closed: numbers of doors.
    """
    builder = InstanceBuilder(DOMAIN.schema)
    rooms = [builder.add("room", f"room_{i}") for i in range(len(doors) + 1)]
    for number, other in enumerate(doors):
        door = builder.add("door", f"door_{number}")
        builder.relate("connected", rooms[number + 1], rooms[other], door)
        builder.relate("connected", rooms[other], rooms[number + 1], door)
        if number in closed:
            builder.relate("closed", door)
    builder.relate("at", builder.add("robot", "robot_1"), rooms[0])
    tables = [builder.add("table", f"table_{i}") for i in range(len(surfaces))]
    for table, room in zip(tables, surfaces, strict=True):
        builder.relate("in_room", table, rooms[room])
    for number, where in enumerate(things):
        builder.relate("on", builder.add("cup", f"cup_{number}"), tables[where])
    return builder.build()


def plan_tidy(house, goal):
    wanted = check_goal(parse_expression(goal), DOMAIN, house, goal)
    options = PlanningOptions(time_limit=20.0)
    return plan_with_policies((TIDY,), PlanningRequest(DOMAIN, house, wanted, options, Certain()))


@st.composite
def tasks(draw):
    doors = tuple(draw(st.integers(0, number)) for number in range(draw(st.integers(0, 4))))
    room = st.integers(0, len(doors))
    surfaces = draw(st.lists(room, min_size=2, max_size=4))
    surface = st.integers(0, len(surfaces) - 1)
    things = draw(st.lists(surface, min_size=1, max_size=4))
    wanted = draw(st.lists(surface, min_size=1, max_size=len(things)))
    goal = " and ".join(f"on(cup_{cup}, table_{table})" for cup, table in enumerate(wanted))
    return make_house(doors, surfaces, things), goal


def test_the_policy_is_of_the_shipped_domain():
    assert TIDY.domain_hash == identify_domain(DOMAIN), "put the hash on the right into the file"
    check_fit(TIDY, DOMAIN)


def test_the_policy_goes_on_to_its_goal_and_terminates():
    graph = build_policy_graph(TIDY.qnp, TIDY.policy)
    assert graph.open_states == ()
    assert graph.goals
    assert sieve(graph) == ()


@given(tasks())
@settings(max_examples=40, deadline=None)
def test_things_get_where_they_belong(task):
    house, goal = task
    result = plan_tidy(house, goal)
    assert result.policy == "tidy", result.policy_notes
    assert result.verification.ok
    assert result.status.solved


def test_cups_of_a_large_house_are_cleared():
    # The shortest ways there and back, which the battery is enough for.
    house = make_house((0,) * 11, range(12), [1 + number % 11 for number in range(30)])
    result = plan_tidy(house, "forall ?c: cup (on(?c, table_0))")
    assert result.policy == "tidy", result.policy_notes
    assert sum(step.rule == "pick" for step in result.plan.steps) == 30
    assert result.policy_trace.moves[0].values[1] == 30


@pytest.mark.parametrize("closed", [(), (0,)])
def test_a_closed_door_is_left_to_the_search(closed):
    house = make_house((0,), (0, 1), (1,), closed)
    result = plan_tidy(house, "on(cup_0, table_0)")
    assert result.status.solved
    assert result.policy == ("" if closed else "tidy")
    assert len(result.policy_notes) == len(closed)
