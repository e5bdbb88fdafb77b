# SPDX-License-Identifier: Apache-2.0
"""Random constraints and preferences on random ADL tasks, beside PDDL3 by definition."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from least_cost import TooManyStates
from pddl3_search import SEQUENCE, START, Judge, Preferred, Requirements, advance, is_kept
from pddl_interpreter import Interpreter
from pddl_states import name_steps
from random_adl import make_task
from random_pddl3 import OPERATORS, RequirementDrawer, write_requirements
from trajectory_definition import is_kept_by_definition

from fcp_ros.domain.expressions.syntax import And, TrajectoryConstraint, to_text
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import TRUE, Conjunction, TrajectoryFormula
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, conflicts, plan
from fcp_ros.planning.model.result import Measure, PriceKind

LIMIT = 1_000
OPTIONS = PlanningOptions(optimise=Optimise.COST, time_limit=100.0, improve_time=100.0)
HUGE = re.compile(r"[0-9]{10}")


@given(
    st.sampled_from(sorted(OPERATORS)),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1),
)
def test_judging_forwards_is_the_definition(operator, states):
    parts = OPERATORS[operator]
    constraint = TrajectoryFormula(operator, (), (TRUE,) * parts)
    known = START[operator]
    for state in states:
        known = advance(constraint, known, state[:parts])
    truths = [[state[part] for state in states] for part in range(parts)]
    if parts == 2:
        truths.reverse()  # the goal language names the other condition first
    assert is_kept_by_definition(TrajectoryOperator(operator), truths) == is_kept(constraint, known)


@settings(max_examples=50)
@given(st.integers(0, 100_000))
def test_no_plan_is_better_and_claims_are_true(seed):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    wanted = RequirementDrawer(Random(seed), texts).requirements(texts.problem.goal)
    judge = Judge(Interpreter(texts), wanted)
    best = find_best(judge)
    task = work_out(write_requirements(texts, wanted))
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, OPTIONS))
    if best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.plan is not None, (result.status, result.message)
    steps = list(name_steps(task, result))
    value = judge.value_plan(steps)
    assert value is not None, "the plan can't be done"
    assert value >= best
    assert judge.value_plan(steps, costs=False) == sum(Fraction(g.cost) for g in result.given_up)
    if Measure.COST in result.optimal_in:
        assert value == best
    else:  # 10^12 and 1 have no common unit in float64
        assert any(HUGE.search(text) for text in make_task(seed))


@settings(max_examples=24)
@given(st.integers(0, 100_000))
def test_sequences_take_as_few_steps_as_possible(seed):
    """`first A then B then C`, which PDDL3 lacks."""
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    writer = RequirementDrawer(Random(seed), texts)
    parts = tuple(writer.literal() for _ in range(3))
    chain = TrajectoryFormula(SEQUENCE, (), parts)
    judge = Judge(Interpreter(texts), Requirements(TRUE, (chain,), (), Fraction(0)))
    best = find_best(judge, steps=True)
    sometimes = tuple(TrajectoryFormula("sometime", (), (part,)) for part in parts)
    task = work_out(write_requirements(texts, Requirements(TRUE, sometimes, (), Fraction(0))))
    assume(isinstance(task.goal, And) and len(task.goal.parts) == 3)
    assert all(isinstance(part, TrajectoryConstraint) for part in task.goal.parts)
    goal = TrajectoryConstraint(
        TrajectoryOperator.FIRST_THEN, tuple(part.parts[0] for part in task.goal.parts)
    )
    result = plan(PlanningRequest(task.domain, task.instance, goal))
    if best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.plan is not None, (result.status, result.message)
    assert judge.value_plan(list(name_steps(task, result))) is not None
    assert len(result.plan.steps) >= best
    if Measure.STEPS in result.optimal_in:
        assert len(result.plan.steps) == best


def harden(wanted: Requirements, preference: Preferred) -> Requirements:
    """The requirements with a preference that may not be given up."""
    left = tuple(p for p in wanted.preferences if p is not preference)
    if isinstance(preference.body, TrajectoryFormula):
        constraints = (*wanted.constraints, preference.body)
        return replace(wanted, preferences=left, constraints=constraints)
    return replace(wanted, preferences=left, goal=Conjunction((wanted.goal, preference.body)))


@settings(max_examples=24)
@given(st.integers(0, 100_000))
def test_prices_are_those_of_hard_preferences(seed):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    wanted = RequirementDrawer(Random(seed), texts).quarrel(texts.problem.goal)
    task = work_out(write_requirements(texts, wanted))
    options = replace(OPTIONS, explain=True)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    assume(result.plan and not any(HUGE.search(text) for text in make_task(seed)))
    twin = Interpreter(texts)
    steps = list(name_steps(task, result))
    value = Judge(twin, wanted).value_plan(steps)
    found = {one.name: find_increase(one.price) for one in result.given_up}
    expected = {}
    for preference in wanted.preferences:
        hard = Judge(twin, harden(wanted, preference))
        if hard.value_plan(steps) is None and preference.price:
            best = find_best(hard)
            expected[preference.name] = math.inf if best is None else float(best - value)
    assert found == pytest.approx(expected)


@settings(max_examples=24)
@given(st.integers(0, 100_000))
def test_conflicts_are_minimal(seed):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    writer, goal = RequirementDrawer(Random(seed), texts), texts.problem.goal
    conditions = goal.parts if isinstance(goal, Conjunction) else (goal,)
    parts = (*conditions, *(writer.constraint() for _ in range(3)))
    task = work_out(write_requirements(texts, collect(parts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conflicts, "LEAST", 15.0)  # time enough on a busy machine
        result = plan(PlanningRequest(task.domain, task.instance, task.goal, OPTIONS))
    if result.conflict is None:
        assert result.status.solved or not isinstance(task.goal, And)
        return
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert result.conflict.minimal
    named = {
        to_text(work_out(write_requirements(texts, collect([part]))).goal): part for part in parts
    }
    core = [named[text] for text in result.conflict.parts]
    twin = Interpreter(texts)
    assert find_best(Judge(twin, collect(core))) is None
    for part in core:
        rest = collect([other for other in core if other is not part])
        assert find_best(Judge(twin, rest)) is not None


def collect(parts) -> Requirements:
    """Conditions and constraints, all of them hard."""
    constraints = tuple(part for part in parts if isinstance(part, TrajectoryFormula))
    conditions = tuple(part for part in parts if not isinstance(part, TrajectoryFormula))
    return Requirements(Conjunction(conditions), constraints, (), Fraction(0))


def find_increase(price) -> float:
    if price.kind is PriceKind.IMPOSSIBLE:
        return math.inf
    assert price.kind is PriceKind.KNOWN
    assert price.measure is Measure.COST
    return price.more


def find_best(judge: Judge, *, steps: bool = False) -> Fraction | None:
    try:
        return judge.find_best(LIMIT, steps=steps)
    except TooManyStates:
        assume(False)
    raise AssertionError("unreachable")
