# SPDX-License-Identifier: Apache-2.0
"""A YAML domain as the other side: its rules in PDDL, its own rewriting, goals in its words."""

from __future__ import annotations

import random

import pytest
from household_flat import flat, household
from random_adl import make_task as make_random
from torn_names import draw_tears, find_truth, parse, simulate, tear

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentStatus
from fcp_ros.alignment.comparison import align, compare_vocabularies
from fcp_ros.alignment.pairing import (
    AlignmentError,
    OtherWorld,
    find_goal_fault,
    make_task,
    open_domain,
)
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.simulator import DomainSimulator, GroundAction, ModelSimulator
from fcp_ros.alignment.synonyms import Standing
from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.pddl.rendering import render_in_pddl
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_writer import write_domain
from fcp_ros.domain.pddl.task_reader import work_out
from fcp_ros.domain.yaml.domain_files import parse_domain

__all__ = ["flat", "household"]

COURIER = """(define (domain courier) (:types thing)
  (:predicates (resting ?x ?y - thing) (stowed ?y ?x - thing) (heated ?x - thing)))"""
DELIVER = """(define (problem deliver) (:domain courier)
  (:objects Mug_1 milk_1 table_1 fridge_1 - thing)
  (:init (resting mug_1 table_1) (stowed fridge_1 milk_1))
  (:goal {goal}))"""


@pytest.fixture(scope="module")
def world(household, flat) -> OtherWorld:
    return open_domain(household, flat, lambda: None)


def compare(world: OtherWorld, goal: str, **options):
    return compare_vocabularies(
        lambda _check: parse(COURIER, DELIVER.format(goal=goal)),
        lambda _check: world,
        AlignmentOptions(**options),
        NameLikeness(None),
    )


def test_a_goal_is_planned_tried_and_translated(world):
    found = compare(world, "(and (stowed fridge_1 mug_1) (not (resting mug_1 table_1)))")
    assert found.result.status is AlignmentStatus.ALIGNED, found.result.message
    assert found.result.failures == 0
    assert found.goal == "inside(mug_1, fridge_1) and not on(mug_1, table_1)"
    rules = [name for name, _ in found.result.plan]
    assert rules[0] == "navigate"
    assert rules[-1] == "put_in"
    assert any(
        "constraints, resources and degrees of household play no part" in note
        for note in found.result.notes
    )


def test_the_goal_is_one_of_the_domain(world, household, flat):
    found = compare(world, "(stowed fridge_1 mug_1)")
    goal = check_goal(parse_expression(found.goal), household, flat)
    tried = DomainSimulator(household, flat, goal).run(found.result.plan)
    assert tried.reached
    assert not DomainSimulator(household, flat, goal).run(found.result.plan[:-1]).reached


def test_goal_that_is_none_of_the_domain_is_not_handed_out(world):
    found = compare(world, "(stowed fridge_1 mug_1)")
    reach = found.result.plan
    assert find_goal_fault(found.goal, world, reach) == ""
    assert "inside(mug_1, fridge_1)" in find_goal_fault(found.goal, world, reach[:-1])
    assert "fridge_9" in find_goal_fault("inside(mug_1, fridge_9)", world, reach)
    assert find_goal_fault("stowed(mug_1, fridge_1)", world, reach)


def test_what_has_no_name_there_has_no_goal_there(world):
    found = compare(world, "(exists (?x - thing) (stowed fridge_1 ?x))")
    assert found.result.status.is_success
    assert found.goal == ""


def test_objects_that_the_scene_lacks_are_refused(world):
    with pytest.raises(AlignmentError, match="lacks objects of deliver: spoon_1"):
        compare_vocabularies(
            lambda _check: parse(
                COURIER, DELIVER.format(goal="(heated mug_1)").replace("milk_1", "spoon_1")
            ),
            lambda _check: world,
            AlignmentOptions(),
            NameLikeness(None),
        )


def test_a_time_limit_ends_it(world):
    found = compare(world, "(heated mug_1)", time_limit=1e-6)
    assert found.result.status is AlignmentStatus.TIMEOUT


# --- the twin: the domain's own rewriting, and that of its rendering


def draw_actions(domain, instance, source: random.Random, draws: int) -> list[GroundAction]:
    """Draw actions that can be done one after the other, and a last one of any kind."""
    simulator = DomainSimulator(domain, instance)
    actions: list[GroundAction] = []
    for _ in range(draws):
        rule = domain.rules[source.choice(sorted(domain.rules))]
        fitting = [
            [instance.name_of(one) for one in instance.elements(parameter.type)]
            for parameter in rule.parameters
        ]
        if not all(fitting):
            continue
        drawn = (rule.name, tuple(source.choice(names) for names in fitting))
        if simulator.run([*actions, drawn]).done > len(actions):
            actions.append(drawn)
        elif len(actions) >= 6:
            return [*actions, drawn]
    return actions


