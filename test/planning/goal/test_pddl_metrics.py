# SPDX-License-Identifier: Apache-2.0
"""Metrics as costs: what counts in the sum is counted, and nothing else is."""

import pytest

from fcp_ros.domain.pddl import UnsupportedPddl, parse_pddl
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.ground_step import compute_cost

DOMAIN = """(define (domain lamps)
  (:predicates (lit) (warm))
  (:functions (total-cost) (fuel) (smoke))
  (:action light :parameters () :effect (and (lit) (increase (fuel) 3) (increase (total-cost) 1)))
  (:action heat :parameters () :precondition (lit)
    :effect (and (warm) (increase (smoke) 2) (increase (total-cost) 4))))"""


def solve(metric: str, goal: str = "(and (preference q (warm)))"):
    """The best plan's length, the names given up, and the costs of both."""
    task = parse_pddl(
        DOMAIN, f"(define (problem p) (:domain lamps) (:init) (:goal {goal}) {metric})"
    )
    assert task.minimises_cost
    options = PlanningOptions(optimise=Optimise.COST)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    names = [given_up.name for given_up in result.given_up]
    cost = sum(
        compute_cost(task.domain.rules[step.rule], [name for _, name in step.arguments])
        for step in result.plan.steps
    ) + sum(given_up.cost for given_up in result.given_up)
    return len(result.plan.steps), names, cost


@pytest.mark.parametrize(
    ("value", "steps", "given_up", "cost"),
    [
        ("(+ (* 5 (total-time)) (is-violated q))", 0, ["q"], 1),
        ("(+ (total-time) (total-cost) (* 8 (is-violated q)))", 2, [], 7),
        ("(+ (fuel) (* 4 (is-violated q)))", 2, [], 3),
        ("(+ (fuel) (* 2 (smoke)) (* 6 (is-violated q)))", 0, ["q"], 6),
    ],
)
def test_each_term_counts_with_its_weight(value, steps, given_up, cost):
    assert solve(f"(:metric minimize {value})") == (steps, given_up, cost)


def test_total_cost_is_what_actions_add_to_it_and_to_nothing_else():
    assert solve("(:metric minimize (total-cost))", "(warm)") == (2, [], 5)


def test_a_weight_of_total_time_alone_is_kept():
    assert solve("(:metric minimize (* 5 (total-time)))", "(warm)") == (2, [], 10)


def test_total_time_alone_counts_actions():
    problem = "(define (problem p) (:domain lamps) (:init) (:goal (warm)) {})"
    with_metric = parse_pddl(DOMAIN, problem.format("(:metric minimize (total-time))"))
    without = parse_pddl(DOMAIN, problem.format(""))
    for task in (with_metric, without):
        assert not task.minimises_cost
        assert {rule.cost.base for rule in task.domain.rules.values()} == {1}


def test_no_action_says_how_long_it_takes():
    domain = DOMAIN.replace("(increase (fuel) 3)", "(increase (total-time) 3)")
    problem = "(define (problem p) (:domain lamps) (:init) (:goal (lit)))"
    with pytest.raises(UnsupportedPddl, match=r"a numeric effect on .total-time. in action light"):
        parse_pddl(domain, problem)


def test_preferences_of_one_name_are_counted_together():
    goal = "(and (preference q (not (warm))) (preference q (not (lit))) (warm))"
    assert solve("(:metric minimize (* 3 (is-violated q)))", goal) == (2, ["q", "q"], 6)
