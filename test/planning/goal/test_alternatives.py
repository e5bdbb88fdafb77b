# SPDX-License-Identifier: Apache-2.0
"""Alternatives of goals: what is expanded, and what is left out (the twin test is test_twins)."""

import pytest
from exhaustive_compiler import compile_task

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.watch import Watch


@pytest.fixture
def expand(house, home):
    watch = Watch(PlanningOptions())
    task = compile_task(house, home, watch)

    def run(text, degree=0.6):
        goal = check_goal(parse_expression(text), house, home, text)
        formula = ground_goal(goal, infer_types(goal, house), house, home, watch).formula
        found = find_alternatives(formula, lambda atom: degree, TNORMS["lukasiewicz"], task, watch)
        return [
            (
                round(a.degree, 6),
                sorted(str(task.facts[f]) for f in a.positive)
                + sorted(f"not {task.facts[f]}" for f in a.negative)
                + sorted(f"never {f}" for f in a.missing),
                dict(a.binding),
            )
            for a in found
        ]

    return run


def test_a_weight_gives_an_alternative_without(expand):
    assert expand("0.3 * on(mug_1, shelf)") == [(1.0, ["on(mug_1, shelf)"], {}), (0.7, [], {})]
    assert expand("1 * on(mug_1, shelf)") == [(1.0, ["on(mug_1, shelf)"], {})]


def test_what_is_chosen_below_forall_is_no_binding(expand):
    found = expand("forall ?x: cup (exists ?s: support (on(?x, ?s)))")
    assert len(found) == 9
    assert all(binding == {} for _, _, binding in found)


def test_facts_of_one_functional_leg_exclude_each_other(expand):
    assert expand("on(mug_1, shelf) and on(mug_1, table)") == []


def test_what_is_never_reached_is_kept_for_the_explanation(expand):
    assert expand("on(mug_1, shelf) and inside(mug_1, crate)") == [
        (1.0, ["on(mug_1, shelf)", "never inside(mug_1, crate)"], {})
    ]
    assert expand("on(mug_1, shelf) or inside(mug_1, crate)") == [(1.0, ["on(mug_1, shelf)"], {})]
