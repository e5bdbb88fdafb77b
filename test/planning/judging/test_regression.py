# SPDX-License-Identifier: Apache-2.0
"""Regression of single facts: bounded effort, and cycles that never make a fact true."""

import math
import time

import pytest

from fcp_ros.cset import Fact
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

BARS = """(define (domain bars) (:requirements :typing)
 (:types bar cell)
 (:predicates (clear ?a - cell) (next ?a ?b - cell) (lies ?x - bar ?a ?b ?c - cell))
 (:action ahead :parameters (?x - bar ?a ?b ?c ?d - cell)
  :precondition (and (lies ?x ?a ?b ?c) (clear ?d) (next ?c ?d))
  :effect (and (lies ?x ?b ?c ?d) (clear ?a) (not (clear ?d)) (not (lies ?x ?a ?b ?c))))
 (:action back :parameters (?x - bar ?a ?b ?c ?d - cell)
  :precondition (and (lies ?x ?a ?b ?c) (clear ?d) (next ?a ?d))
  :effect (and (lies ?x ?d ?a ?b) (clear ?c) (not (clear ?d)) (not (lies ?x ?a ?b ?c))))
 (:action aside :parameters (?x - bar ?a ?b ?c ?d ?e ?f - cell)
  :precondition (and (lies ?x ?a ?b ?c) (clear ?d) (clear ?e) (clear ?f)
   (next ?a ?d) (next ?b ?e) (next ?c ?f) (next ?d ?e) (next ?e ?f))
  :effect (and (lies ?x ?d ?e ?f) (clear ?a) (clear ?b) (clear ?c)
   (not (clear ?d)) (not (clear ?e)) (not (clear ?f)) (not (lies ?x ?a ?b ?c)))))"""
SIZE = 8


def bars():
    """Bars of three cells on a square board, with no free row between them."""
    cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    joined = [
        f"(next c{x}-{y} c{x + i}-{y + j})"
        for x, y in cells
        for i, j in steps
        if (x + i, y + j) in cells
    ]
    lying = [f"(lies b{y} c0-{y} c1-{y} c2-{y})" for y in range(SIZE)]
    free = [f"(clear c{x}-{y})" for x, y in cells if x > 2]
    objects = " ".join(f"c{x}-{y}" for x, y in cells) + " - cell "
    objects += " ".join(f"b{y}" for y in range(SIZE)) + " - bar"
    goal = " ".join(f"(clear c{x}-{y})" for x, y in cells if x < 3 and y < SIZE - 2)
    return (
        f"(define (problem p) (:domain bars) (:objects {objects}) "
        f"(:init {' '.join([*joined, *lying, *free])}) (:goal (and {goal})))"
    )


def estimate_all(task, check=lambda: None):
    bounds = FactLossBounds(
        task.domain, task.instance, lambda _: None, TNORMS["lukasiewicz"], check
    )
    return [
        bounds.estimate(Fact("clear", (f"c{x}-{y}",))).loss for x in range(3) for y in range(SIZE)
    ]


def test_the_effort_does_not_grow_with_the_number_of_paths():
    task = parse_pddl(BARS, bars())
    began = time.process_time()
    losses = estimate_all(task)
    assert time.process_time() - began < 20.0  # 0.4 s alone; paths are exponentially many
    assert losses == [0.0] * len(losses)


def test_it_stops_when_told_to():
    def stop():
        raise Interrupted(PlanStatus.TIMEOUT, "enough")

    with pytest.raises(Interrupted):
        estimate_all(parse_pddl(BARS, bars()), stop)


CIRCLE = """(define (domain circle) (:predicates (p) (q) (r) (s))
 (:action a :parameters () :precondition (q) :effect (and (p) (not (q))))
 (:action b :parameters () :precondition (p) :effect (and (q) (not (p))))
 (:action c :parameters () :precondition (s) :effect (and (r) (not (s)))))"""


@pytest.mark.parametrize(("initial", "expected"), [("s", math.inf), ("q", 0.0)])
def test_facts_that_need_each_other_are_never_reached_by_themselves(initial, expected):
    problem = f"(define (problem x) (:domain circle) (:init ({initial})) (:goal (p)))"
    task = parse_pddl(CIRCLE, problem)
    bounds = FactLossBounds(
        task.domain, task.instance, lambda _: None, TNORMS["product"], lambda: None
    )
    rows = next(r for r in task.domain.schema.relations if r.name == "p")
    arguments = tuple(
        task.instance.name_of(task.instance.elements(type_)[0]) for _, type_ in rows.legs
    )
    assert bounds.estimate(Fact("p", arguments)).loss == expected
