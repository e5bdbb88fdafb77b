# SPDX-License-Identifier: Apache-2.0
"""Monitoring: the present step, and changes of the world that matter to the rest of a plan."""

from __future__ import annotations

import pytest
from lidded_boxes import DOMAIN, make_boxes, make_step

from fcp_ros.cset import Fact, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.execution.monitoring import Monitor, PlanWatch, find_granted, find_obstacle
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules


@pytest.fixture(scope="module")
def rules(household):
    return StepRules(household)


@pytest.fixture
def watch(rules, fetch, flat):
    return PlanWatch(rules, fetch, Monitor(rules, lambda: flat).find_effects)


def without(instance, relation, *names):
    builder = InstanceBuilder.of(instance)
    builder.unrelate(relation, *map(builder.id_of, names))
    return builder.build()


def find_problem(watch, index, state):
    """Look at a plan of which one step is being done."""
    rest = range(index + 1, len(watch._steps))
    return watch.find_problem((index,), rest, state)


def test_only_elements_of_the_rest_matter(watch):
    assert watch.find_affected((0, 1, 2), {"mug_1", "fridge_1", "hall"}) == ("hall", "mug_1")
    assert watch.find_affected((1, 2), {"mug_1", "fridge_1", "hall"}) == ("mug_1",)
    assert watch.find_affected((2,), {"table_1", "fridge_1"}) == ()
    assert watch.find_affected((2,), frozenset()) == ()
    assert watch.find_affected((2,), None) == ("robot_1", "mug_1", "router_1", "kitchen")


def test_a_world_as_it_was_is_no_problem(watch, rules, flat, fetch):
    state = flat
    for index, step in enumerate(fetch):
        assert find_problem(watch, index, state) == "", "before the step"
        state = rules.apply(step, state).instance
        assert find_problem(watch, index, state) == "", "after the step"


def test_what_will_be_missing_is_said_steps_before(watch, flat, fetch, rules):
    gone = without(flat, "on", "mug_1", "table_1")
    words = find_problem(watch, 0, gone)
    assert words.startswith("step 2 of 3, pick(")
    assert "on(mug_1, table_1) does not hold" in words
    arrived = rules.apply(fetch[0], gone).instance
    assert find_problem(watch, 0, arrived) == words, "at the end of the first step as well"


def test_the_step_that_is_being_done_is_not_judged(watch, flat):
    """On its way the robot is nowhere for a while, or in a room between."""
    assert find_problem(watch, 0, without(flat, "at", "robot_1", "hall")) == ""


def test_what_does_not_matter_could_not_have_changed_the_answer(watch, rules, flat, fetch):
    """The claim behind `find_affected`: facts about other elements alone change nothing."""
    others = {"fridge_1", "milk_1", "mug_2"}
    state = without(without(flat, "closed", "fridge_1"), "inside", "milk_1", "fridge_1")
    assert watch.find_affected((0, 1, 2), others) == ()
    assert find_problem(watch, 0, state) == find_problem(watch, 0, flat) == ""
    assert find_obstacle(rules, fetch, state) == find_obstacle(rules, fetch, flat) == ""


GUARDED = parse_domain(
    """
domain: guarded
version: "1"
types: {thing: [], lamp: [thing], cup: [thing]}
relations:
  lit: {legs: {lamp: lamp}}
  held: {legs: {cup: cup}}
  dirty: {legs: {cup: cup}}
rules:
  take:
    parameters: {cup: cup}
    when: ['forall ?lamp: lamp (lit(?lamp))']
    add: ['held(cup)']
    duration: 1
    executor: take
  drop:
    parameters: {cup: cup}
    when: ['held(cup)']
    delete: ['held(cup)']
    duration: 1
    executor: drop
constraints:
  one_by_one:
    variables: {one: cup, other: cup}
    never: ['held(one)', 'dirty(other)']
    because: it is so
scene: {layers: {}, unknown: cup}
"""
)


def test_what_a_step_reads_of_other_elements_matters():
    """A formula or a constraint may look at anything; a plain step at its own elements only."""
    builder = InstanceBuilder(GUARDED.schema)
    for name, type_ in (("lamp_1", "lamp"), ("cup_1", "cup"), ("cup_2", "cup")):
        builder.add(type_, name)
    builder.relate("lit", builder.id_of("lamp_1"))
    lit = builder.build()
    arguments = (("cup", "cup_1"),)
    steps = tuple(PlanStep(n, arguments, 1.0, 1.0, 1.0, n) for n in ("take", "drop"))
    rules = StepRules(GUARDED)
    watch = PlanWatch(rules, steps, Monitor(rules, lambda: lit).find_effects)
    assert watch.find_problem((), (0, 1), lit) == ""
    assert watch.find_affected((0, 1), {"lamp_1"}) == ("lamp_1",)
    assert "lit" in watch.find_problem((), (0, 1), without(lit, "lit", "lamp_1"))
    dirty = InstanceBuilder.of(lit)
    dirty.relate("dirty", dirty.id_of("cup_2"))
    assert watch.find_affected((0, 1), {"cup_2"}) == ("cup_2",)
    assert "it is so" in watch.find_problem((), (0, 1), dirty.build())
    assert watch.find_affected((1,), {"cup_2"}) == (), "the last step reads its cup alone"


