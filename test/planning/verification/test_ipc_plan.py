# SPDX-License-Identifier: Apache-2.0
"""Plans of other planners for PDDL tasks: read, replayed, verified."""

import pytest

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import verify
from fcp_ros.planning.verification.ipc_plan import CannotReplay, plan_from_actions, read_ipc_plan

DOMAIN = """
(define (domain lamps)
  (:requirements :strips :typing :conditional-effects :existential-preconditions :equality)
  (:types room lamp)
  (:predicates (at ?r - room) (next ?a ?b - room) (in ?l - lamp ?r - room) (lit ?l - lamp)
               (powered) (fuse ?r - room))
  (:action Walk
    :parameters (?from ?to - room)
    :precondition (and (at ?from) (next ?from ?to))
    :effect (and (not (at ?from)) (at ?to)))
  (:action power
    :parameters ()
    :precondition (exists (?r - room) (and (at ?r) (fuse ?r)))
    :effect (powered))
  (:action press
    :parameters (?r - room)
    :precondition (and (at ?r) (powered))
    :effect (forall (?l - lamp) (when (in ?l ?r) (lit ?l)))))
"""
PROBLEM = """
(define (problem evening) (:domain lamps)
  (:objects Hall study - room red green - lamp)
  (:init (at Hall) (next Hall study) (next study Hall) (fuse Hall) (in red study)
         (in green study))
  (:goal (and (lit red) (lit green))))
"""
GOOD = "; found by somebody\n(power)\n(walk hall study) ; there\n\n(press study)\n"


@pytest.fixture(scope="module")
def task():
    return parse_pddl(DOMAIN, PROBLEM)


@pytest.fixture
def verdict_on(task, degrees):
    def run(text):
        plan = plan_from_actions(task, read_ipc_plan(text))
        return verify(task.domain, task.instance, plan, task.goal, degrees(), alpha=1.0)

    return run


def test_a_plan_file_is_read():
    assert read_ipc_plan(GOOD) == (
        ("power", ()),
        ("walk", ("hall", "study")),
        ("press", ("study",)),
    )
    assert read_ipc_plan("0.000: (walk a b) [1.000]") == (("walk", ("a", "b")),)
    assert read_ipc_plan("") == ()


@pytest.mark.parametrize("text", ["walk a b", "(walk a b", "()", "(walk (a) b)", "1: walk"])
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(ValueError, match=r"line 2: .* is no action"):
        read_ipc_plan(f"; a plan\n{text}")


def test_a_good_plan_passes(verdict_on):
    verdict = verdict_on(GOOD)
    assert verdict.problems == ()
    assert verdict.ok


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(power)\n(press study)", r"action 2 \(press study\): its precondition does not hold"),
        ("(walk hall study)\n(power)", "action 2"),
        ("(fly hall study)", "the problem has no action fly"),
        ("(walk hall cellar)", "the problem has no objects cellar"),
        ("(walk hall)", "action 1"),
        ("(walk hall hall)", "action 1"),
        ("(press red)", "action 1"),
    ],
)
def test_what_cannot_be_done_is_said(verdict_on, text, reason):
    with pytest.raises(CannotReplay, match=reason):
        verdict_on(text)


def test_a_plan_that_misses_the_goal_fails(verdict_on):
    verdict = verdict_on("(power)\n(walk hall study)")
    assert not verdict.ok
    assert "goal" in " ".join(verdict.problems)


def test_an_action_that_does_nothing_may_be_in_a_plan(degrees):
    problem = PROBLEM.replace("(fuse Hall)", "(fuse Hall) (next Hall Hall)")
    task = parse_pddl(DOMAIN, problem)
    assert task.idle
    plan = plan_from_actions(task, read_ipc_plan(f"(walk hall hall)\n{GOOD}"))
    assert [step.rule for step in plan.steps] == ["power", "walk", "press"]
    assert verify(task.domain, task.instance, plan, task.goal, degrees(), alpha=1.0).ok
    with pytest.raises(CannotReplay, match="action 1"):
        plan_from_actions(task, read_ipc_plan("(walk study study)"))
