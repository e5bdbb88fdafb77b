# SPDX-License-Identifier: Apache-2.0
"""What steps do to states, why some can't be done, and the constraints that they newly break."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lidded_boxes import DOMAIN, make_boxes, make_step
from random_worlds import worlds

from fcp_ros.cset import Fact, UnknownElement, facts, find_homs, find_matches, rewrite
from fcp_ros.domain import build_constraint_pattern, build_span
from fcp_ros.domain.derived_facts import FactDerivation, change_facts
from fcp_ros.domain.rule_spans import DomainSpans
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules, UnknownStep, find_new_matches


@pytest.fixture(scope="module")
def rules(household):
    return StepRules(household)


def test_a_step_that_is_being_done_is_foreseen_to_its_end(rules, household, flat, fetch):
    after = rules.apply(fetch[0], flat).instance
    derivation, here = FactDerivation.of(household), Fact("at", ("robot_1", "hall"))
    nowhere = change_facts(derivation, flat, (), (here,))
    assert facts(nowhere) == facts(flat) - {here}, "the robot stands in the door"
    for state in (flat, nowhere, after):
        assert facts(rules.foresee(fetch[:1], state)) == facts(after)
    assert rules.foresee((), flat) is flat


def test_what_is_foreseen_takes_the_place_of_what_is_seen_meanwhile(rules, household, flat, fetch):
    *before, place = fetch
    held = rules.foresee(before, flat)
    on_table = Fact("on", ("mug_1", "table_1"))
    seen = change_facts(FactDerivation.of(household), held, (on_table,), ())
    assert on_table in facts(seen)
    assert facts(rules.foresee([place], seen)) == facts(rules.apply(place, held).instance)


def test_several_steps_are_foreseen_one_after_the_other(rules, flat, fetch):
    state = flat
    for step in fetch:
        state = rules.apply(step, state).instance
    assert facts(rules.foresee(fetch, flat)) == facts(state)
    assert facts(rules.foresee(fetch, state)) == facts(state), "all of it is done already"


def test_a_step_of_another_world_is_not_foreseen(rules, flat, step):
    with pytest.raises(UnknownElement):
        rules.foresee([step("pick", "robot_1", "mug_9", "table_1", "kitchen")], flat)
    with pytest.raises(UnknownStep):
        rules.foresee([step("fly", "robot_1")], flat)


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        ("pick", ("robot_1", "mug_1", "table_1", "kitchen"), r"at\(robot_1, kitchen\) does not"),
        ("pick", ("robot_1", "mug_9", "table_1", "kitchen"), r"no element 'mug_9'"),
        ("pick", ("robot_1", "table_1", "table_1", "kitchen"), r"'table_1' is a 'table'.*'item'"),
        ("navigate", ("robot_1", "hall", "hall", "door_1"), r"connected\(hall, hall, door_1\)"),
        ("take_out", ("robot_1", "milk_1", "fridge_1", "kitchen"), r"at\(robot_1, kitchen\)"),
    ],
)
def test_a_step_that_cannot_be_done_says_why(rules, flat, step, rule, values, said):
    application = rules.apply(step(rule, *values), flat)
    assert application.instance is None
    assert not application.delta
    assert re.search(said, " ".join(application.problems)), application.problems


def test_a_negated_condition_is_named(rules, flat, step, fetch):
    kitchen = rules.apply(fetch[0], flat).instance
    application = rules.apply(step("take_out", "robot_1", "milk_1", "fridge_1", "kitchen"), kitchen)
    assert "closed(fridge_1)" in " ".join(application.problems)


def test_a_constraint_stops_a_step(rules, flat, step, fetch):
    state = rules.apply(fetch[0], flat).instance
    for made in (
        step("open", "robot_1", "fridge_1", "kitchen"),
        step("take_out", "robot_1", "milk_1", "fridge_1", "kitchen"),
    ):
        state = rules.apply(made, state).instance
    spill = rules.apply(step("place", "robot_1", "milk_1", "router_1", "kitchen"), state)
    assert spill.instance is None
    assert "no_liquid_over_electronics" in " ".join(spill.problems)
    assert rules.apply(step("place", "robot_1", "milk_1", "table_1", "kitchen"), state).instance


def test_steps_that_the_domain_does_not_have(rules, flat, step):
    with pytest.raises(UnknownStep, match="no rule 'fly'"):
        rules.apply(step("fly", "robot_1"), flat)
    with pytest.raises(UnknownStep, match="takes the parameters robot, item, support, room"):
        rules.apply(step("pick", "robot_1", "mug_1"), flat)


def test_conditional_effects_belong_to_a_step():
    rules = StepRules(DOMAIN)
    before = make_boxes(("lit", "sock"), ("lit", "ball"), ("inside", "sock", "b1"))
    close = make_step("close", "r1", "b1")
    added, removed = rules.find_effects(close, before)
    assert added == {Fact("closed", ("b1",)), Fact("dark", ("sock",))}
    assert removed == {Fact("lit", ("sock",))}
    delta = rules.apply(close, before).delta
    assert (set(delta.added), set(delta.removed)) == (added, removed)
    empty = rules.find_effects(make_step("close", "r1", "b2"), before)
    assert empty == ({Fact("closed", ("b2",))}, set())


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(world=worlds(), seed=st.integers(0, 1000))
def test_steps_do_what_matches_and_rewriting_say(world, seed):
    """Twin: the step's match among all matches of the rule, all constraint matches compared."""
    domain, state = world
    rules, rng = StepRules(domain), random.Random(seed)
    spans = {rule.name: build_span(rule, domain.schema) for rule in domain.rules.values()}
    patterns = [build_constraint_pattern(c, domain.schema) for c in domain.constraints]
    names = sorted(state.names())

    def count(pattern, target):
        elements = pattern.all_elements()
        return {tuple(m.mapping[e] for e in elements) for m in find_homs(pattern, target)}

    for rule in domain.rules.values():
        if rule.effects:
            continue
        span = spans[rule.name]
        possible = {}
        for match in find_matches(span.rule, state):
            values = {n: state.name_of(match.mapping[i]) for n, i in span.parameters.items()}
            after = rewrite(span.rule, match).instance
            broken = after is not None and any(count(p, after) - count(p, state) for p in patterns)
            possible[tuple(values[n] for n in rule.parameter_names)] = None if broken else after
        tried = [tuple(rng.choices(names, k=len(rule.parameters))) for _ in range(10)]
        for arguments in (*possible, *tried):
            bound = tuple(zip(rule.parameter_names, arguments, strict=True))
            application = rules.apply(PlanStep(rule.name, bound, 1.0, 1.0, 1.0, "x"), state)
            expected = possible.get(arguments)
            assert (application.instance is None) == (expected is None)
            assert bool(application.problems) == (expected is None)
            if expected is not None:
                assert facts(application.instance) == facts(expected)
                step = PlanStep(rule.name, bound, 1.0, 1.0, 1.0, "x")
                added, removed = rules.find_effects(step, state)
                assert facts(expected) == (facts(state) - removed) | added


def by_comparison(pattern, before, after):
    """The slow twin: everything that matches after and did not before."""

    def found(target):
        return {
            ", ".join(
                f"{pattern.name_of(element)} = {target.name_of(match.mapping[element])}"
                for element in pattern.all_elements()
            )
            for match in find_homs(pattern, target)
        }

    return found(after) - found(before)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(world=worlds(), seed=st.integers(0, 1000))
def test_new_matches_are_found_from_what_was_added(world, seed):
    domain, state = world
    constraints = DomainSpans(domain).constraints
    rng = random.Random(seed)
    spans = [build_span(rule, domain.schema) for rule in domain.rules.values()]
    for _ in range(4):
        results = [
            rewrite(span.rule, match) for span in spans for match in find_matches(span.rule, state)
        ]
        results = [result for result in results if result.instance is not None]
        if not results:
            return
        for result in results:
            for _, pattern in constraints:
                matches = find_new_matches(pattern, result.instance, result.change.added)
                found = [
                    ", ".join(f"{name} = {element}" for name, element in binding.items())
                    for binding in matches
                ]
                assert len(found) == len(set(found))
                assert set(found) == by_comparison(pattern, state, result.instance)
        state = rng.choice(results).instance
