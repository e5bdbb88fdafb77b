# SPDX-License-Identifier: Apache-2.0
"""Goals of tasks are said in the words of the task, in whichever part of a goal they stand."""

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.language.paraphrase import paraphrase_goal

HERE = "exists ?r: room (at(person_1, ?r) and at(robot_1, ?r))"
THERE = (
    "exists ?r: room (at(person_1, ?r) and at(robot_1, ?r) and (holding(robot_1, {0}) or exists"
    " ?p: surface (in_room(?p, ?r) and usual_place({0}, ?p) and on({0}, ?p))))"
)
IN = (
    "exists ?p: fixture (in_room(?p, kitchen_1) and usual_place({0}, ?p)"
    " and (on({0}, ?p) or inside({0}, ?p)))"
)
PLAINLY_IN = IN.replace(" and usual_place({0}, ?p)", "")


@pytest.fixture(scope="module")
def house():
    session = open_session("household", "twin_house_furnished")
    return session.domain, session.state.instance


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (f"holding(robot_1, mug_1) and {HERE}", "mug_1 is brought to person_1."),
        (
            f"{HERE} and on(apple_1, table_1) and holding(robot_1, mug_1)",
            "mug_1 is brought to person_1 and apple_1 is on table_1.",
        ),
        (
            f"{THERE.format('mug_1')} and {THERE.format('apple_1')}",
            "mug_1 and apple_1 are brought to person_1.",
        ),
        (
            f"at least 3 ?x: apple ({THERE.format('?x')})",
            "At least three apples are brought to person_1.",
        ),
        (f"exists ?x: fork (holding(robot_1, ?x) and {HERE})", "A fork is brought to person_1."),
        (f"forall ?x: item ({IN.format('?x')})", "Every item is in kitchen_1."),
        (f"not {PLAINLY_IN.format('mug_1')}", "mug_1 is not in kitchen_1."),
        (
            f"first {PLAINLY_IN.format('mug_1')} then on(mug_1, table_1)",
            "First mug_1 is in kitchen_1, and then mug_1 is on table_1.",
        ),
        # no task: another mug is held, the robot is elsewhere, the room is left open
        ("holding(robot_1, mug_1)", "robot_1 is holding mug_1."),
        (
            "holding(robot_1, mug_1) and exists ?r: room (at(person_1, ?r))",
            "robot_1 is holding mug_1; and there is a room such that person_1 is in the room.",
        ),
        (
            "exists ?p: fixture (in_room(?p, kitchen_1) and on(mug_1, ?p))",
            "There is a fixture such that the fixture is in kitchen_1 and mug_1 is on the fixture.",
        ),
    ],
)
def test_a_task_is_said_in_its_words(house, goal, said):
    domain, state = house
    checked = check_goal(parse_expression(goal), domain, state, goal)
    assert paraphrase_goal(checked, domain, state) == said
