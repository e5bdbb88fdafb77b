# SPDX-License-Identifier: Apache-2.0
"""Plans in the format of the planning competitions: written, and read again."""

from fractions import Fraction

import pytest

from fcp_ros.domain import load_domain
from fcp_ros.domain.pddl import parse_pddl, read_pddl
from fcp_ros.planning import Optimise, Plan, PlanningOptions, PlanningRequest, plan
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.result import GivenUp
from fcp_ros.planning.verification.ipc_plan import plan_from_actions, read_ipc_plan
from fcp_ros.report.pddl_result import NotPddl, to_ipc_plan

COURIER = (
    "(ride Hill Depot)\n(fetch bill)\n(ride Depot Lake)\n(ride Lake Mill)\n(deliver bill Mill)"
)


@pytest.fixture
def courier(repository):
    folder = repository / "test" / "data" / "pddl"
    return read_pddl(folder / "courier.pddl", folder / "courier-1.pddl")


def test_what_is_written_is_what_was_read(courier):
    plan = plan_from_actions(courier, read_ipc_plan(COURIER.lower()))
    text = to_ipc_plan(plan, courier.domain, courier)
    assert text == f"{COURIER}\n; cost = 9 (general cost)\n"
    assert plan_from_actions(courier, read_ipc_plan(text)) == plan


def test_an_empty_plan_costs_nothing(courier):
    empty = plan_from_actions(courier, ())
    assert to_ipc_plan(empty, courier.domain, courier) == "; cost = 0 (general cost)\n"


def test_the_cost_is_that_of_the_metric(courier):
    """What VAL calls the final value: preferences that are given up count, too."""
    plan = plan_from_actions(courier, read_ipc_plan(COURIER.lower()))
    given_up = (GivenUp("p", "", 0.0, 116.1), GivenUp("q", "", 0.0, 0.2))
    text = to_ipc_plan(plan, courier.domain, courier, given_up)
    assert text.endswith("\n; cost = 125.3 (general cost)\n")


def plan_of(*steps):
    made = [PlanStep(rule, arguments, 1.0, 1.0, 1.0, rule) for rule, arguments in steps]
    return Plan("", tuple(made), 1.0, 1.0, (), (), 0.5, "lukasiewicz", "")


def household(repository):
    return load_domain(repository / "config" / "domains" / "household.yaml")


def test_rules_of_a_yaml_domain_are_written_as_they_are(repository):
    domain = household(repository)
    name = next(iter(domain.rules))
    bound = tuple((p, f"thing-{n}") for n, p in enumerate(domain.rules[name].parameter_names))
    text = to_ipc_plan(plan_of((name, bound)), domain)
    assert text.startswith(f"({name} thing-0")
    assert text.endswith("; cost = 1 (unit cost)\n")


@pytest.mark.parametrize("element", ["dining table", "3d_printer", "Tür", "a(b)", ""])
def test_names_that_pddl_does_not_allow_are_refused(repository, element):
    domain = household(repository)
    name = next(iter(domain.rules))
    bound = tuple((p, element) for p in domain.rules[name].parameter_names)
    with pytest.raises(NotPddl, match="not allowed in an IPC plan"):
        to_ipc_plan(plan_of((name, bound)), domain)


TOLLS = """(define (domain d) (:requirements :action-costs :preferences)
  (:predicates (here ?x) (seen ?x))
  (:functions (total-cost) (tolls) (slack))
  (:action go :parameters (?a ?b) :precondition (here ?a)
    :effect (and (here ?b) (not (here ?a)) (increase (total-cost) 2) (increase (tolls) 3))))"""
TRIP = """(define (problem p) (:domain d) (:objects a b) (:init (here a) VALUES)
  (:goal (and (here b) (preference look (seen b)))) METRIC)"""


@pytest.mark.parametrize(
    ("values", "metric", "wanted"),
    [
        ("", "minimize (total-cost)", 2),
        ("(= (total-cost) 0)", "minimize (total-cost)", 2),
        ("(= (total-cost) 7)", "minimize (total-cost)", 9),
        ("(= (total-cost) 7)", "minimize (+ (total-cost) 12)", 21),
        ("(= (tolls) 1.5)", "minimize (+ (* 2 (tolls)) (total-cost))", 11),
        ("", "minimize (+ (total-cost) (* 5 (is-violated look)) (* 2 3))", 13),
        ("(= (slack) 10)", "minimize (+ (total-cost) (slack))", 12),
        ("", "maximize (- 100 (total-cost))", 98),
        ("(= (total-cost) 1)", "maximize (- 100 (* 2 (total-cost)))", 94),
        ("", "minimize (total-time)", 1),
        ("", "minimize (+ (total-time) 4)", 5),
        ("", "minimize (/ (- (total-cost) 1) 4)", Fraction(1, 4)),
    ],
)
def test_the_cost_is_the_value_of_the_metric(values, metric, wanted):
    text = TRIP.replace("VALUES", values).replace("METRIC", f"(:metric {metric})")
    task = parse_pddl(TOLLS, text)
    options = PlanningOptions(alpha=0.0, optimise=Optimise.COST)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    written = to_ipc_plan(result.plan, task.domain, task, result.given_up)
    assert f"; cost = {float(wanted):g} " in written
