# SPDX-License-Identifier: Apache-2.0
"""Rounds: faults are handed back, own policies are checked, limits and cancellation hold."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from carried_parcels import ABSTRACTION

from fcp_ros.abstraction.debugging import loop
from fcp_ros.abstraction.debugging.loop import (
    GeneralizationOptions,
    GeneralizationProgress,
    UnfitTraining,
    generalize,
)
from fcp_ros.abstraction.debugging.refined_tree import TreeLimits
from fcp_ros.abstraction.proposers.abstraction_text import parse_abstraction
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    ProposerStopped,
    RejectedProposal,
)
from fcp_ros.abstraction.proposers.learning import SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.qnp.problem import encode_state
from fcp_ros.abstraction.qnp.solver import solve_qnp
from fcp_ros.abstraction.states.building import list_goal_atoms
from fcp_ros.domain.pddl.task_reader import parse_pddl
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

Training = tuple[TrainingTask, ...]
Answer = AbstractionProposal | Exception


class ScriptedProposer:
    """Proposes what it is given, in order; the last one again and again."""

    name = "script"

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.feedback: list[tuple[AbstractionError, ...]] = []

    def propose(
        self, training: Training, feedback: tuple[AbstractionError, ...], check: Callable[[], None]
    ) -> AbstractionProposal:
        """The next answer."""
        check()
        self.feedback.append(feedback)
        answer = self._answers[min(len(self.feedback), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture(scope="module")
def right(training: Training) -> AbstractionProposal:
    return parse_abstraction(ABSTRACTION, "right", training)


@pytest.fixture(scope="module")
def wrong(training: Training) -> AbstractionProposal:
    return parse_abstraction(ABSTRACTION.replace("; leave()", "; take()"), "wrong", training)


def test_faults_are_handed_back_until_a_proposal_passes(
    training: Training, right: AbstractionProposal, wrong: AbstractionProposal
) -> None:
    fault = AbstractionError(AbstractionCheck.ASC, AbstractionFault.SYNTAX, "no YAML")
    proposer = ScriptedProposer(RejectedProposal((fault,)), wrong, right)
    told: list[GeneralizationProgress] = []
    found = generalize(training, proposer, progress=told.append)
    assert found.status is GeneralizationStatus.FOUND
    assert [bool(one.errors) for one in found.rounds] == [True, True, False]
    assert found.rounds[0].proposal is None
    assert proposer.feedback == [(), (fault,), found.rounds[1].errors]
    assert found.rounds[1].errors[0].kind is AbstractionFault.NO_REFINEMENT
    assert {one.round for one in told} == {1, 2, 3}
    before = {one.round: one.errors for one in told}
    assert before == {1: (), 2: (fault,), 3: found.rounds[1].errors}
    assert any("script" in one.doing for one in told)


def test_rounds_are_bounded(training: Training, wrong: AbstractionProposal) -> None:
    proposer = ScriptedProposer(wrong)
    found = generalize(training, proposer, GeneralizationOptions(rounds=3))
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert len(proposer.feedback) == len(found.rounds) == 3
    assert "none of 3 proposals" in found.sentence
    assert found.errors == found.rounds[-1].errors


def test_the_proposer_is_given_some_tasks_and_those_that_show_faults(
    training: Training, right: AbstractionProposal, wrong: AbstractionProposal
) -> None:
    class Noting(ScriptedProposer):
        given: list[tuple[str, ...]] = []

        def propose(self, training: Training, feedback, check) -> AbstractionProposal:
            self.given.append(tuple(task.name.rpartition("/")[2] for task in training))
            return super().propose(training, feedback, check)

    fails = parse_abstraction(
        ABSTRACTION.replace("initial: [not holding]", "initial: [holding]"), "fails", training
    )
    proposer = Noting(fails, right)
    found = generalize(training, proposer, GeneralizationOptions(generating=1))
    assert found.status is GeneralizationStatus.FOUND
    assert proposer.given == [("one",), ("one", "two", "three")]
    assert {error.instance for error in found.rounds[0].errors} == {t.name for t in training}
    assert found.policy is not None
    assert len(found.policy.provenance.training) == 3  # all are checked
    proposer.given.clear()
    generalize(training, Noting(right))
    assert proposer.given == [("one", "two", "three")]


def test_a_proposer_that_stops_says_why(training: Training) -> None:
    pair = AbstractionError(
        AbstractionCheck.ASC, AbstractionFault.CONFLICTING_STATES, "two states", states=("a", "b")
    )
    stop = ProposerStopped(GeneralizationStatus.NO_COMMON_POLICY, "no features suffice", (pair,))
    found = generalize(training, ScriptedProposer(stop))
    assert (found.status, found.sentence) == (stop.status, "no features suffice")
    assert found.errors == (pair,)


def test_a_policy_of_the_proposer_is_used_and_checked(
    training: Training, right: AbstractionProposal
) -> None:
    solved = dict(solve_qnp(right.qnp).policy)
    found = generalize(training, ScriptedProposer(replace(right, policy=solved)))
    assert found.status is GeneralizationStatus.FOUND
    assert found.policy is not None
    assert found.policy.policy == solved
    # Another action is allowed as well; that it can't be done there does no harm.
    carrying = encode_state(right.qnp, {"holding": True, "left": True})
    both = {**solved, carrying: ("bring", "fetch")}
    found = generalize(training, ScriptedProposer(replace(right, policy=both)))
    assert found.errors[0].kind is AbstractionFault.SYNTAX  # fetch needs an empty hand
    del solved[carrying]
    found = generalize(training, ScriptedProposer(replace(right, policy=solved)))
    assert [e.kind for e in found.errors] == [AbstractionFault.NO_RULE] * len(found.errors)
    assert "names no action for (holding, left>0)" in found.errors[0].sentence


def test_a_policy_of_the_proposer_has_to_end(training: Training) -> None:
    text = ABSTRACTION.replace("[not holding, left decreases]", "[not holding]")
    proposal = parse_abstraction(text, "endless", training)
    states = {
        encode_state(proposal.qnp, {"holding": holding, "left": True}): (action,)
        for holding, action in ((False, "fetch"), (True, "bring"))
    }
    found = generalize(training, ScriptedProposer(replace(proposal, policy=states)))
    assert found.errors[0].kind is AbstractionFault.UNSOLVABLE_QNP
    assert set(found.errors[0].actions) == {"bring", "fetch"}


def test_bounds_of_a_walk_are_told(training: Training, right: AbstractionProposal) -> None:
    whole = generalize(training, ScriptedProposer(right)).rounds[0]
    few = GeneralizationOptions(tree=TreeLimits(states=1, choices=1))
    bounded = generalize(training, ScriptedProposer(right), few)
    assert bounded.status is GeneralizationStatus.FOUND
    assert not bounded.rounds[0].is_complete
    assert bounded.policy is not None
    assert "not all choices" in bounded.policy.provenance.remarks[0]
    assert bounded.rounds[0].states < whole.states
    # The runner's own path is always walked to its end, within the second bound.
    short = GeneralizationOptions(tree=TreeLimits(states=1, longest=2))
    found = generalize(training, ScriptedProposer(right), short)
    assert found.errors[0].kind is AbstractionFault.NO_END


def test_time_and_cancellation(training: Training, right: AbstractionProposal) -> None:
    class Slow(ScriptedProposer):
        def propose(self, training: Training, feedback, check) -> AbstractionProposal:
            for _ in range(1000):
                time.sleep(0.01)
                check()
            raise AssertionError("nobody stopped it")

    found = generalize(training, Slow(right), GeneralizationOptions(time_limit=0.05))
    assert found.status is GeneralizationStatus.TIMEOUT
    assert "0.05 s" in found.sentence

    def cancel() -> None:
        raise Interrupted(PlanStatus.CANCELLED, "cancelled by the caller")

    found = generalize(training, Slow(right), check=cancel)
    assert (found.status, found.sentence) == (
        GeneralizationStatus.CANCELLED,
        "cancelled by the caller",
    )


def test_training_tasks_have_to_be_of_one_domain(
    training: Training, right: AbstractionProposal
) -> None:
    with pytest.raises(UnfitTraining, match="at least one"):
        generalize((), ScriptedProposer(right))
    other = replace(training[0], domain=replace(training[0].domain, identity="other"))
    with pytest.raises(UnfitTraining, match="different domains"):
        generalize((*training, other), ScriptedProposer(right))


@pytest.mark.parametrize(
    "settings", [{"rounds": 0}, {"rounds": 1000}, {"generating": -1}, {"time_limit": 0.0}]
)
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="give"):
        GeneralizationOptions(**settings)  # type: ignore[arg-type]


TAKING = """(define (domain taking) (:requirements :strips :typing) (:types thing box)
  (:predicates (free ?x - thing) (had ?x - thing) (in ?x - thing ?b - box))
  (:action take :parameters (?x - thing) :precondition (free ?x)
    :effect (and (had ?x) (not (free ?x)))))"""


def make_taking(name: str, things: str, init: str, goal: str) -> TrainingTask:
    text = f"(define (problem {name}) (:domain taking) (:objects {things} - thing b - box)"
    task = parse_pddl(TAKING, f"{text} (:init {init}) (:goal (and {goal})))")
    atoms = list_goal_atoms(task.goal, task.instance, task.domain)
    return TrainingTask(name, task.domain, task.instance, atoms)


def test_tasks_with_nothing_to_do_are_said_to_be() -> None:
    empty = make_taking("empty", "x", "(free x)", "")
    done = make_taking("done", "x", "(had x)", "(had x)")
    with pytest.raises(UnfitTraining, match="at the beginning of empty and done"):
        generalize((empty, done), SymbolicProposer())
    real = make_taking("real", "x y", "(free x) (free y)", "(had x) (had y)")
    found = generalize((empty, done, real), SymbolicProposer())
    assert found.status is GeneralizationStatus.FOUND, found.sentence


def test_a_task_that_can_not_be_solved_is_named() -> None:
    real = make_taking("real", "x y", "(free x) (free y)", "(had x)")
    lost = make_taking("lost", "x y", "(free y)", "(had x)")
    with pytest.raises(UnfitTraining, match="the training task lost can't be solved"):
        generalize((real, lost), SymbolicProposer())


ONE_ONLY = """
features: {open: "any(and(goal.had, not(had)))"}
initial: [open]
goal: [not open]
actions: {take: {when: [open], effects: [not open], programs: ["take()"]}}
"""
ANY_NUMBER = """
features: {left: "count(and(goal.had, not(had)))"}
initial: [left > 0]
goal: [left = 0]
actions: {take: {when: [left > 0], effects: [left decreases], programs: ["take()"]}}
"""


def test_a_policy_is_tried_on_larger_tasks_before_it_is_said_to_be_found() -> None:
    one = make_taking("one", "x", "(free x)", "(had x)")
    spare = make_taking("spare", "x y", "(free x) (free y)", "(had x)")
    proposal = parse_abstraction(ONE_ONLY, "one only", (one, spare))
    found = generalize((one,), ScriptedProposer(proposal))
    assert found.status is GeneralizationStatus.FOUND
    assert "tried on tasks of up to 2 objects" in found.sentence  # none shows that two can be free
    found = generalize((one, spare), ScriptedProposer(proposal), GeneralizationOptions(rounds=1))
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert "fails on spare x2" in found.errors[0].sentence
    right = parse_abstraction(ANY_NUMBER, "any number", (one, spare))
    found = generalize((one, spare), ScriptedProposer(right))
    assert found.status is GeneralizationStatus.FOUND, found.errors
    assert "tried on tasks of up to 7 objects" in found.sentence


def test_a_run_on_a_larger_task_is_given_time_of_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the clock, other programs would decide whether the policy has a fault."""
    tasks = (
        make_taking("one", "x", "(free x)", "(had x)"),
        make_taking("spare", "x y", "(free x) (free y)", "(had x)"),
    )
    proposer = ScriptedProposer(parse_abstraction(ANY_NUMBER, "any number", tasks))
    seconds = itertools.count(0, 1_000)
    monkeypatch.setattr(loop, "process_time", lambda: float(next(seconds)))
    found = generalize(tasks, proposer, GeneralizationOptions(rounds=1))
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert "does not hold after 20 s" in found.errors[0].sentence
