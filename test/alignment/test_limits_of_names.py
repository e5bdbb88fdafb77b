# SPDX-License-Identifier: Apache-2.0
"""Names that were torn off where the other one never holds, and names that deny one another."""

from __future__ import annotations

import pytest
from torn_names import find_truth, parse, simulate, tear

from fcp_ros.alignment.answer import AlignmentStatus
from fcp_ros.alignment.comparison import align
from fcp_ros.alignment.pairing import make_task, pair_domains
from fcp_ros.alignment.predicate_use import find_opposites
from fcp_ros.alignment.synonyms import Standing
from fcp_ros.domain.pddl.task_reader import PddlTexts

LOGISTICS = """(define (domain logistics)
 (:predicates (package ?o) (truck ?t) (airplane ?a) (vehicle ?v) (location ?l) (airport ?l)
  (city ?c) (in-city ?l ?c) (at ?o ?l) (in ?p ?v))
 (:action load-truck :parameters (?o ?t ?l)
  :precondition (and (package ?o) (truck ?t) (location ?l) (at ?t ?l) (at ?o ?l))
  :effect (and (not (at ?o ?l)) (in ?o ?t)))
 (:action load-airplane :parameters (?o ?a ?l)
  :precondition (and (package ?o) (airplane ?a) (location ?l) (at ?o ?l) (at ?a ?l))
  :effect (and (not (at ?o ?l)) (in ?o ?a)))
 (:action unload-truck :parameters (?o ?t ?l)
  :precondition (and (package ?o) (truck ?t) (location ?l) (at ?t ?l) (in ?o ?t))
  :effect (and (not (in ?o ?t)) (at ?o ?l)))
 (:action unload-airplane :parameters (?o ?a ?l)
  :precondition (and (package ?o) (airplane ?a) (location ?l) (in ?o ?a) (at ?a ?l))
  :effect (and (not (in ?o ?a)) (at ?o ?l)))
 (:action drive-truck :parameters (?t ?f ?g ?c)
  :precondition (and (truck ?t) (location ?f) (location ?g) (city ?c) (at ?t ?f)
   (in-city ?f ?c) (in-city ?g ?c))
  :effect (and (not (at ?t ?f)) (at ?t ?g)))
 (:action fly-airplane :parameters (?a ?f ?g)
  :precondition (and (airplane ?a) (airport ?f) (airport ?g) (at ?a ?f))
  :effect (and (not (at ?a ?f)) (at ?a ?g))))"""
PARCEL = """(define (problem parcel) (:domain logistics)
 (:objects p1 t1 t2 a1 l1 l2 l3 c1 c2)
 (:init (package p1) (truck t1) (truck t2) (airplane a1) (vehicle t1) (vehicle t2) (vehicle a1)
  (location l1) (location l2) (location l3) (airport l2) (airport l3) (city c1) (city c2)
  (in-city l1 c1) (in-city l2 c1) (in-city l3 c2) (at p1 l1) (at t1 l2) (at t2 l3) (at a1 l3))
 (:goal (at p1 l3)))"""


@pytest.mark.parametrize("action", ["load-truck", "load-airplane", "unload-truck", "drive-truck"])
def test_a_name_torn_off_where_the_other_never_holds_is_found_without_a_failure(
    action: str,
) -> None:
    """`in` is needed of trucks, and holds of airplanes only; kinds of things tempt (issue 28)."""
    true = parse(LOGISTICS, PARCEL)
    name = "in" if action.startswith("load") else "at"
    torn = {action: {name: "put"}}
    result = align(make_task(tear(true, torn)), simulate(true))
    assert result.status is AlignmentStatus.ALIGNED, result.message
    assert {one.proposal.synonym for one in result.mapping} == set(find_truth(true, torn).synonyms)
    assert result.failures == 0


DOORS = """(define (domain doors) (:predicates (open ?d) (shut ?d) (near ?d))
  (:action pull :parameters (?d) :precondition (shut ?d)
    :effect (and (open ?d) (not (shut ?d))))
  (:action push :parameters (?d) :precondition (open ?d)
    :effect (and (shut ?d) (not (open ?d)))))"""
TWO_DOORS = """(define (problem two) (:domain doors) (:objects a b)
  (:init (open a) (shut b) (near a)) (:goal (shut a)))"""


def read_doors() -> PddlTexts:
    return parse(DOORS, TWO_DOORS)


def test_names_of_which_one_begins_where_the_other_ends_are_opposites() -> None:
    task = make_task(read_doors())
    assert find_opposites(task.model, task.uses, task.sides) == [("open", "shut")]


def test_a_name_that_denies_one_of_the_other_domain_is_named_as_a_limit() -> None:
    """The task manager says `closed`, the robot only `ajar`: nothing is proven of the rest."""
    own = parse(
        "(define (domain wish) (:predicates (closed ?d)) (:action wait :parameters (?d ?e)"
        " :precondition (closed ?d) :effect (closed ?d)))",
        "(define (problem w) (:domain wish) (:objects a b) (:init (closed b)) (:goal (closed a)))",
    )
    other = parse(
        "(define (domain robot) (:predicates (ajar ?d) (seen ?d))"
        " (:action pull :parameters (?d) :precondition (not (ajar ?d)) :effect (ajar ?d))"
        " (:action look :parameters (?d) :precondition (ajar ?d) :effect (seen ?d))"
        " (:action push :parameters (?d) :precondition (ajar ?d) :effect (not (ajar ?d))))",
        "(define (problem r) (:domain robot) (:objects a b) (:init (ajar a))"
        " (:goal (not (ajar a))))",
    )
    result = align(pair_domains(own, other), simulate(other))
    assert result.status is not AlignmentStatus.ALIGNED, result.message
    assert any("ajar and closed seem to be opposites" in note for note in result.notes)
    assert all(one.standing is not Standing.PROVEN for one in (*result.mapping, *result.others))
