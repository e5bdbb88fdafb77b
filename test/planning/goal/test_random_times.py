# SPDX-License-Identifier: Apache-2.0
"""Random constraints with times on random ADL tasks with durations, beside their definition."""

import re
from dataclasses import replace
from fractions import Fraction
from random import Random
from unittest.mock import patch

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from least_cost import TooManyStates
from pddl3_search import Preferred, Requirements
from pddl_interpreter import Interpreter
from pddl_states import name_steps
from random_adl import make_task
from random_pddl3 import RequirementDrawer, write_requirements
from timed_search import TimedJudge, begin, is_kept, pass_ticks, reach
from trajectory_definition import is_kept_by_definition

from fcp_ros.domain.expressions.structure import has_constraints
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Duration
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import TRUE, TrajectoryFormula
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal import trajectory_effects
from fcp_ros.planning.model.result import Measure

PARTS = {"within": 1, "hold-after": 1, "hold-during": 1, "always-within": 2}
TICK = 0.1
"""Seconds; sums of it are no exact floats."""
LIMIT = 2_000
OPTIONS = PlanningOptions(optimise=Optimise.COST, time_limit=30.0, improve_time=30.0)
HUGE = re.compile(r"[0-9]{10}")


def draw_times(draw: Random, operator: str) -> tuple[int, ...]:
    first = draw.choice((0, 1, 2, 3, 4, 6))
    return (first, first + draw.choice((1, 2, 4))) if operator == "hold-during" else (first,)


@given(
    st.sampled_from(sorted(PARTS)),
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1),
    st.randoms(use_true_random=False),
)
def test_judging_forwards_is_the_definition(operator, states, draw):
    times = draw_times(draw, operator)
    constraint = TrajectoryFormula(operator, times, (TRUE,) * PARTS[operator])
    truths = [state[: PARTS[operator]] for state in states]
    known, now, reached = begin(constraint, truths[0]), 0, [0]
    for before, (truth, ticks) in zip(
        truths, ((t, s[2]) for t, s in zip(truths[1:], states[1:], strict=True)), strict=False
    ):
        known = pass_ticks(constraint, known, before, now, ticks)
        now += ticks
        known = reach(constraint, known, truth, now)
        reached.append(now)
    by_part = [[truth[part] for truth in truths] for part in range(PARTS[operator])][::-1]
    decided = is_kept_by_definition(
        TrajectoryOperator(operator),
        by_part,
        tuple(map(Fraction, reached)),
        tuple(map(Fraction, times)),
    )
    assert decided == is_kept(constraint, known, truths[-1], now)


class TimedDrawer(RequirementDrawer):
    """Writes random requirements with times, in ticks."""

    def __init__(self, draw, texts):
        super().__init__(draw, texts)
        self._operators = ["within", "hold-after", draw.choice(("hold-during", "always-within"))]

    def constraint(self):
        operator = self._draw.choice(self._operators)
        times = draw_times(self._draw, operator)
        parts = tuple(self.condition() for _ in range(PARTS[operator]))
        return TrajectoryFormula(operator, times, parts)

    def requirements(self, goal):
        draw = self._draw
        hard = tuple(self.constraint() for _ in range(draw.choice((0, 1, 1, 2))))
        preferences = tuple(
            Preferred(f"p{number}", self.constraint(), Fraction(draw.choice((0, 1, 2, 5, 7))))
            for number in range(draw.choice((0, 1, 1, 2)))
        )
        weight = Fraction(draw.choice((1, 3)))
        return Requirements(goal if draw.random() < 0.6 else TRUE, hard, preferences, weight)


def in_seconds(constraint: TrajectoryFormula) -> TrajectoryFormula:
    return replace(constraint, times=tuple(ticks * TICK for ticks in constraint.times))


def read_timed(texts, wanted, durations):
    """The task with these requirements, and with durations."""
    preferences = tuple(replace(p, body=in_seconds(p.body)) for p in wanted.preferences)
    seconds = replace(
        wanted, constraints=tuple(map(in_seconds, wanted.constraints)), preferences=preferences
    )
    task = work_out(write_requirements(texts, seconds))
    rules = {
        name: replace(rule, duration=Duration(durations[task.forms[name].action.lower()] * TICK))
        for name, rule in task.domain.rules.items()
    }
    return replace(task, domain=replace(task.domain, rules=rules, timed=True))


@settings(max_examples=20)
@example(54, True)  # a step of 3 * 0.1 s ends by 0.3 s
@example(260, True)  # no operator is left
@given(st.integers(0, 100_000), st.booleans())
def test_no_plan_is_better_and_claims_are_true(seed, prunes):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    draw = Random(seed)
    wanted = TimedDrawer(draw, texts).requirements(texts.problem.goal)
    durations = {action.name: draw.choice((0, 1, 1, 2, 3)) for action in texts.domain.actions}
    judge = TimedJudge(Interpreter(texts), wanted, durations)
    try:
        best = judge.find_best(LIMIT)
    except TooManyStates:
        assume(False)
    task = read_timed(texts, wanted, durations)
    assume(has_constraints(task.goal))
    with patch.object(trajectory_effects, "MAX_PRUNING", 8 if prunes else 0):
        result = plan(PlanningRequest(task.domain, task.instance, task.goal, OPTIONS))
    if best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.plan is not None, (result.status, result.message)
    schedule = result.plan.schedule
    starts = [round(start / TICK, 6) for start in schedule.starts]
    assert all(start == int(start) for start in starts)
    value = judge.value_plan(list(name_steps(task, result)), map(int, starts))
    assert value is not None, "the plan can't be done"
    assert value >= best
    if Measure.COST in result.optimal_in:
        assert value == best
    else:  # 10^12 and 1 have no common unit in float64
        assert any(HUGE.search(text) for text in make_task(seed))
