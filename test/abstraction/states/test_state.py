# SPDX-License-Identifier: Apache-2.0
"""States of bitsets hold what their instances hold, and tell states apart."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from fcp_ros.abstraction.states.building import UnsupportedGoal, build_state, list_goal_atoms
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import (
    RelationalState,
    gather_bits,
    list_bits,
    list_forms,
    read_vocabulary,
)
from fcp_ros.cset import Fact, Instance, InstanceBuilder, facts
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl.task_reader import parse_pddl, read_pddl
from fcp_ros.domain.yaml.domain_files import parse_domain

LIFT = """(define (domain lift) (:requirements :typing) (:types floor)
  (:predicates (at ?f - floor) (above ?a ?b - floor) (moving))
  (:action up :parameters (?a ?b - floor) :precondition (and (at ?a) (above ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (moving))))"""


def read_lift(places: str) -> tuple[Domain, Instance]:
    task = parse_pddl(
        LIFT,
        f"""(define (problem p) (:domain lift) (:objects a b c - floor)
        (:init {places} (above a b) (above b c)) (:goal (at c)))""",
    )
    return task.domain, task.instance


def name_all(state: RelationalState, bits: int) -> set[str]:
    return {state.objects[bit] for bit in list_bits(bits)}


def test_types_hold_of_subtypes_too(household: Domain, flat: Instance) -> None:
    state = build_state(household, flat)
    for type_ in household.schema.types:
        expected = {flat.name_of(i) for i in flat.elements(type_)}
        assert name_all(state, state.concepts[type_]) == expected


def test_relations_are_those_of_the_instance(household: Domain, flat: Instance) -> None:
    state = build_state(household, flat)
    forms = list_forms(household.schema)
    found = set()
    for form in forms.values():
        for fact in facts(flat, [form.name]):
            legs = tuple(state.positions[name] for name in fact.arguments)
            assert state.holds(form, legs)
            found.add(fact)
    assert found == set(facts(flat))
    pairs = sum(bits.bit_count() for bits in state.roles["on"])
    assert pairs == len(flat.tuples("on")) == sum(b.bit_count() for b in state.inverses["on"])
    (passage,) = (n for n in ("connected.from.passage",) if n in state.roles)
    kitchen = state.positions["kitchen"]
    assert name_all(state, state.roles[passage][kitchen]) == {"door_1"}
    assert name_all(state, state.roles["connected.from.to"][kitchen]) == {"hall"}


def test_the_world_of_pddl_is_left_out() -> None:
    # With two places at once, nothing proves that there is one: `at` has no leg `world` then.
    for places, known in (("(at a)", {"a"}), ("(at a) (at b)", {"a", "b"})):
        domain, instance = read_lift(places)
        assert read_vocabulary(domain).fluent == {"at", "moving"}
        state = build_state(domain, instance, (Fact("at", instance_arguments(domain, "c")),))
        assert state.objects == ("a", "b", "c")
        assert name_all(state, state.concepts["at"]) == known
        assert name_all(state, state.concepts["goal.at"]) == {"c"}
        assert state.flags == {"moving": False}


def instance_arguments(domain: Domain, floor: str) -> tuple[str, ...]:
    return ("world", floor)[-len(domain.schema.relation("at").legs) :]


def test_both_readings_have_one_vocabulary() -> None:
    first, second = (read_lift(p)[0] for p in ("(at a)", "(at a) (at b)"))
    assert first.schema != second.schema
    assert read_vocabulary(first, ["at"]) == read_vocabulary(second, ["at"])


def test_constants_of_actions_are_concepts() -> None:
    task = parse_pddl(
        """(define (domain d) (:constants home away) (:predicates (at ?x) (busy))
          (:action leave :parameters () :precondition (at home)
            :effect (and (at away) (not (at home)))))""",
        "(define (problem p) (:domain d) (:objects shop) (:init (at home)) (:goal (at away)))",
    )
    state = build_state(task.domain, task.instance)
    assert name_all(state, state.concepts["object.home"]) == {"home"}
    assert name_all(state, state.concepts["object.away"]) == {"away"}
    assert "object.shop" not in state.concepts
    assert not any(name.startswith("only.") for name in state.concepts)


def test_constants_that_the_problem_spells_otherwise(repository: Path) -> None:
    folder = repository / "test" / "data" / "pddl"
    task = read_pddl(folder / "courier.pddl", folder / "courier-1.pddl")
    state = build_state(task.domain, task.instance)
    assert name_all(state, state.concepts["object.depot"]) == {"Depot"}
    engine = RuleEngine(task.domain)
    for binding in engine.bindings("ride", state):
        undo = engine.apply("ride", binding, state)
        if name_all(state, state.concepts["courier-in"]) == {"Depot"}:
            break
        engine.undo(undo, state)
    assert "fetch" in {rule for rule, _ in engine.successors(state)}


def test_truth_values_are_concepts() -> None:
    domain = parse_domain(
        """
domain: ward
version: "1.0"
types: {thing: [], room: [thing], bed: [thing]}
relations: {made: {legs: {bed: bed}}}
attributes: {category: {of: thing, kind: string}, reserved: {of: bed, kind: bool}}
rules:
  make: {parameters: {bed: bed}, when: ['not made(bed)'], add: ['made(bed)'], duration: 1,
    executor: make}
scene: {layers: {room: room}, unknown: thing}
"""
    )
    builder = InstanceBuilder(domain.schema)
    for name, reserved in (("bed_1", True), ("bed_2", False), ("bed_3", None)):
        builder.add("bed", name, {} if reserved is None else {"reserved": reserved})
    state = build_state(domain, builder.build())
    assert name_all(state, state.concepts["reserved"]) == {"bed_1"}


def test_bitsets_from_elements() -> None:
    for elements in ([], [0], [3, 7, 8], [64, 5000, 12]):
        assert sorted(elements) == list(list_bits(gather_bits(elements, 5001)))


def test_keys_and_versions_follow_random_changes(household: Domain, flat: Instance) -> None:
    """Equal content has equal keys, and one version of a name has one content."""
    draw = random.Random(1)
    forms = [f for f in list_forms(household.schema).values() if f.name in ("on", "closed", "at")]
    state = build_state(household, flat)
    state.key()
    contents: dict[tuple[str, int], object] = {}
    keys: dict[int, object] = {}
    for _ in range(300):
        form = draw.choice(forms)
        legs = tuple(draw.randrange(4) for _ in form.legs)
        state.set_tuple(form, legs, draw.random() < 0.5)
        changed = state.copy()
        changed.set_tuple(form, legs, draw.random() < 0.5)
        for one in (state, changed):
            content = describe(one)
            fresh = one.copy()
            fresh._digest = None
            assert fresh.key() == one.key()
            assert keys.setdefault(one.key(), content) == content
            for name, version in one.versions.items():
                assert contents.setdefault((name, version), content[name]) == content[name]
    assert len(keys) == len({repr(content) for content in keys.values()}) > 50


def describe(state: RelationalState) -> dict[str, object]:
    for name, rows in state.roles.items():
        inverse = [
            gather_bits((s for s, r in enumerate(rows) if r >> t & 1), len(rows))
            for t in range(len(rows))
        ]
        assert inverse == state.inverses[name]
        assert list(list_bits(state.sources[name])) == [s for s, row in enumerate(rows) if row]
        assert list(list_bits(state.targets[name])) == [t for t, row in enumerate(inverse) if row]
    return {
        **state.flags,
        **state.concepts,
        **{name: tuple(rows) for name, rows in state.roles.items()},
    }


def test_wide_relations_keep_their_pairs(household: Domain, flat: Instance) -> None:
    """A pair goes with the last tuple that has it."""
    state = build_state(household, flat)
    form = list_forms(household.schema)["connected"]
    draw = random.Random(2)
    known = set(state.wide["connected"])
    for _ in range(200):
        legs = tuple(draw.randrange(3) for _ in range(3))
        value = draw.random() < 0.5
        state.set_tuple(form, legs, value)
        (known.add if value else known.discard)(legs)
        assert state.wide["connected"] == known
        for place, name in enumerate(form.names):
            expected = {list(combinations(t, 2))[place] for t in known}
            rows = state.roles[name]
            assert {(s, t) for s, bits in enumerate(rows) for t in list_bits(bits)} == expected


# --- Conjunctive goals are worked out as facts; the rest is refused with a reason


def list_texts(goal: str, domain: Domain, instance: Instance) -> list[str]:
    checked = check_goal(parse_expression(goal), domain, instance, goal)
    return [str(fact) for fact in list_goal_atoms(checked, instance, domain)]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("on(mug_1, table_1) and closed(fridge_1)", ["on(mug_1, table_1)", "closed(fridge_1)"]),
        ("forall ?c: cup (on(?c, table_1))", ["on(mug_1, table_1)", "on(mug_2, table_1)"]),
        (
            "forall ?i: item (not is_a(?i, drink) or inside(?i, fridge_1))",
            ["inside(milk_1, fridge_1)"],
        ),
        ("inside(milk_1, ?f)", ["inside(milk_1, fridge_1)"]),
        ("exists ?r: room (in_room(table_1, ?r) and at(robot_1, ?r))", ["at(robot_1, kitchen)"]),
        ("not in_room(table_1, hall) and closed(door_1)", ["closed(door_1)"]),
        ("in_room(table_1, kitchen)", []),
        ("forall ?d: openable (initially (closed(?d)) or closed(?d))", ["closed(door_1)"]),
        ("forall ?d: window (closed(?d))", []),
        ("forall ?c: cup (same(?c, mug_1) or on(?c, table_1))", ["on(mug_2, table_1)"]),
    ],
)
def test_facts_of_goals(goal: str, expected: list[str], household: Domain, flat: Instance) -> None:
    assert list_texts(goal, household, flat) == expected


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("not closed(door_1)", "absence"),
        ("on(mug_1, table_1) or on(mug_2, table_1)", "leaves a choice"),
        ("exists ?c: cup (on(?c, table_1))", "leaves a choice"),
        ("forall ?c: cup (on(?c, table_1) or not on(?c, table_1))", "absence"),
        ("never closed(door_1)", "end state"),
        ("prefer 0.5: closed(door_1)", "end state"),
        ("in_room(table_1, hall)", "never hold"),
        ('on(?x, table_1) and serves_as(?x, "drinking")', "degrees"),
    ],
)
def test_refused_goals(goal: str, reason: str, household: Domain, flat: Instance) -> None:
    with pytest.raises(UnsupportedGoal, match=reason):
        list_texts(goal, household, flat)