@pytest.mark.parametrize("seed", range(4))
def test_the_rendering_does_what_the_rules_do(household, flat, seed):
    twin = ModelSimulator(work_out(render_in_pddl(household, flat).texts))
    simulator = DomainSimulator(household, flat)
    actions = draw_actions(household, flat, random.Random(seed), draws=2000)
    assert len(actions) > 2
    assert twin.run(actions).done == simulator.run(actions).done
    # An action that is left out makes another one impossible, in both or in none.
    for left_out in range(len(actions)):
        fewer = actions[:left_out] + actions[left_out + 1 :]
        assert twin.run(fewer).done == simulator.run(fewer).done


CONDITIONS = """
domain: lamps
version: "1"
types: {{lamp: [], Room: []}}
relations:
  lit: {{legs: {{lamp: lamp}}}}
  broken: {{legs: {{lamp: lamp}}}}
  within: {{legs: {{lamp: lamp, room: Room}}, static: true}}
rules:
  Switch:
    parameters: {{lamp: lamp, other: lamp}}
    when: ['{condition}', 'not broken(other)']
    add: ['lit(lamp)']
    duration: 1
    executor: switch
    effects:
      - variables: {{third: lamp}}
        when: ['lit(third)', 'not broken(third)']
        add: ['broken(third)']
scene: {{layers: {{room: Room}}, unknown: lamp}}
"""


@pytest.mark.parametrize(
    "condition",
    [
        "not lit(lamp)",
        "not within(lamp, ?any)",
        "lit(other)",
        "lit(other) or broken(lamp)",
        "exists ?r: Room (within(other, ?r))",
        "forall ?x: lamp (lit(?x) or not broken(?x))",
    ],
)
def test_conditional_effects_and_absences_are_rendered(condition):
    domain = parse_domain(CONDITIONS.format(condition=condition), "lamps.yaml")
    builder = InstanceBuilder(domain.schema)
    for name in ("a", "b", "c"):
        builder.add("lamp", name)
    builder.add("Room", "Hall")
    builder.relate("within", builder.id_of("a"), builder.id_of("Hall"))
    builder.relate("lit", builder.id_of("c"))
    state = builder.build()
    simulator = DomainSimulator(domain, state)
    twin = ModelSimulator(work_out(render_in_pddl(domain, state).texts))
    for seed in range(5):
        actions = draw_actions(domain, state, random.Random(seed), draws=40)  # of nine actions
        assert twin.run(actions).done == simulator.run(actions).done
        assert simulator.run([("Switch", ("a", "a"))]).done == 0
        assert twin.run([("Switch", ("a", "a"))]).done == 0


def test_an_unknown_action_fails_with_its_name(household, flat):
    simulator = DomainSimulator(household, flat)
    seen = simulator.run([("fly", ("robot_1",))])
    assert (seen.done, seen.reached) == (0, False)
    assert "fly(robot_1)" in seen.reason
    seen = simulator.run([("navigate", ("robot_1", "kitchen", "hall", "door_1"))])
    assert "at(robot_1, kitchen) does not hold" in seen.reason


def test_the_rendering_can_be_written(household, flat):
    texts = render_in_pddl(household, flat).texts
    text = write_domain(texts.domain, texts.problem.spelling)
    assert "(:action put_in" in text
    assert Source("domain", text).body


# --- Random ADL worlds with torn names: what is right is never refuted, what is wrong never proven


SEEDS = (0, 1, 2, 3, 5, 8, 11, 13, 14, 17, 24, 31)


@pytest.mark.parametrize("seed", SEEDS)
def test_conclusions_agree_with_the_world(seed: int) -> None:
    true, draw = parse(*make_random(seed)), random.Random(seed)
    torn = draw_tears(true, draw)
    model = tear(true, torn)
    result = align(make_task(model), simulate(true), AlignmentOptions(time_limit=10.0, seed=seed))
    truth = find_truth(true, torn)
    for one in (*result.mapping, *result.others):
        is_right = truth.implies(one.proposal.synonym)
        assert not (is_right and one.standing is Standing.REFUTED), one
        assert is_right or one.standing is not Standing.PROVEN, one
    # Of a goal that can be reached it is never said that it can't.
    solvable = align(make_task(true), simulate(true)).status is AlignmentStatus.NOTHING_TO_ALIGN
    if solvable:
        assert result.status not in (AlignmentStatus.NO_PLAN, AlignmentStatus.UNEXPLAINED)
