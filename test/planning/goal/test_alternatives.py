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


def test_static_facts_decide_early(expand):
    found = expand('on(?x, shelf) and is_a(?x, "mug")')
    assert found == [
        (1.0, ["on(mug_1, shelf)"], {"x": "mug_1"}),
        (1.0, ["on(mug_2, shelf)"], {"x": "mug_2"}),
    ]


def test_a_weight_gives_an_alternative_without(expand):
    assert expand("0.3 * on(mug_1, shelf)") == [(1.0, ["on(mug_1, shelf)"], {}), (0.7, [], {})]
    assert expand("1 * on(mug_1, shelf)") == [(1.0, ["on(mug_1, shelf)"], {})]


def test_weights_of_several_wishes_add_up(expand):
    found = expand("0.3 * on(mug_1, shelf) and 0.4 * on(book, shelf)")
    assert [degree for degree, _, _ in found] == [1.0, 0.7, 0.6, 0.3]


def test_forall_asks_for_every_element(expand):
    assert expand("forall ?x: cup (on(?x, shelf))") == [
        (1.0, ["on(mug_1, shelf)", "on(mug_2, shelf)"], {})
    ]


def test_what_is_chosen_below_forall_is_no_binding(expand):
    found = expand("forall ?x: cup (exists ?s: support (on(?x, ?s)))")
    assert len(found) == 9
    assert all(binding == {} for _, _, binding in found)


def test_negations_go_inwards(expand):
    assert expand("not (on(mug_1, table) or closed(crate))") == [
        (1.0, ["not closed(crate)", "not on(mug_1, table)"], {})
    ]
    assert sorted(expand("not (on(mug_1, table) and closed(crate))")) == [
        (1.0, ["not closed(crate)"], {}),
        (1.0, ["not on(mug_1, table)"], {}),
    ]
    assert expand('not serves_as(mug_1, "drinking")', 0.7) == [(0.3, [], {})]


def test_a_crisp_way_out_of_a_graded_negation(expand):
    found = expand('not (on(mug_1, table) and serves_as(mug_1, "drinking"))', 0.7)
    assert found == [(1.0, ["not on(mug_1, table)"], {}), (0.3, [], {})]


def test_facts_of_one_functional_leg_exclude_each_other(expand):
    assert expand("on(mug_1, shelf) and on(mug_1, table)") == []


def test_what_is_never_reached_is_kept_for_the_explanation(expand):
    assert expand("on(mug_1, shelf) and inside(mug_1, crate)") == [
        (1.0, ["on(mug_1, shelf)", "never inside(mug_1, crate)"], {})
    ]
    assert expand("on(mug_1, shelf) or inside(mug_1, crate)") == [(1.0, ["on(mug_1, shelf)"], {})]


def test_a_degree_of_zero_is_still_an_alternative(expand):
    assert expand('on(mug_1, shelf) and serves_as(mug_1, "reading")', 0.0) == [
        (0.0, ["on(mug_1, shelf)"], {})
    ]
