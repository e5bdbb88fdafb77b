# SPDX-License-Identifier: Apache-2.0
"""Two domains with different words for one situation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from torn_names import parse, simulate

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.comparison import align
from fcp_ros.alignment.pairing import OTHER, OWN, AlignmentError, pair_domains
from fcp_ros.alignment.proposals import Proposals
from fcp_ros.alignment.record import describe_false_friends, exclude_namesakes
from fcp_ros.alignment.synonyms import Proposal, Standing, Synonym, SynonymEvidence
from fcp_ros.domain.pddl.syntax_tree import TRUE
from fcp_ros.domain.pddl.task_reader import PddlTexts

TASKS = """(define (domain tasks)
  (:types vehicle harbour)
  (:predicates (parked ?p - harbour ?v - vehicle) (docked ?p - harbour) (at ?p - harbour))
  (:action transport :parameters (?v - vehicle ?from - harbour ?to - harbour)
    :precondition (parked ?from ?v) :effect (and (parked ?to ?v) (not (parked ?from ?v)))))"""
TASKS_PROBLEM = """(define (problem wish) (:domain tasks)
  (:objects a b - vehicle north south - harbour)
  (:init (parked north a) (parked north b) (docked north) (at south))
  (:goal (and (parked south a) (parked south b) (docked south))))"""


@pytest.fixture(scope="module")
def tasks() -> PddlTexts:
    """The words of a task manager; arguments are the other way round."""
    return parse(TASKS, TASKS_PROBLEM)


@pytest.fixture(scope="module")
def world(ferry: PddlTexts) -> PddlTexts:
    """The ferry, whose problem ends where the task manager wants."""
    goal = parse(
        """(define (domain ferry) (:types car place)
          (:predicates (at-ferry ?p - place) (at ?c - car ?p - place)))""",
        """(define (problem p) (:domain ferry) (:objects a b - car north south - place) (:init)
          (:goal (and (at a south) (at b south) (at-ferry south))))""",
    ).problem.goal
    return replace(ferry, problem=replace(ferry.problem, goal=goal))


@pytest.fixture(scope="module")
def result(tasks: PddlTexts, world: PddlTexts) -> AlignmentResult:
    return align(pair_domains(tasks, world), simulate(world))


def test_goal_of_one_domain_is_reached_in_the_other(result: AlignmentResult) -> None:
    assert result.status is AlignmentStatus.ALIGNED
    assert {one.proposal.synonym for one in result.mapping} == {
        Synonym("at", "parked", (1, 0)),
        Synonym("at-ferry", "docked", (0,)),
    }
    assert result.failures == 0


def test_only_names_of_different_domains_are_candidates(
    tasks: PddlTexts, world: PddlTexts, result: AlignmentResult
) -> None:
    task = pair_domains(tasks, world)
    assert task.sides["parked"] == OWN
    assert task.sides["at"] == OTHER
    assert task.sides["at@own"] == OWN
    assert all(
        {task.sides[name] for name in one.proposal.synonym.names} == {OWN, OTHER}
        for one in (*result.mapping, *result.others)
    )


def test_equal_names_with_different_meanings_are_reported() -> None:
    own = parse(
        """(define (domain own) (:predicates (open ?d) (ajar ?d)))""",
        """(define (problem o) (:domain own) (:objects d e) (:init (open d)) (:goal (ajar d)))""",
    )
    other = parse(
        """(define (domain doors) (:predicates (ajar ?d) (open ?d))
          (:action pull :parameters (?d) :precondition (ajar ?d)
            :effect (and (open ?d) (not (ajar ?d)))))""",
        """(define (problem w) (:domain doors) (:objects d e) (:init (ajar d) (open e))
          (:goal (open d)))""",
    )
    found = align(pair_domains(own, other), simulate(other))
    assert found.status is AlignmentStatus.ALIGNED
    assert {one.proposal.synonym for one in found.mapping} == {Synonym("open", "ajar@own", (0,))}
    assert (
        "Both domains have ajar; here that of the own one is open of the other one." in found.notes
    )
    (identity,) = [one for one in found.others if one.proposal.synonym.source == "ajar"]
    assert identity.standing is Standing.REFUTED
    assert identity.confidence <= 1.0 - found.mapping[0].confidence
    assert identity.reasons[-1] == "excluded by (open ?1) = (ajar@own ?1)"


def test_equal_name_that_fits_as_well_is_not_refuted() -> None:
    synonym, namesake = Synonym("open", "ajar@own", (0,)), Synonym("ajar", "ajar@own", (0,))
    found = {one: Proposal(one, 0, 0.7, ()) for one in (synonym, namesake)}
    kept = SynonymEvidence(found[synonym], Standing.KEPT, 1, 0, rivals=(namesake,))
    assert not exclude_namesakes([kept], [], Proposals(found))
    (note,) = describe_false_friends([kept], [])
    assert "may be open" in note
    (excluded,) = exclude_namesakes([replace(kept, rivals=())], [], Proposals(found))
    assert (excluded.proposal.synonym, excluded.standing) == (namesake, Standing.REFUTED)


def test_a_model_with_the_same_actions_is_planned_with(
    ferry: PddlTexts, torn_ferry: PddlTexts
) -> None:
    task = pair_domains(torn_ferry, ferry)
    assert task.model is torn_ferry
    assert set(task.sides.values()) == {OWN}


def test_problems_of_different_situations_are_refused(ferry: PddlTexts, tasks: PddlTexts) -> None:
    fewer = replace(ferry, problem=replace(ferry.problem, objects=ferry.problem.objects[1:]))
    with pytest.raises(AlignmentError, match="lacks objects of wish: a;"):
        pair_domains(tasks, fewer)
    with pytest.raises(AlignmentError, match="has no goal"):
        pair_domains(replace(tasks, problem=replace(tasks.problem, goal=TRUE)), ferry)
