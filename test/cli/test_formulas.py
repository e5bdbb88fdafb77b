# SPDX-License-Identifier: Apache-2.0
"""Tasks whose rules have formulas: plans are found, validated and refused."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import FAILED
from fcp_ros.cli.main import app
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules

DOMAIN = """(define (domain orders) (:requirements :adl) (:types order product)
(:predicates (includes ?o - order ?p - product) (begun ?o - order) (made ?p - product))
(:action begin :parameters (?o - order) :precondition (not (begun ?o)) :effect (begun ?o))
(:action make :parameters (?p - product) :precondition (and (not (made ?p))
  (forall (?o - order) (imply (includes ?o ?p) (begun ?o)))) :effect (made ?p)))"""
SIZE = 12
PROBLEM = f"""(define (problem o) (:domain orders) (:objects
  {" ".join(f"o{n}" for n in range(SIZE))} - order p q - product)
  (:init {" ".join(f"(includes o{n} p)" for n in range(SIZE))}) (:goal (made p)))"""
BEGIN = [f"(begin o{n})" for n in range(SIZE)]


@pytest.fixture
def run(tmp_path):
    for name, text in (("domain.pddl", DOMAIN), ("problem.pddl", PROBLEM)):
        (tmp_path / name).write_text(text)
    files = ("-d", str(tmp_path / "domain.pddl"), "-s", str(tmp_path / "problem.pddl"))

    def run_command(command, plan=None):
        arguments = []
        if plan is not None:
            (tmp_path / "plan.txt").write_text("\n".join(plan))
            arguments = [str(tmp_path / "plan.txt")]
        result = CliRunner().invoke(app, [command, *arguments, *files])
        return result.exit_code, " ".join(result.output.split())

    return run_command


def test_a_plan_that_keeps_the_formula_is_valid(run):
    code, out = run("validate", [*BEGIN, "(make p)"])
    assert code == 0, out


def test_a_plan_that_breaks_it_is_refused(run):
    code, out = run("validate", [*BEGIN[:5], *BEGIN[6:], "(make p)"])
    assert code == FAILED
    assert "action 12 (make p): its precondition does not hold" in out


def make_step(rule, parameter, element):
    return PlanStep(rule, ((parameter, element),), 1.0, 1.0, 1.0, rule)


def test_a_step_says_which_part_of_a_formula_fails():
    task = parse_pddl(DOMAIN, PROBLEM)
    rules, state = StepRules(task.domain), task.instance
    for n in range(SIZE):
        if n != 5:
            state = rules.apply(make_step("begin", "o", f"o{n}"), state).instance
    application = rules.apply(make_step("make", "p", "p"), state)
    assert application.problems == ("not includes(o5, p) or begun(o5) does not hold",)
    state = rules.apply(make_step("begin", "o", "o5"), state).instance
    assert rules.apply(make_step("make", "p", "p"), state).instance


def test_planning_keeps_the_formula(run):
    code, out = run("plan")
    assert code == 0, out
    assert f"A plan of {SIZE + 1} steps" in out
    assert out.index("(make p)") > max(out.index(f"(begin o{n})") for n in range(SIZE))
