# SPDX-License-Identifier: Apache-2.0
"""Sentences in a warehouse: other relations than a household has, under other names."""

from contextlib import closing

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.domain import parse_domain
from fcp_ros.domain.holding import find_holding
from fcp_ros.grounding import make_grounder
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus, Refusal
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.relaxation.plan_instruction import plan_instruction


@pytest.fixture(scope="module")
def warehouse():
    session = open_session("warehouse", "warehouse")
    return ReadingContext(session.domain, session.state.instance, speaker="foreman_1")


def there(thing, zone):
    return f"exists ?p: place (located(?p, {zone}) and stands({thing}, ?p))"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        # what can be moved has no place by a static relation
        ("I want two pallets in shipping", f"at least 2 ?x1: pallet ({there('?x1', 'shipping')})"),
        (
            "move everything from storage to packing",
            f"forall ?x1: load (not initially ({there('?x1', 'storage')}) or "
            "exists ?p_2: place (located(?p_2, packing) and stands(?x1, ?p_2)))",
        ),
        # "nothing" is nobody
        ("leave nothing in packing", f"not exists ?x1: load ({there('?x1', 'packing')})"),
        # to hold is called aboard, and its first leg is the load
        ("pick pallet 2 and put it on dock 3", "stands(pallet_2, dock_3)"),
        ("hold the crate", "exists ?robot_any: robot (aboard(crate_1, ?robot_any))"),
        (
            "ship pallet 1",
            "wrapped(pallet_1) and scanned(pallet_1) and exists ?d: dock (stands(pallet_1, ?d))",
        ),
    ],
)
def test_a_warehouse_is_spoken_of_as_a_house_is(reader, warehouse, said, goal):
    answer = reader.read(said, warehouse)
    assert answer.status is ReadingStatus.READ, answer.message
    assert answer.best.goal == goal


def test_what_is_unloaded_does_not_stay_in_the_forks(reader, warehouse):
    with closing(make_grounder(warehouse.domain)) as grounder:
        options = PlanningOptions(time_limit=120.0)
        request = PlanningRequest(warehouse.domain, warehouse.instance, "", options, grounder)
        plan = plan_instruction(request, "unload dock 1", reader, warehouse).result.plan
    assert [step.rule for step in plan.steps] == ["drive", "lift", "lower"]


@pytest.mark.parametrize("said", ["is dock 3 open?", "Is bay 2 free?", "is crate 1 scanned?"])
def test_a_question_about_a_numbered_thing_is_none_to_open_it(reader, warehouse, said):
    assert reader.read(said, warehouse).refusal is Refusal.QUESTION


def test_nothing_in_a_room_is_no_person(reader, house):
    answer = reader.read("put everything in the kitchen", house)
    assert answer.best.goal.startswith("forall ?x1: item (")


ARM = """
domain: cell
version: "1.0"
types: {thing: [], arm: [thing], spot: [thing], part: [thing]}
relations:
  lies: {legs: {part: part, spot: spot}, functional: [part]}
  threshold: {legs: {part: part, spot: spot}}
  gripped: {legs: {part: part, arm: arm}, functional: [part, arm]}
rules:
  grasp:
    parameters: {arm: arm, part: part, spot: spot}
    when: ['lies(part, spot)', 'not gripped(?any, arm)']
    delete: ['lies(part, spot)']
    add: ['gripped(part, arm)', 'threshold(part, spot)']
    duration: 4
    executor: pick
scene: {layers: {agent: arm}, unknown: part}
"""


def test_holding_is_what_the_rules_say_it_is():
    holding = find_holding(parse_domain(ARM))
    assert holding == ("gripped", "arm", "part", "arm")
