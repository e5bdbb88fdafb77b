# SPDX-License-Identifier: Apache-2.0
"""Steps of plans that take elements for other types, one by one, in a simulated world."""

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.simulated_world import SimulatedWorld
from fcp_ros.planning.model.plan import PlanStep

DOMAIN = """\
domain: stack
version: "1"
types:
  thing: []
  item: [thing]
  plate: [item]
  bowl: [item]
  box: [thing]
  shelf: [thing]
relations:
  served: {legs: {item: item}}
  on: {legs: {item: item, shelf: shelf}, functional: [item]}
rules:
  serve:
    parameters: {item: plate}
    when: ['not served(item)']
    add: ['served(item)']
    duration: 1
    executor: serve
  place:
    parameters: {item: plate, shelf: shelf}
    add: ['on(item, shelf)']
    duration: 1
    executor: place
scene: {layers: {}, unknown: thing}
relaxing:
  shift:
    - {of: bowl, to: plate, degree: 0.8}
    - {of: box, to: shelf, degree: 0.5}
"""


@pytest.fixture(scope="module")
def make_world():
    def make(text=DOMAIN):
        domain = parse_domain(text)
        builder = InstanceBuilder(domain.schema)
        for name in ("plate_1", "bowl_1", "box_1", "shelf_1"):
            builder.add(name[:-2], name)
        return SimulatedWorld(domain, builder.build())

    return make


def step(rule, **arguments):
    return PlanStep(rule, tuple(arguments.items()), 1.0, 1.0, 1.0, rule)


def test_an_element_does_as_what_it_may_be_taken_for(make_world):
    world = make_world()
    done = world.perform(step("serve", item="bowl_1"))
    assert done.outcome.succeeded, done.outcome.message
    assert [fact.arguments for fact in done.delta.added] == [("bowl_1",)]
    state = world.instance
    assert state.type_of(state.id_of("bowl_1")) == "bowl"
    assert world.perform(step("place", item="bowl_1", shelf="shelf_1")).outcome.succeeded


def test_conditions_count_for_it_too(make_world):
    world = make_world()
    world.perform(step("serve", item="bowl_1"))
    again = world.perform(step("serve", item="bowl_1"))
    assert again.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert "served(bowl_1)" in again.outcome.message


def test_a_fact_that_the_world_cannot_hold_is_refused(make_world):
    world = make_world()
    before = world.instance
    done = world.perform(step("place", item="plate_1", shelf="box_1"))
    assert done.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert "taking box_1 for a shelf" in done.outcome.message
    assert world.instance == before


def test_what_the_domain_does_not_allow_is_refused(make_world):
    done = make_world(DOMAIN.split("relaxing:")[0]).perform(step("serve", item="bowl_1"))
    assert done.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert "'bowl_1' is a 'bowl'" in done.outcome.message
    other = make_world().perform(step("serve", item="box_1"))
    assert other.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert "'box_1' is a 'box'" in other.outcome.message
