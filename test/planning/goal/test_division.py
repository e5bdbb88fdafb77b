# SPDX-License-Identifier: Apache-2.0
"""Formulas divided into stages are worth what the formulas are, in every state."""

import itertools
from random import Random
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Fact
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.goal import division
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.division import count_alternatives, divide_formula
from fcp_ros.planning.goal.formula import (
    AtLeast,
    Both,
    Complement,
    Crisp,
    Either,
    Graded,
    Instantiation,
    Scaled,
    Settled,
)
from fcp_ros.planning.goal.stages import BEGIN
from fcp_ros.planning.model.watch import Watch

FACTS = [Fact("on", (name,)) for name in "abcde"]
MISSING = Fact("on", ("nowhere",))
TASK = SimpleNamespace(
    fact_ids={fact: number for number, fact in enumerate(FACTS)},
    keys_of=lambda _: (),
    broken=frozenset(),
)
ITEMS = {f"item_{i}": "item" for i in range(20)}
DEGREES = {("nice", ("a",)): 0.9, ("nice", ("b",)): 0.5, ("nice", ("c",)): 0.0}


def draw_formula(rng, depth):
    kind = rng.randrange(12) if depth else rng.randrange(4)
    if kind < 3:
        return Crisp(rng.choice([*FACTS, *FACTS, MISSING]))
    if kind == 3:
        return rng.choice([Graded(rng.choice(list(DEGREES))), Settled(rng.choice([0.0, 0.7, 1.0]))])
    if kind == 4:
        return Complement(draw_formula(rng, depth - 1))
    if kind == 5:
        return Scaled(rng.choice([0.25, 1.0]), draw_formula(rng, depth - 1))
    if kind == 6:
        return Instantiation("?x", rng.choice("ab"), draw_formula(rng, depth - 1))
    parts = tuple(draw_formula(rng, depth - 1) for _ in range(rng.choice((2, 3, 4))))
    if kind == 7 and len(parts) > 2:
        return AtLeast(2, parts)
    return Both(parts) if kind % 2 else Either(parts)


def find_value(formula, state, tnorm):
    """The degree of a formula in a state, by the meaning of its nodes."""
    if isinstance(formula, Settled):
        return formula.degree
    if isinstance(formula, Crisp):
        return float(TASK.fact_ids.get(formula.fact) in state)
    if isinstance(formula, Graded):
        return DEGREES[formula.atom]
    if isinstance(formula, (Both, Either, AtLeast)):
        values = [find_value(part, state, tnorm) for part in formula.parts]
        if isinstance(formula, Both):
            return tnorm.compose_all(values)
        if isinstance(formula, Either):
            return max(values)
        return max(map(tnorm.compose_all, itertools.combinations(values, formula.number)))
    body = find_value(formula.body, state, tnorm)
    if isinstance(formula, Complement):
        return 1.0 - body
    return 1.0 - formula.weight * (1.0 - body) if isinstance(formula, Scaled) else body


def find_best_way(divided, state, tnorm):
    """The best degree of the ways through the stages that are open in a state."""
    reached = {}
    steps = [(0, one.target, one.alternative) for one in divided.finishes]
    steps += sorted(
        ((m.source, m.target, m.alternative) for m in divided.moves), key=lambda m: m[0]
    )
    for source, target, alternative in steps:
        assert source < target <= divided.last
        if alternative.holds(state) and (source == 0 or source in reached):
            degree = tnorm.compose(reached.get(source, 1.0), alternative.value(DEGREES.get))
            reached[target] = max(degree, reached.get(target, 0.0))
    return reached.get(divided.last, 0.0)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 1_000_000), st.sampled_from(sorted(TNORMS)), st.sampled_from([(0, 1), (3, 4)])
)
def test_the_best_way_is_worth_what_the_formula_is(seed, name, limits):
    tnorm = TNORMS[name]
    formula = draw_formula(Random(seed), 3)
    watch = Watch(PlanningOptions())

    def expand(part):
        return find_alternatives(part, DEGREES.get, tnorm, TASK, watch)

    with (
        mock.patch.object(division, "MOST_WHOLE", limits[0]),
        mock.patch.object(division, "MOST_TOGETHER", limits[1]),
    ):
        divided = divide_formula(formula, expand, TASK)
    for number in range(len(FACTS) + 1):
        for state in map(frozenset, itertools.combinations(range(len(FACTS)), number)):
            wanted = find_value(formula, state, tnorm)
            assert find_best_way(divided, state, tnorm) == pytest.approx(wanted), state
    if not divided.leads_on:
        everything = map(frozenset, itertools.product(*([n, -1] for n in range(len(FACTS)))))
        assert not any(find_value(formula, state, tnorm) for state in everything)


