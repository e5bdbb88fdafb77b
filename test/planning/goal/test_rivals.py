# SPDX-License-Identifier: Apache-2.0
"""Preferences that rule one another out: no state keeps two of a group, and what that saves."""

from itertools import chain, combinations

import pytest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import worlds
from rewriting_twin import walk

from fcp_ros.cset import facts
from fcp_ros.domain import ExpressionError, check_goal, evaluate, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.goal.stages import Choice, Places, group_rivals
from fcp_ros.planning.model.watch import Watch

BODIES = st.sampled_from(
    [
        "q(a1, b1)", "q(a1, b2)", "not q(a1, b1)", "r(a1, b1)", "r(a2, b1)", "r(a1, b2)", "p(a1)",
        "not p(a1)", "q(a1, b1) or q(a2, b1)", "q(a1, b2) and p(a1)", "s(b1) or q(a1, b2)",
        "r(a1, b1) or r(a1, b2)",
    ]
)  # fmt: skip


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(
    world=worlds(),
    texts=st.lists(BODIES, min_size=2, max_size=6),
    rng=st.randoms(use_true_random=False),
)
def test_no_state_keeps_two_of_a_group(world, texts, rng):
    domain, instance = world
    assume(facts(instance))
    watch = Watch(PlanningOptions())
    task = compile_task(domain, instance, watch)
    choices, goals = [], []
    for text in texts:
        try:
            goal = check_goal(parse_expression(text), domain, instance, text)
        except ExpressionError:
            assume(False)
        formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
        found = find_alternatives(formula, lambda _: 1.0, TNORMS["goedel"], task, watch)
        choices.append(Choice((1.0,), found))
        goals.append(goal)
    ways = [choice.alternatives for choice in choices]
    places = Places(chain(*ways), task, watch.check)
    groups = group_rivals(choices, places, watch.check)
    fitting = [places.drop_excluded(way, ways[0]) for way in ways]
    assert sorted(number for group in groups for number in group) == list(range(len(texts)))
    for _, state, _ in walk(domain, instance, rng, 6):
        kept = [evaluate(goal, state, lambda *_: 1.0, TNORMS["goedel"]) > 0.0 for goal in goals]
        if kept[0]:
            held = {task.fact_ids[fact] for fact in facts(state) if fact in task.fact_ids}
            for way, left in zip(ways, fitting, strict=True):
                gone = [one for one in way if one not in left]
                assert not any(one.holds(frozenset(held)) for one in gone)
        for group in groups:
            assert not any(kept[one] and kept[other] for one, other in combinations(group, 2))


def test_what_rules_out_one_another_is_settled_at_once(ask):
    """Each pair loses its lighter wish: that is proven, and told in the order of the goal."""
    wishes = [
        f"prefer 0.0{weight}: on({item}, {place})"
        for item in ("mug_1", "mug_2")
        for weight, place in ((3, "table"), (5, "shelf"))
    ]
    result = ask(" and ".join(wishes))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.best_membership == pytest.approx(0.94)
    assert sorted(one.weight for one in result.given_up) == [0.03, 0.03]
    assert [one.text for one in result.given_up] == ["on(mug_1, table)", "on(mug_2, table)"]


def test_what_the_goal_rules_out_is_given_up_at_once(ask):
    result = ask("on(mug_1, shelf) and prefer 0.1: on(mug_1, table)")
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert [one.text for one in result.given_up] == ["on(mug_1, table)"]
