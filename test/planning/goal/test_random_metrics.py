# SPDX-License-Identifier: Apache-2.0
"""Random metrics and preferences in preconditions on random ADL tasks, beside trying everything."""

import re
from dataclasses import replace
from fractions import Fraction
from random import Random

from hypothesis import example, given, reject, settings
from hypothesis import strategies as st
from least_cost import TooManyStates, settle
from pddl_interpreter import Interpreter
from pddl_states import name_steps
from random_adl import make_task

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import (
    Conjunction,
    FunctionValue,
    Metric,
    Negation,
    NumericOperation,
    PreferenceFormula,
    ViolationCount,
    is_below,
)
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.ground_step import compute_cost
from fcp_ros.planning.model.result import Measure

LIMIT = 500
OPTIONS = PlanningOptions(optimise=Optimise.COST, time_limit=30.0, improve_time=30.0)
HUGE = re.compile(r"[0-9]{10}")


class MetricTwin:
    """A task whose actions have preferences, and the weights of its metric."""

    def __init__(self, draw: Random, texts) -> None:
        self.texts, self.twin = texts, Interpreter(texts)
        self.weights = {
            name: Fraction(draw.choice((0, 0, 1, 2)), draw.choice((1, 4)))
            for name in ("total-cost", "total-time", "p0", "p1")
        }
        self.preferences = {
            action.name: [
                PreferenceFormula(draw.choice(("p0", "p1")), condition)
                for condition in self._draw_conditions(draw, action)
            ]
            for action in texts.domain.actions
        }

    def _draw_conditions(self, draw: Random, action):
        domain = self.texts.domain
        typed = {
            **{Constant(one.name): one.types for one in domain.constants},
            **{Variable(one.name): one.types for one in action.parameters},
        }
        for _ in range(draw.choice((0, 1, 1, 2))):
            name, legs = draw.choice(sorted(domain.predicates.items()))
            fitting = [
                [t for t, types in typed.items() if is_below(types, leg.types, domain.types)]
                for leg in legs
            ]
            if all(fitting):
                atom = Atom(name, tuple(map(draw.choice, fitting)))
                yield draw.choice((atom, Negation(atom)))

    def write(self):
        """The task in PDDL 3.0."""
        actions = tuple(
            replace(
                action,
                precondition=Conjunction((action.precondition, *self.preferences[action.name])),
            )
            for action in self.texts.domain.actions
        )
        named = {p.name for found in self.preferences.values() for p in found}
        terms = []
        for name, weight in self.weights.items():
            if name.startswith("total") or name in named:
                count = name.startswith("p")
                part = ViolationCount(name) if count else FunctionValue(name)
                terms.append(NumericOperation("*", (weight, part)))
        problem = replace(
            self.texts.problem, metric=Metric(True, NumericOperation("+", tuple(terms)))
        )
        return replace(
            self.texts, domain=replace(self.texts.domain, actions=actions), problem=problem
        )

    def price(self, state, action: str, arguments) -> Fraction:
        """What an action adds to the metric in a state."""
        (found,) = (a for a in self.texts.domain.actions if a.name == action)
        bound = dict(zip((p.name for p in found.parameters), arguments, strict=True))
        total = self.weights["total-cost"] * self.twin.cost(action, arguments)
        total += self.weights["total-time"]
        for preference in self.preferences[action]:
            if not self.twin.holds(preference.body, state, bound):
                total += self.weights[preference.name]
        return total

    def find_best(self) -> Fraction | None:
        """The least metric of all plans."""

        def follow(state):
            for action, arguments, after in self.twin.transitions(state):
                yield self.price(state, action, arguments), after

        ways = settle(self.twin.initial, follow, LIMIT, zero=Fraction(0))
        try:
            return next((spent for spent, state in ways if self.twin.reaches_goal(state)), None)
        except TooManyStates:
            reject()

    def value_plan(self, steps) -> Fraction | None:
        """The metric of a plan; None if it can't be done."""
        state, total = self.twin.initial, Fraction(0)
        for action, arguments in steps:
            after = self.twin.step(state, action, arguments)
            if after is None:
                return None
            total += self.price(state, action, arguments)
            state = after
        return total if self.twin.reaches_goal(state) else None


@settings(max_examples=80)
@example(304)  # an action's cost has no value, and does not count
@given(st.integers(0, 1_000_000))
def test_no_plan_is_better_and_each_costs_what_it_says(seed):
    written = make_task(seed)
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), written, strict=True)))
    twin = MetricTwin(Random(seed), texts)
    best = twin.find_best()
    task = work_out(twin.write())
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, OPTIONS))
    if best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    assert result.plan is not None, (result.status, result.message)
    cost = Fraction(0)
    for step in result.plan.steps:
        cost += compute_cost(task.domain.rules[step.rule], step.elements)
    assert twin.value_plan(list(name_steps(task, result))) == cost >= best
    if Measure.COST in result.optimal_in:
        assert cost == best
    else:  # 10^12 and 1 have no common unit in float64
        assert any(HUGE.search(text) for text in written)
