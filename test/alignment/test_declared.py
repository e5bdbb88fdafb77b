# SPDX-License-Identifier: Apache-2.0
"""Synonyms of different arity that a person named: read, tried, merged, planned with."""

from __future__ import annotations

import pytest
from torn_names import parse, simulate

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.comparison import align, declare_synonyms
from fcp_ros.alignment.merging import merge_texts
from fcp_ros.alignment.pairing import AlignmentError, AlignmentTask, pair_domains
from fcp_ros.alignment.synonyms import ANY, NameMapping, Synonym
from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out
from fcp_ros.planning import PlanningRequest, plan

ROBOT = """(define (domain robot)
  (:types hand thing - object block surface - thing)
  (:constants table - surface)
  (:predicates (on ?b - block ?under - thing) (clear ?b - block) (holding ?h - hand ?b - block)
    (free ?h - hand))
  (:action unstack :parameters (?h - hand ?b - block ?from - block)
    :precondition (and (free ?h) (clear ?b) (on ?b ?from))
    :effect (and (holding ?h ?b) (clear ?from) (not (on ?b ?from)) (not (free ?h))
                 (not (clear ?b))))
  (:action pick-up :parameters (?h - hand ?b - block)
    :precondition (and (free ?h) (clear ?b) (on ?b table))
    :effect (and (holding ?h ?b) (not (on ?b table)) (not (free ?h)) (not (clear ?b))))
  (:action put-down :parameters (?h - hand ?b - block)
    :precondition (holding ?h ?b)
    :effect (and (on ?b table) (free ?h) (clear ?b) (not (holding ?h ?b))))
  (:action stack :parameters (?h - hand ?b - block ?to - block)
    :precondition (and (holding ?h ?b) (clear ?to))
    :effect (and (on ?b ?to) (free ?h) (clear ?b) (not (holding ?h ?b)) (not (clear ?to)))))"""
ROBOT_PROBLEM = """(define (problem now) (:domain robot)
  (:objects a b - block left right - hand)
  (:init (on a table) (on b a) (clear b) (free left) (free right))
  (:goal (and (on a b) (on b table))))"""
TASKS = """(define (domain tasks)
  (:types hand block surface)
  (:predicates (on-table ?b - block) (stacked ?low ?high - block) (holding ?b - block)
    (top ?b - block)))"""
TASKS_PROBLEM = """(define (problem wish) (:domain tasks)
  (:objects a b - block left right - hand table - surface)
  (:init (on-table a) (stacked a b) (top b)) (:goal {goal}))"""
TABLE, HOLDING = "(on-table ?b) = (on ?b table)", "(holding ?b) = (holding ?hand ?b)"


def make_tasks(goal: str) -> tuple[PddlTexts, PddlTexts]:
    """Make the words of a task manager with a goal, and the world whose problem has the same."""
    world = ROBOT_PROBLEM
    if "(holding" in goal:
        world = world.replace("(and (on a b) (on b table))", "(holding left a)")
    return parse(TASKS, TASKS_PROBLEM.format(goal=goal)), parse(ROBOT, world)


def try_declared(goal: str, *lines: str) -> tuple[AlignmentTask, AlignmentResult]:
    own, world = make_tasks(goal)
    task = declare_synonyms(pair_domains(own, world), lines)
    return task, align(task, simulate(world))


def test_a_projection_onto_an_object_is_found_and_tried() -> None:
    task, result = try_declared("(and (stacked b a) (on-table b))", TABLE)
    assert result.status is AlignmentStatus.ALIGNED, result.message
    found = {one.proposal.synonym for one in result.mapping}
    assert found == {
        Synonym("on-table", "on", (0, 1), ("table",)),
        Synonym("on", "stacked", (1, 0)),
    }
    assert "declared" in next(
        one.proposal.reasons for one in result.mapping if one.proposal.synonym.is_projection
    )
    assert result.failures == 0
    merged = merge_texts(task.model, NameMapping(frozenset(found)))
    assert not {"on-table"} & merged.domain.predicates.keys()
    image = result.names["on-table"]
    assert image.fillers == ("table",)
    work = work_out(merged)
    again = plan(PlanningRequest(work.domain, work.instance, work.goal))
    assert again.plan is not None
    assert len(again.plan.steps) == 4


def test_without_the_declaration_there_is_no_plan() -> None:
    _, result = try_declared("(and (stacked b a) (on-table b))")
    assert result.status in (AlignmentStatus.NO_PLAN, AlignmentStatus.UNEXPLAINED), result.message


def test_any_object_takes_the_place_of_an_argument() -> None:
    task, result = try_declared("(holding a)", HOLDING)
    assert result.status is AlignmentStatus.ALIGNED, result.message
    assert {one.proposal.synonym for one in result.mapping} == {
        Synonym("holding@own", "holding", (1, 0), (ANY,))
    }
    mapping = NameMapping(frozenset(one.proposal.synonym for one in result.mapping))
    merged = merge_texts(task.model, mapping)
    assert "holding@own" not in merged.domain.predicates


def test_a_wrong_declaration_is_not_kept() -> None:
    _, result = try_declared(
        "(and (stacked b a) (on-table b))", "(on-table ?b) = (holding left ?b)", TABLE
    )
    assert result.status is AlignmentStatus.ALIGNED, result.message
    assert Synonym("on-table", "on", (0, 1), ("table",)) in {
        one.proposal.synonym for one in result.mapping
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("on-table is on", "is not two predicates"),
        ("(on-tabel ?b) = (on ?b table)", "did you mean on-table"),
        ("(on-table ?b) = (onn ?b table)", "the other domain has no predicate onn"),
        ("(on-table ?b) = (on ?b)", "on has 2 arguments, not 1"),
        ("(on-table ?b) = (on ?b tabel)", "no object tabel; did you mean table"),
        ("(on-table ?b) = (on ?b ?b)", "a name of its own"),
        ("(on-table table) = (on ?b table)", "one side must consist of variables"),
        ("(on-table ?b) = (on ?c table)", "one side must consist of variables"),
        ("(stacked ?x ?y) = (clear ?x)", "an action makes (clear ?x) true without saying of"),
    ],
)
def test_what_cannot_be_tried_is_refused(line: str, message: str) -> None:
    own, world = make_tasks("(on-table b)")
    with pytest.raises(AlignmentError) as raised:
        declare_synonyms(pair_domains(own, world), [line])
    assert message in str(raised.value)


def test_a_fact_without_a_witness_is_refused() -> None:
    own = parse(TASKS, TASKS_PROBLEM.format(goal="(top a)").replace("(top b)", "(holding a)"))
    world = parse(ROBOT, ROBOT_PROBLEM)
    with pytest.raises(AlignmentError, match="the initial state makes"):
        declare_synonyms(pair_domains(own, world), [HOLDING])