def test_a_formula_is_divided_where_it_has_very_many_alternatives():
    choice = Either(tuple(map(Crisp, FACTS)))
    few, many = Both((choice,) * 3), Both((choice,) * 4)
    assert (count_alternatives(few), count_alternatives(many)) == (125, 625)

    def expand(part):
        return find_alternatives(
            part, DEGREES.get, TNORMS["product"], TASK, Watch(PlanningOptions())
        )

    assert divide_formula(few, expand, TASK).last == BEGIN
    assert divide_formula(many, expand, TASK).last > BEGIN


def test_choices_that_nothing_makes_true_do_not_divide_a_formula():
    choice = Either((Crisp(FACTS[0]), *(Crisp(MISSING) for _ in range(9))))
    divided = divide_formula(
        Both((choice,) * 4),
        lambda part: find_alternatives(
            part, DEGREES.get, TNORMS["product"], TASK, Watch(PlanningOptions())
        ),
        TASK,
    )
    assert divided.last == BEGIN
    assert [finish.alternative.positive for finish in divided.finishes] == [frozenset((0,))]


def test_each_of_many_things_in_one_of_many_places(ask, house_facts):
    """Written out, it has 3 to the power of 24 alternatives."""
    facts = [*house_facts, *(f"on({item}, table)" for item in ITEMS)]
    result = ask(
        "forall ?x: item (on(?x, shelf) or on(?x, tv) or on(?x, table))",
        elements=ITEMS,
        facts=facts,
    )
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert [step.rule for step in result.plan.steps] == ["open", "take_out", "place"]


def test_a_count_at_a_place_that_is_chosen(ask, house_facts):
    """Written out, it has 2024 alternatives for each place."""
    facts = [*house_facts, *(f"on({item}, table)" for item in ITEMS)]
    goal = "at least 3 ?x: item (on(?x, ?place)) and not same(?place, table)"
    result = ask(goal, elements=ITEMS, facts=facts)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert len(result.plan.steps) == 7
    assert ("place", "shelf") in result.plan.binding


def test_a_divided_goal_that_is_out_of_reach_is_explained(ask, house_facts):
    facts = [*house_facts, *(f"on({item}, table)" for item in ITEMS)]
    goal = "(forall ?x: item (on(?x, tv) or on(?x, shelf))) and on(milk, tv)"
    result = ask(goal, elements=ITEMS, facts=facts)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert "on(milk, tv)" in result.message, result.message


@pytest.mark.parametrize(
    ("goal", "limit"),
    [
        ("0.5 * (forall ?x: item (on(?x, shelf) or on(?x, tv) or on(?x, table)))", "20000"),
        ("0.5 * (at least 10 ?x: item (on(?x, shelf)))", "5000"),
    ],
)
def test_what_cannot_be_divided_is_unsupported_beyond_a_limit(ask, house_facts, goal, limit):
    facts = [*house_facts, *(f"on({item}, table)" for item in ITEMS)]
    result = ask(goal, elements=ITEMS, facts=facts)
    assert result.status is PlanStatus.UNSUPPORTED, result.message
    assert limit in result.message