def test_the_monitor_looks_at_the_present_state(rules, flat, fetch):
    states = [flat]
    monitor = Monitor(rules, lambda: states[-1])
    assert monitor.find_unmet(fetch[0]) == ""
    assert "at(robot_1, kitchen) does not hold" in monitor.find_unmet(fetch[1])
    unseen = monitor.find_unseen(fetch[0])
    assert unseen == "at(robot_1, kitchen) does not hold. at(robot_1, hall) still holds."
    states.append(rules.apply(fetch[0], flat).instance)
    assert monitor.find_unmet(fetch[1]) == ""
    assert monitor.find_unseen(fetch[0]) == ""


def test_the_monitor_answers_for_unknown_steps_too(rules, flat, step):
    assert "no rule 'fly'" in Monitor(rules, lambda: flat).find_unmet(step("fly", "robot_1"))


def test_replaying_finds_the_first_step_that_does_not_hold(rules, flat, fetch, step):
    assert find_obstacle(rules, fetch, flat) == ""
    assert find_obstacle(rules, (), flat) == ""
    moved = rules.apply(fetch[0], flat).instance
    assert "step 1 of 3" in find_obstacle(rules, fetch, moved)
    again = (*fetch[:2], fetch[1])
    said = find_obstacle(rules, again, flat)
    assert "step 3 of 3" in said
    assert "on(mug_1, table_1) does not hold" in said
    assert "not an action of the domain" in find_obstacle(rules, (step("fly"),), flat)


def test_conditional_effects_are_those_of_the_state_in_which_a_step_began():
    rules, close = StepRules(DOMAIN), make_step("close", "r1", "b1")
    begun = make_boxes(("lit", "sock"), ("inside", "sock", "b1"))
    states = [begun]
    monitor = Monitor(rules, lambda: states[-1])
    assert monitor.find_unmet(close) == ""
    states.append(make_boxes(("lit", "sock"), ("inside", "sock", "b1"), ("closed", "b1")))
    assert monitor.find_unseen(close) == "dark(sock) does not hold. lit(sock) still holds."
    states.append(make_boxes(("dark", "sock"), ("closed", "b1")))  # and then it was taken out
    assert monitor.find_unseen(close) == ""
    added, removed = monitor.find_effects(close)
    assert added == {Fact("closed", ("b1",)), Fact("dark", ("sock",))}
    assert removed == {Fact("lit", ("sock",))}


def test_a_step_whose_conditional_effects_do_not_show_yet_may_still_be_under_way():
    rules = StepRules(DOMAIN)
    steps = (make_step("close", "r1", "b1"), make_step("look", "r1", "sock"))
    begun = make_boxes(("lit", "sock"), ("inside", "sock", "b1"))
    monitor = Monitor(rules, lambda: begun)
    watch = PlanWatch(rules, steps, monitor.find_effects)
    assert monitor.find_unmet(steps[0]) == ""
    assert "lit(sock) does not hold" in find_problem(watch, 0, begun)
    half = make_boxes(("inside", "sock", "b1"), ("closed", "b1"))
    assert find_problem(watch, 0, half) == ""  # it is neither lit nor dark: nobody can tell
    done = make_boxes(("inside", "sock", "b1"), ("closed", "b1"), ("dark", "sock"))
    assert "lit(sock) does not hold" in find_problem(watch, 0, done)


def test_of_several_steps_each_may_be_at_its_beginning_or_at_its_end():
    rules = StepRules(DOMAIN)
    steps = tuple(make_step("close", "r1", box) for box in ("b1", "b2"))
    steps += (make_step("look", "r1", "sock"), make_step("close", "r1", "b1"))
    begun = make_boxes(("lit", "sock"))
    watch = PlanWatch(rules, steps, Monitor(rules, lambda: begun).find_effects)
    for closed in ([], ["b1"], ["b2"], ["b1", "b2"]):
        state = make_boxes(("lit", "sock"), *(("closed", box) for box in closed))
        assert watch.find_problem((0, 1), (2,), state) == ""
        assert "step 4 of 4" in watch.find_problem((0, 1), (2, 3), state)


def test_what_a_plan_ends_and_nobody_has_seen_is_granted(rules, flat, fetch):
    ended = {fact for step in fetch for fact in rules.find_effects(step, flat)[1]}
    begun = rules.find_effects(fetch[1], flat)[0]
    assert find_granted(rules, fetch, flat, lambda fact: False) == frozenset()
    granted = find_granted(rules, fetch, flat, lambda fact: True)
    assert granted <= ended
    assert not granted & begun, "what the plan itself brings about needs no grant"
    assert granted
