# SPDX-License-Identifier: Apache-2.0
"""Predicates that repeat a relation are replaced where that leaves conditions conjunctive."""

from fcp_ros.domain.pddl import parse_pddl

PARKING = """(define (domain parking) (:requirements :strips :typing)
(:types car curb)
(:predicates (parked ?c - car) (parked-at ?c - car ?k - curb) (clear ?k - curb) (washed ?c - car))
(:action move :parameters (?c - car ?a ?b - curb)
 :precondition (and (parked-at ?c ?a) (clear ?b))
 :effect (and (parked-at ?c ?b) (clear ?a) (not (parked-at ?c ?a)) (not (clear ?b))))
(:action leave :parameters (?c - car ?a - curb)
 :precondition (and (parked ?c) (parked-at ?c ?a))
 :effect (and (clear ?a) (not (parked-at ?c ?a)) (not (parked ?c))))
(:action wash :parameters (?c - car) :precondition ({condition}) :effect (washed ?c)))
"""
PROBLEM = """(define (problem p) (:domain parking) (:objects a b - car k l m - curb)
(:init (parked a) (parked-at a k) (parked b) (parked-at b l) (clear m))
(:goal {goal}))
"""


def read(condition, goal="(washed a)"):
    return parse_pddl(PARKING.replace("{condition}", condition), PROBLEM.replace("{goal}", goal))


def test_a_condition_on_a_shadow_would_choose_a_value_so_it_stays():
    task = read("parked ?c")
    assert set(task.replaced) == {"clear"}
    (wash,) = (rule for rule in task.domain.rules.values() if rule.name == "wash")
    assert len(wash.parameters) == 1


def test_a_shadow_next_to_its_relation_is_replaced():
    assert set(read("washed ?c").replaced) == {"clear", "parked"}


def test_a_goal_on_a_shadow_has_a_choice_of_its_own():
    assert set(read("washed ?c", "(parked a)").replaced) == {"clear", "parked"}


def test_an_absence_of_a_complement_would_choose_a_value_so_it_stays():
    wash = PARKING.replace("wash :parameters (?c - car)", "wash :parameters (?c - car ?k - curb)")
    for condition, replaced in (
        ("and (not (clear ?k))", {"parked"}),
        ("and (parked-at ?c ?k) (not (clear ?k))", {"clear", "parked"}),
    ):
        text = wash.replace("{condition}", condition)
        task = parse_pddl(text, PROBLEM.replace("{goal}", "(washed a)"))
        assert set(task.replaced) == replaced


def test_costs_stay_where_predicates_are_replaced():
    domain = """(define (domain d) (:requirements :adl :action-costs) (:types t)
     (:predicates (held ?x - t) (free) (clean ?x - t)) (:functions (total-cost))
     (:action take :parameters (?x - t) :precondition (free)
      :effect (and (held ?x) (not (free))))
     (:action drop :parameters (?x - t) :precondition (held ?x)
      :effect (and (not (held ?x)) (free)))
     (:action wash :parameters () :precondition (free)
      :effect (and (forall (?y - t) (clean ?y)) (increase (total-cost) 2))))"""
    problem = """(define (problem p) (:domain d) (:objects a - t) (:init (held a)) (:goal (free))
     (:metric minimize (total-cost)))"""
    task = parse_pddl(domain, problem)
    assert "free" in task.replaced
    assert task.domain.rules["wash"].cost.base == 2
