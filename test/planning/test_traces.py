# SPDX-License-Identifier: Apache-2.0
"""Traces of constraints and preferences along a plan."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.trajectories import round_time
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan
from fcp_ros.planning import traces as module
from fcp_ros.planning.traces import trace_plan
from fcp_ros.planning.verification.stepping import Replay, StepRules

CONDITIONS = (
    "at(bot, hall)",
    "at(bot, kitchen)",
    "on(mug_1, shelf)",
    "holding(bot, mug_1)",
    "(exists ?x: cup (holding(bot, ?x)))",
    "(not on(mug_2, table) or closed(crate))",
)
FORMS = (
    "always {}",
    "never {}",
    "sometime {}",
    "at most once {}",
    "first {} then {}",
    "{} before {}",
    "{} after {}",
    "{} within 2 s",
    "hold {} after 3 s",
    "hold {} during 1 s to 4.5 s",
)


def write_goal(draw, number):
    texts = []
    for _ in range(number):
        form = draw.choice(FORMS)
        texts.append(form.format(*(draw.choice(CONDITIONS) for _ in range(form.count("{}")))))
    return texts


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 100_000))
def test_traces_are_what_the_definition_says_of_each_shorter_plan(house, home, degrees, seed):
    draw = Random(seed)
    wishes = write_goal(draw, 4)
    goal = " and ".join(
        ["on(mug_1, shelf)", "on(mug_2, table)", *(f"prefer 0.01: ({one})" for one in wishes)]
    )
    checked = check_goal(parse_expression(goal), house, home, goal)
    options = PlanningOptions(explain=True, time_limit=20.0)
    result = plan(PlanningRequest(house, home, checked, options, degrees()))
    steps = [(str(step), step) for step in result.plan.steps]
    states = Replay(house, StepRules(house)).run(home, steps, {"battery": 100.0}).states
    reached = [round_time(time) for time in (0.0, *result.plan.schedule.ends)]
    assert result.traces == trace_plan(house, home, goal, result.plan)
    for trace in result.traces:
        condition = check_goal(parse_expression(trace.text), house, home)
        tnorm = tnorm_by_name("lukasiewicz")
        for number, degree in enumerate(trace.degrees):
            before, last = states[:number], states[number]
            assert degree == evaluate(
                condition, last, lambda *_: 1.0, tnorm, before=before, reached=reached[: number + 1]
            )
    names = {one.text for one in result.given_up}
    assert names == {trace.text for trace in result.traces if not trace.kept}


def test_hard_constraints_come_first_and_degrees_are_graded(ask):
    goal = 'prefer 0.5 as fit: serves_as(mug_1, "drinking") and sometime at(bot, hall)'
    result = ask(goal, {"serves_as(mug_1, drinking)": 0.4}, explain=True)
    hard, fit = result.traces
    assert (hard.text, hard.preferred, hard.degrees) == (
        "sometime at(bot, hall)",
        False,
        (0.0, 1.0),
    )
    assert (fit.name, fit.preferred) == ("fit", True)
    assert fit.degrees == pytest.approx((0.4, 0.4))


def test_traces_are_made_if_they_are_asked_for(ask):
    assert ask("sometime at(bot, hall)").traces == ()
    assert ask("on(mug_1, shelf)", explain=True).traces == ()


def test_a_long_plan_is_not_traced(ask, monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 2)
    assert len(ask("on(mug_2, table) and sometime at(bot, hall)", explain=True).traces) == 0


def test_the_least_kept_of_many_are_traced(ask, monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    goal = "prefer 0.1: on(book, table) and prefer 0.1: always at(bot, hall)"
    result = ask(f"on(mug_1, shelf) and {goal} and sometime at(bot, hall)", explain=True)
    assert [trace.text for trace in result.traces] == [
        "sometime at(bot, hall)",
        "always at(bot, hall)",
    ]
