# SPDX-License-Identifier: Apache-2.0
"""The rest of a plan done without rewriting, against the same done by rewriting each step."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lidded_boxes import DOMAIN, make_boxes, make_step
from random_walks import Walker
from random_worlds import ELEMENTS, worlds

from fcp_ros.cset import InstanceBuilder
from fcp_ros.execution.rest_replay import Obstacle, RestReplay
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules

PROPERTY = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def rewrite_each(rules, steps, order, instance):
    """The slow twin."""
    for index in order:
        application = rules.apply(steps[index], instance)
        if application.instance is None:
            return Obstacle(index, application.reason)
        instance = application.instance
    return None


@st.composite
def changed_plans(draw):
    """(rules, steps, order, instance): mostly of a plan that could be done before something."""
    domain, instance = draw(worlds())
    rng = draw(st.randoms(use_true_random=False))
    _, steps = Walker(domain).walk(instance, rng, draw(st.integers(2, 8)))
    assume(steps)
    others = [draw(any_step(domain)) for _ in range(draw(st.integers(0, 2)))]
    order = list(range(len(steps) + len(others)))
    if draw(st.booleans()):
        rng.shuffle(order)
    return StepRules(domain), (*steps, *others), order, draw(changed(domain, instance))


@st.composite
def any_step(draw, domain):
    """Elements of any types, the same one twice, and some that are not there."""
    rule = draw(st.sampled_from(sorted(domain.rules.values(), key=lambda one: one.name)))
    names = st.sampled_from([*ELEMENTS, "b3"])
    arguments = tuple((name, draw(names)) for name in rule.parameter_names)
    return PlanStep(rule.name, arguments, 1.0, 1.0, 1.0, rule.executor)


@st.composite
def changed(draw, domain, instance):
    """The state with a fact or two more or less."""
    builder = InstanceBuilder.of(instance)
    for _ in range(draw(st.integers(0, 2))):
        relation = draw(st.sampled_from(domain.schema.relations))
        legs = tuple(draw(st.sampled_from(instance.elements(type_))) for _, type_ in relation.legs)
        if not builder.unrelate(relation.name, *legs):
            builder.relate(relation.name, *legs)
    return builder.build(allow_conflicts=True)


@PROPERTY
@given(changed_plans())
def test_it_finds_what_rewriting_each_step_finds(plan):
    rules, steps, order, instance = plan
    replay = RestReplay(rules, steps)
    expected = rewrite_each(rules, steps, order, instance)
    assert replay.find_obstacle(order, instance) == expected
    assert replay.find_obstacle(order, instance) == expected, "by what was kept, too"


class Counted(StepRules):
    """Rules that note which steps they were asked to rewrite."""

    def __init__(self, domain):
        super().__init__(domain)
        self.rewritten = []

    def apply(self, step, instance):
        self.rewritten.append(step)
        return super().apply(step, instance)


@pytest.fixture
def counted(household):
    return Counted(household)


def test_nothing_is_rewritten_while_nothing_speaks_against_the_plan(counted, fetch, flat):
    assert RestReplay(counted, fetch).find_obstacle(range(3), flat) is None
    assert counted.rewritten == []


def test_only_the_step_that_lacks_something_is_rewritten(counted, fetch, flat):
    builder = InstanceBuilder.of(flat)
    builder.unrelate("on", builder.id_of("mug_1"), builder.id_of("table_1"))
    found = RestReplay(counted, fetch).find_obstacle(range(3), builder.build())
    assert found == Obstacle(1, "on(mug_1, table_1) does not hold")
    assert counted.rewritten == [fetch[1]]


def test_a_step_whose_effects_depend_on_the_state_is_rewritten():
    rules = Counted(DOMAIN)
    steps = (make_step("close", "r1", "b1"), make_step("look", "r1", "sock"))
    state = make_boxes(("lit", "sock"), ("inside", "sock", "b1"))
    found = RestReplay(rules, steps).find_obstacle(range(2), state)
    assert found is not None
    assert (found.index, "lit(sock) does not hold" in found.reason) == (1, True)
    assert rules.rewritten[0] == steps[0]
