# SPDX-License-Identifier: Apache-2.0
"""Rules on bitsets: the same steps as by rewriting, in the same states, and steps taken back."""

from __future__ import annotations

import itertools
import random
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lidded_boxes import DOMAIN as BOXES
from lidded_boxes import make_boxes
from random_adl import make_task
from random_pddl import tasks
from random_worlds import worlds

from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.joining import UnsupportedRule
from fcp_ros.abstraction.states.state import RelationalState, gather_bits, list_bits
from fcp_ros.cset import Instance, InstanceBuilder, find_conflicts
from fcp_ros.domain.model import Domain, Parameter
from fcp_ros.domain.pddl.source_text import PddlError
from fcp_ros.domain.pddl.task_reader import parse_pddl
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.planning import PlanStep
from fcp_ros.planning.verification.stepping import StepRules

MANY = 2000
"""Combinations of elements of one rule, beyond which only some are tried by rewriting."""


def make_step(rule: str, names: tuple[str, ...], values: tuple[str, ...]) -> PlanStep:
    return PlanStep(rule, tuple(zip(names, values, strict=True)), 1.0, 1.0, 1.0, rule)


def find_successors(
    domain: Domain,
    rules: StepRules,
    instance: Instance,
    draw: random.Random,
    known: list[tuple[str, ...]],
) -> dict[tuple[str, ...], Instance | None]:
    """Try all bindings of all rules by rewriting; of very many some, and those that are known."""
    found: dict[tuple[str, ...], Instance | None] = {}
    for rule in domain.rules.values():
        ranges = [[instance.name_of(e) for e in instance.elements(p.type)] for p in rule.parameters]
        combinations = list(itertools.product(*ranges))
        if len(combinations) > MANY:
            combinations = draw.sample(combinations, MANY)
            combinations += [tuple(step[1:]) for step in known if step[0] == rule.name]
        for values in combinations:
            step = make_step(rule.name, rule.parameter_names, values)
            found[(rule.name, *values)] = rules.apply(step, instance).instance
    return found


def describe(state: RelationalState) -> object:
    """Return the content of a state, which does not change with it."""
    ends = (state.sources, state.targets)
    tables = (state.flags, state.concepts, state.roles, state.inverses, state.wide, *ends)
    return (state.objects, *map(deepcopy, tables))


def compare_walk(domain: Domain, instance: Instance, draw: random.Random, length: int) -> int:
    """Walk at random; compare steps and states with rewriting in each state. Counts the steps."""
    engine, rules = RuleEngine(domain), StepRules(domain)
    state, done = build_state(domain, instance), 0
    for _ in range(length):
        before = (describe(state), dict(state.versions), state.key())
        found = [(rule, *engine.write_step(rule, b, state)) for rule, b in engine.successors(state)]
        assert len(found) == len(set(found))
        expected = find_successors(domain, rules, instance, draw, found)
        applicable = {step: after for step, after in expected.items() if after is not None}
        assert set(found) == set(applicable)
        assert (describe(state), dict(state.versions), state.key()) == before
        if not applicable:
            break
        for (rule, *values), after in applicable.items():
            binding = engine.read_step(rule, tuple(values), state)
            assert binding is not None
            undo = engine.apply(rule, binding, state)
            assert describe(state) == describe(build_state(domain, after))
            assert state.key() == build_state(domain, after).key()
            engine.undo(undo, state)
            assert (describe(state), dict(state.versions), state.key()) == before
        step = draw.choice(sorted(applicable))
        binding = engine.read_step(step[0], step[1:], state)
        assert binding is not None
        engine.apply(step[0], binding, state)
        instance = applicable[step]
        done += 1
    return done


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(worlds(), st.randoms(use_true_random=False))
def test_random_domains(world: tuple[Domain, Instance], draw: random.Random) -> None:
    domain, instance = world
    assume(not find_conflicts(instance))
    compare_walk(domain, instance, draw, 3)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(tasks(), st.randoms(use_true_random=False))
def test_random_pddl(texts: tuple[str, str], draw: random.Random) -> None:
    try:
        task = parse_pddl(*texts)
    except PddlError:
        assume(False)
    compare_walk(task.domain, task.instance, draw, 2)


