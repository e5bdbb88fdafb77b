# SPDX-License-Identifier: Apache-2.0
"""Random constraints and preferences for a task: what it is to be judged by, and as PDDL 3.0."""

from dataclasses import replace
from fractions import Fraction
from random import Random

from pddl3_search import Preferred, Requirements
from pddl_interpreter import Interpreter

from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.domain.pddl.syntax_tree import (
    TRUE,
    Conjunction,
    Disjunction,
    FunctionValue,
    Metric,
    Negation,
    NumericOperation,
    PreferenceFormula,
    TrajectoryFormula,
    ViolationCount,
)
from fcp_ros.domain.pddl.task_reader import PddlTexts

OPERATORS = {
    "always": 1,
    "sometime": 1,
    "at-most-once": 1,
    "sometime-after": 2,
    "sometime-before": 2,
}
"""Numbers of conditions."""


class RequirementDrawer:
    """Draws random requirements for a task."""

    def __init__(self, draw: Random, texts: PddlTexts) -> None:
        self._draw = draw
        self._twin = Interpreter(texts)
        fluent = {
            atom.predicate
            for action in texts.domain.actions
            for effect in action.effects
            for atom in (*effect.add, *effect.delete)
        }
        self._atoms = [
            Atom(name, tuple(Constant(bound[leg.name]) for leg in legs))
            for name, legs in texts.domain.predicates.items()
            for bound in self._twin.bindings(legs)
            if name in fluent or draw.random() < 0.2
        ] or [TRUE]

    def literal(self):
        atom = self._draw.choice(self._atoms)
        return Negation(atom) if self._draw.random() < 0.4 else atom

    def condition(self):
        kind = self._draw.random()
        if kind < 0.5:
            return self.literal()
        parts = tuple(self.literal() for _ in range(2))
        return (Conjunction if kind < 0.75 else Disjunction)(parts)

    def constraint(self):
        operator = self._draw.choice(sorted(OPERATORS))
        return TrajectoryFormula(
            operator, (), tuple(self.condition() for _ in range(OPERATORS[operator]))
        )

    def requirements(self, goal) -> Requirements:
        draw = self._draw
        hard = tuple(self.constraint() for _ in range(draw.choice((0, 0, 1, 1, 2))))
        preferences = tuple(
            Preferred(
                f"p{number % 2 if draw.random() < 0.3 else number}",
                self.constraint() if draw.random() < 0.5 else self.condition(),
                Fraction(0),
            )
            for number in range(draw.choice((0, 1, 2, 3)))
        )
        prices = {
            name: Fraction(draw.choice((0, 1, 2, 5, 7)))
            for name in sorted({p.name for p in preferences})
        }
        preferences = tuple(replace(p, price=prices[p.name]) for p in preferences)
        weight = Fraction(draw.choice((0, 1, 3)))
        return Requirements(goal if draw.random() < 0.6 else TRUE, hard, preferences, weight)

    def quarrel(self, goal) -> Requirements:
        """Requirements with preferences of which no plan fulfils all."""
        draw, wanted = self._draw, self.requirements(goal)
        one, other = self.condition(), self.constraint()
        bodies = (one, Negation(one), other, TrajectoryFormula("always", (), (Negation(one),)))
        preferences = tuple(
            Preferred(f"q{number}", body, Fraction(draw.choice((1, 2, 5))))
            for number, body in enumerate(bodies)
        )
        return replace(wanted, preferences=preferences)


def write_requirements(texts: PddlTexts, wanted: Requirements) -> PddlTexts:
    """The task with these requirements, as PDDL3."""
    in_goal = [p for p in wanted.preferences if not isinstance(p.body, TrajectoryFormula)]
    others = [p for p in wanted.preferences if isinstance(p.body, TrajectoryFormula)]
    goal = Conjunction((wanted.goal, *(PreferenceFormula(p.name, p.body) for p in in_goal)))
    constraints = Conjunction(
        (*wanted.constraints, *(PreferenceFormula(p.name, p.body) for p in others))
    )
    terms = [
        NumericOperation("*", (price, ViolationCount(name)))
        for name, price in {p.name: p.price for p in wanted.preferences}.items()
    ]
    cost = NumericOperation("*", (wanted.cost_weight, FunctionValue("total-cost")))
    problem = replace(
        texts.problem,
        goal=goal,
        constraints=constraints if constraints.parts else TRUE,
        metric=Metric(True, NumericOperation("+", (cost, *terms))),
    )
    return replace(texts, problem=problem)
