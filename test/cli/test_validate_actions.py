# SPDX-License-Identifier: Apache-2.0
"""`fcp validate` on the plan files of other planners."""

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, FAILED
from fcp_ros.cli.main import app

DOMAIN = """
(define (domain walk) (:requirements :strips)
  (:predicates (at ?p) (way ?a ?b))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (way ?a ?b))
   :effect (and (not (at ?a)) (at ?b))))
"""
PROBLEM = """
(define (problem home) (:domain walk) (:objects a b c)
  (:init (at a) (way a b) (way b c)) (:goal (at c)))
"""


@pytest.fixture
def validated(tmp_path):
    for name, text in (("domain.pddl", DOMAIN), ("problem.pddl", PROBLEM)):
        (tmp_path / name).write_text(text)

    def run(plan, *, pddl=True):
        file = tmp_path / "plan.txt"
        file.write_text(plan)
        task = ("-d", str(tmp_path / "domain.pddl"), "-s", str(tmp_path / "problem.pddl"))
        result = CliRunner().invoke(app, ["validate", str(file), *(task if pddl else ())])
        return result.exit_code, " ".join(result.output.split())

    return run


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("(go a b)", "goal's degree is 0"),
        ("(go a c)", "action 1 (go a c): its precondition does not hold"),
        ("(fly a c)", "no action fly"),
    ],
)
def test_a_wrong_plan_is_refused_with_the_reason(validated, plan, reason):
    code, out = validated(plan)
    assert code == FAILED
    assert reason in out


def test_bad_input_is_said(validated):
    assert validated("(go a b)\ngo b c)")[0] == BAD_INPUT
    code, out = validated("(go a b)", pddl=False)
    assert code == BAD_INPUT
    assert "give the PDDL files" in out