@pytest.mark.parametrize("seed", range(12))
def test_random_adl(seed: int) -> None:
    task = parse_pddl(*make_task(seed))
    compare_walk(task.domain, task.instance, random.Random(seed), 4)


def test_household(household: Domain, flat: Instance) -> None:
    assert compare_walk(household, flat, random.Random(3), 6) == 6


@pytest.mark.parametrize("seed", range(3))
def test_conditional_effects_for_all_matches(seed: int) -> None:
    boxes = make_boxes(
        ("inside", "sock", "b1"), ("inside", "ball", "b1"), ("lit", "sock"), ("lit", "ball")
    )
    assert compare_walk(BOXES, boxes, random.Random(seed), 3) >= 2


LOOPS = """
domain: loops
version: "1"
types: {thing: [], node: [thing], red: [node]}
relations:
  edge: {legs: {source: node, target: node}}
  face: {legs: {one: node, two: node, three: node}}
  mark: {legs: {node: node}}
attributes: {category: {of: thing, kind: string}}
rules:
  close: {parameters: {a: node, b: node}, when: ['edge(a, a)', 'not edge(b, b)', 'edge(a, b)'],
    add: ['edge(b, b)'], delete: ['edge(a, a)'], duration: 1, executor: act}
  free: {parameters: {a: red}, when: ['not edge(?x, ?x)'], add: ['edge(a, a)'], duration: 1,
    executor: act}
  fold: {parameters: {a: node, b: node, c: red}, when: ['face(a, b, c)', 'not face(a, ?x, a)',
    'not face(?y, ?y, ?y)', 'not mark(?z)'], delete: ['face(a, b, c)'],
    add: ['face(a, c, c)', 'mark(c)'], duration: 1, executor: act}
  split: {parameters: {a: node, b: node}, when: ['face(a, b, b)', 'mark(b)', 'not face(a, a, b)'],
    delete: ['mark(b)', 'face(a, b, b)'], add: ['face(b, b, a)', 'face(b, a, b)'], duration: 1,
    executor: act}
scene: {layers: {}, unknown: node}
"""


KEYS = """
domain: keys
version: "1"
types: {thing: [], item: [thing], spot: [thing]}
relations:
  at: {legs: {item: item, spot: spot}, functional: [item]}
  on: {legs: {item: item, below: item}, functional: [item, below]}
  seen: {legs: {item: item, spot: spot}}
attributes: {category: {of: thing, kind: string}}
rules:
  move: {parameters: {i: item, a: spot, b: spot}, when: ['at(i, a)'], delete: ['at(i, a)'],
    add: ['at(i, b)'], duration: 1, executor: act}
  divide: {parameters: {i: item, a: spot, b: spot}, when: ['at(i, a)'], delete: ['at(i, a)'],
    add: ['at(i, b)'], effects: [{variables: {c: spot}, when: ['seen(i, c)'], add: ['at(i, c)']}],
    duration: 1, executor: act}
  drop: {parameters: {i: item, a: spot}, when: ['not at(i, a)'], add: ['at(i, a)'], duration: 1,
    executor: act}
  place: {parameters: {i: item, a: spot}, when: ['not at(i, ?any)'], delete: [],
    add: ['at(i, a)', 'seen(i, a)'],
    duration: 1, executor: act}
  lift: {parameters: {i: item, a: spot}, when: ['at(i, a)'], delete: ['at(i, a)'], duration: 1,
    executor: act}
  stack: {parameters: {i: item, j: item}, when: ['not on(i, ?any)'], add: ['on(i, j)'], duration: 1,
    executor: act}
  swap: {parameters: {i: item, j: item, k: item}, when: ['on(i, j)', 'not on(k, ?any)'],
    delete: ['on(i, j)'], add: ['on(i, k)', 'on(k, j)'], duration: 1, executor: act}
scene: {layers: {}, unknown: item}
"""


@pytest.mark.parametrize("seed", range(6))
def test_steps_that_would_break_functional_legs(seed: int) -> None:
    domain, draw = parse_domain(KEYS), random.Random(seed)
    builder = InstanceBuilder(domain.schema)
    items = [builder.add("item", f"i{n}") for n in range(3)]
    spots = [builder.add("spot", f"s{n}") for n in range(3)]
    builder.relate("at", items[0], spots[0])
    builder.relate("seen", items[0], spots[2])
    builder.relate("on", items[1], items[2])
    compare_walk(domain, builder.build(), draw, 10)


