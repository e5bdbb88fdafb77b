# SPDX-License-Identifier: Apache-2.0
"""The judges of plans, on plans written by hand in the furnished house."""

import pytest

from benchmark.context_matters.answers import replay_steps
from benchmark.context_matters.instances import domain_of
from benchmark.context_matters.plan_judges import (
    PlannedCase,
    list_absurdities,
    list_excused,
    list_needless,
)
from fcp_ros.cli.session import open_session
from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanStep

KITCHEN, LIVING = "kitchen_1", "living_room_1"
MUG = ["pick mug_1 table_1 living_room_1"]
GO, BACK = f"navigate {LIVING} {KITCHEN} door_1", f"navigate {KITCHEN} {LIVING} door_1"
MUG_TO_COUNTER = [BACK, *MUG, GO, f"place mug_1 counter_1 {KITCHEN}"]
MILK = [f"open fridge_1 {KITCHEN}", f"take_out milk_1 fridge_1 {KITCHEN}"]
CASES = {
    "as asked": ("put the mug on the counter", "on(mug_1, counter_1)", MUG_TO_COUNTER, "", ""),
    "left open": (
        "bring me the milk",
        "holding(robot_1, milk_1)",
        [*MILK, BACK],
        "fridge_1 is left open",
        "without this change: closed(fridge_1)",
    ),
    "in another room": (
        "bring me the apple",
        "holding(robot_1, apple_1)",
        [f"pick apple_1 counter_1 {KITCHEN}"],
        "ends in kitchen_1",
        "",
    ),
    "in the fridge": (
        "put the bowl in the kitchen",
        f"exists ?p: fixture (in_room(?p, {KITCHEN}) and (on(bowl_1, ?p) or inside(bowl_1, ?p)))",
        [
            f"open fridge_1 {KITCHEN}",
            f"pick bowl_1 counter_1 {KITCHEN}",
            f"put_in bowl_1 fridge_1 {KITCHEN}",
            f"close fridge_1 {KITCHEN}",
        ],
        "bowl_1 is put into fridge_1",
        "without this change: inside(bowl_1, fridge_1), on(bowl_1, counter_1)",
    ),
    "in the hand": (
        "take the apple off the counter",
        "not on(apple_1, counter_1)",
        [f"pick apple_1 counter_1 {KITCHEN}"],
        "apple_1 is still held",
        "",
    ),
    "a stranger": (
        "put the mug on the counter",
        "on(mug_1, counter_1)",
        [
            f"pick vase_1 counter_1 {KITCHEN}",
            BACK,
            f"place vase_1 table_1 {LIVING}",
            *MUG,
            GO,
            f"place mug_1 counter_1 {KITCHEN}",
        ],
        "vase_1 is moved, of which nobody spoke",
        "without this change: on(vase_1, counter_1), on(vase_1, table_1)",
    ),
    "back and forth": (
        "put the mug on the counter",
        "on(mug_1, counter_1)",
        [BACK, GO, *MUG_TO_COUNTER],
        "undo each other",
        "6 steps where 4 do",
    ),
}


@pytest.fixture(scope="module")
def house():
    session = open_session("household", "twin_house_furnished")
    return session.domain, session.state.instance


def write_step(domain, text):
    rule, *names = text.split()
    rule = domain.rules[rule]
    arguments = tuple(zip(rule.parameter_names, ("robot_1", *names), strict=True))
    return PlanStep(rule.name, arguments, 1.0, 1.0, 0.0, rule.executor)


@pytest.mark.parametrize("name", CASES)
def test_each_judge_says_what_nobody_would_accept(name, house):
    domain, state = house
    sentence, text, written, absurd, needless = CASES[name]
    goal = check_goal(parse_expression(text), domain, state)
    steps = [write_step(domain, one) for one in written]
    states, problems = replay_steps(domain, state, steps)
    assert not problems
    case = PlannedCase(
        sentence,
        domain,
        goal,
        steps,
        states,
        "person_1",
        lambda *_: 1.0,
        TNORMS["lukasiewicz"],
        infer_types(goal, domain),
    )
    found = "; ".join(list_absurdities(case))
    assert absurd in found if absurd else not found
    found = "; ".join(list_needless(case))
    assert needless in found if needless else not found


def test_what_no_way_to_the_goal_avoids_is_not_needless():
    """A machine is filled to wash; but the supply could be put back."""
    domain = domain_of("laundry")
    builder = InstanceBuilder(domain.schema)
    for type_, name in (("room", "kitchen_1"), ("robot", "robot_1")):
        builder.add(type_, name, {"category": name[:-2]})
    builder.add("washing_machine", "washer_1", {"category": "washing machine"})
    builder.add("clothing", "sock_1", {"category": "socks"})
    builder.add("cleaning_supply", "soap_1", {"category": "dish soap"})
    known = "at robot_1 kitchen_1, at washer_1 kitchen_1, at soap_1 kitchen_1, is_empty washer_1, "
    known += "inside sock_1 washer_1, is_closed washer_1, is_dirty sock_1"
    for fact in known.split(", "):
        relation, *names = fact.split()
        builder.relate(relation, *map(builder.id_of, names))
    state = builder.build()
    steps = [
        write_step(domain, text)
        for text in (
            "grab soap_1 kitchen_1",
            "refill washer_1 kitchen_1 soap_1",
            "wash sock_1 washer_1 kitchen_1",
        )
    ]
    states, problems = replay_steps(domain, state, steps)
    assert not problems
    goal = check_goal(parse_expression("is_clean(sock_1)"), domain, state)
    tnorm = TNORMS["lukasiewicz"]
    case = PlannedCase("", domain, goal, steps, states, "", lambda *_: 1.0, tnorm, {})
    (found,) = list_needless(case)
    assert "soap_1" in found
    assert "refilled" not in found
    (excused,) = list_excused(case)
    assert "refilled" in excused
