# SPDX-License-Identifier: Apache-2.0
"""Random goals and states of the household, for what must be right of any goal.

`draw_goal` draws any form of the goal language; `draw_condition` only what one state decides.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from fcp_ros.cset import Instance, InstanceBuilder, Schema
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Term,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import IS_A

ITEMS = ("mug_1", "mug_2", "plate_1", "O(3)")
SUPPORTS = ("table_1", "counter_1")
LABELS = ("mug", "plate", "table", "dining table")
RANGES = ("mug", "plate", "item", "surface", "table")
PURPOSES = ("drinking", "wiping a surface")


def build_small_home(schema: Schema, rng: random.Random) -> Instance:
    """Build a home of a few things, with facts drawn at random."""
    builder = InstanceBuilder(schema)
    ids = {"robot_1": builder.add("robot", "robot_1", {"category": "robot"})}
    for name, type_, category in (
        *(("mug_1", "cup", "mug"), ("mug_2", "cup", "coffee mug"), ("plate_1", "dish", "plate")),
        *(("O(3)", "cup", "glass"), ("table_1", "table", "dining_table")),
        *(("counter_1", "counter", "counter"), ("fridge_1", "fridge", "refrigerator")),
    ):
        ids[name] = builder.add(type_, name, {"category": category})
    for item in ITEMS:
        place = rng.choice((*SUPPORTS, ""))
        if place:
            builder.relate("on", ids[item], ids[place])
    for support in SUPPORTS:
        if rng.random() < 0.5:
            builder.relate("dirty", ids[support])
    if rng.random() < 0.5:
        builder.relate("closed", ids["fridge_1"])
    if rng.random() < 0.5:
        builder.relate("holding", ids["robot_1"], ids[rng.choice(ITEMS)])
    return builder.build()


def draw_condition(
    rng: random.Random, depth: int, bound: Sequence[str] = (), graded: bool = False
) -> Expression:
    """Draw a condition that holds or fails in one state."""
    kind = rng.randrange(10) if depth > 0 else 0
    below = depth - 1
    if kind < 3:
        return _draw_atom(rng, bound, graded)
    if kind == 3:
        return Not(draw_condition(rng, below, bound, graded))
    if kind in (4, 5):
        parts = tuple(draw_condition(rng, below, bound, graded) for _ in range(rng.choice((2, 3))))
        return And(parts) if kind == 4 else Or(parts)
    if kind == 6:
        return Initially(draw_condition(rng, below, bound))
    variables = _draw_variables(rng, bound)
    inner = (*bound, *(variable.name for variable in variables))
    body = draw_condition(rng, below, inner, graded)
    if kind == 7:
        return Exists(variables, body)
    if kind == 8:
        return Forall(variables, body)
    return Count(rng.choice((Bound.AT_LEAST, Bound.AT_MOST, Bound.EXACTLY)), rng.randrange(3),
                 variables, body)  # fmt: skip


def draw_goal(rng: random.Random, depth: int) -> Expression:
    """Draw a goal of any form; it need not be one that `check_goal` accepts."""
    kind = rng.randrange(7)
    if kind == 0:
        return And(tuple(draw_goal(rng, depth) for _ in range(2)))
    if kind == 1:
        return Weighted(rng.choice((0.25, 0.5)), draw_condition(rng, depth, graded=True))
    if kind == 2:
        return _draw_constraint(rng, depth)
    if kind == 3:
        body = _draw_constraint(rng, depth) if rng.random() < 0.3 else draw_condition(rng, depth)
        name = rng.choice(("", "calm", "odd \u00e4 name"))
        return Preference(rng.choice((0.0, 0.5)), Fraction(rng.randrange(3)), body, name)
    if kind == 4:
        variables = _draw_variables(rng, ())
        names = [variable.name for variable in variables]
        return Count(Bound.MOST, 0, variables, draw_condition(rng, depth, names))
    free = ["f"] if rng.random() < 0.3 else []
    return draw_condition(rng, depth, free, graded=True)


def _draw_constraint(rng: random.Random, depth: int) -> Expression:
    operator = rng.choice(list(TrajectoryOperator))
    times, least, _ = operator.numbers
    parts = tuple(draw_condition(rng, depth - 1) for _ in range(least))
    return TrajectoryConstraint(
        operator, parts, 0, tuple(Fraction(10 * i + 5) for i in range(times))
    )


def _draw_variables(rng: random.Random, bound: Sequence[str]) -> tuple[TypedVariable, ...]:
    number = 2 if rng.random() < 0.15 else 1
    return tuple(TypedVariable(f"v{len(bound) + i}", rng.choice(RANGES)) for i in range(number))


def _draw_term(rng: random.Random, names: Sequence[str], bound: Sequence[str]) -> Term:
    if bound and rng.random() < 0.7:
        return Variable(rng.choice(bound))
    return Constant(rng.choice(names))


def _draw_atom(rng: random.Random, bound: Sequence[str], graded: bool) -> Atom:
    item = _draw_term(rng, ITEMS, bound)
    kind = rng.randrange(7 if graded else 6)
    if kind < 2:
        return Atom("on", (item, _draw_term(rng, SUPPORTS, bound)))
    if kind == 2:
        return Atom("dirty", (_draw_term(rng, SUPPORTS, bound),))
    if kind == 3:
        return Atom("holding", (Constant("robot_1"), item))
    if kind == 4:
        return Atom("closed", (Constant("fridge_1"),))
    if kind == 5:
        return Atom(IS_A, (item, Text(rng.choice(LABELS))))
    return Atom("serves_as", (item, Text(rng.choice(PURPOSES))))