@pytest.mark.parametrize(("with_new", "steps"), [(False, 2), (True, 0)])
def test_what_is_deleted_and_added_stays(with_new: bool, steps: int) -> None:
    domain = parse_domain(KEYS)
    move = domain.rules["move"]
    added = (*move.delete, *move.add) if with_new else move.delete
    domain = replace(domain, rules={"move": replace(move, add=added)})
    builder = InstanceBuilder(domain.schema)
    item, spot, _ = (
        builder.add(type_, f"{type_}{n}") for n, type_ in enumerate(("item", "spot", "spot"))
    )
    builder.relate("at", item, spot)
    assert compare_walk(domain, builder.build(), random.Random(0), 2) == steps


@pytest.mark.parametrize("seed", range(8))
def test_loops_and_wide_relations(seed: int) -> None:
    domain, draw = parse_domain(LOOPS), random.Random(seed)
    builder = InstanceBuilder(domain.schema)
    nodes = [builder.add(type_, f"n{i}") for i, type_ in enumerate(("node", "red", "red"))]
    for _ in range(5):
        builder.relate("edge", draw.choice(nodes), draw.choice(nodes))
        builder.relate("face", *(draw.choice(nodes) for _ in range(3)))
    compare_walk(domain, builder.build(), draw, 6)


def test_constraints_of_parameters(household: Domain, flat: Instance) -> None:
    """Bindings with a constraint are those without it that satisfy it."""
    engine, state = RuleEngine(household), build_state(household, flat)
    draw = random.Random(5)
    for _ in range(40):
        for rule in household.rules:
            names = engine.parameters(rule)
            everything = list(engine.bindings(rule, state))
            wanted = {
                name: gather_bits(draw.sample(range(len(state.objects)), 6), len(state.objects))
                for name in draw.sample(names, min(2, len(names)))
            }
            expected = [
                binding
                for binding in everything
                if all(binding[names.index(n)] in list_bits(bits) for n, bits in wanted.items())
            ]
            assert sorted(engine.bindings(rule, state, wanted)) == sorted(expected)
        engine.apply(*draw.choice(list(engine.successors(state))), state)


def test_unknown_rules_have_no_bindings(household: Domain, flat: Instance) -> None:
    engine, state = RuleEngine(household), build_state(household, flat)
    assert list(engine.bindings("fly", state)) == []


def test_a_parameter_that_takes_words_is_refused(household: Domain) -> None:
    rule = household.rules["navigate"]
    worded = replace(rule, parameters=(*rule.parameters, Parameter("how", "text")))
    with pytest.raises(UnsupportedRule, match="takes words"):
        RuleEngine(replace(household, rules={"navigate": worded}))


PILE = """(define (domain pile)
  (:predicates (heavier ?a ?b) (packed ?a) (loose ?a) (on-top ?a) (empty))
  (:action begin :parameters (?a) :precondition (and (empty) (loose ?a))
    :effect (and (not (empty)) (packed ?a) (on-top ?a) (not (loose ?a))))
  (:action add :parameters (?a ?b)
    :precondition (and (packed ?a) (on-top ?a) (heavier ?a ?b) (loose ?b))
    :effect (and (packed ?b) (on-top ?b) (not (on-top ?a)) (not (loose ?b)))))"""


def test_conditions_that_no_parameter_takes_part_in_are_looked_at_once(monkeypatch) -> None:
    """`begin` needs that nothing is on top: one look, however many could begin (issue 28)."""
    names = [f"i{n}" for n in range(30)]
    loose = " ".join(f"(loose {name})" for name in names)
    task = parse_pddl(
        PILE,
        f"(define (problem p) (:domain pile) (:objects {' '.join(names)})"
        f" (:init (empty) {loose}) (:goal (packed i1)))",
    )
    state, engine = build_state(task.domain, task.instance), RuleEngine(task.domain)
    engine.apply("begin", next(engine.bindings("begin", state)), state)
    looks = 0
    list_tuples = RelationalState.list_tuples

    def count(self, form):
        nonlocal looks
        looks += 1
        return list_tuples(self, form)

    monkeypatch.setattr(RelationalState, "list_tuples", count)
    assert list(engine.bindings("begin", state)) == []
    assert looks <= 1
