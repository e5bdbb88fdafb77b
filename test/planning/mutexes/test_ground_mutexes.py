# SPDX-License-Identifier: Apache-2.0
"""Legs that exclude each other: never a fact of each holds in any state that can be reached."""

from collections import deque
from dataclasses import replace

from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from random_worlds import worlds
from task_twin import TaskTwin

from fcp_ros.cset import facts
from fcp_ros.domain import Parameter
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.invariants import find_leg_mutexes
from fcp_ros.planning.task.task import Absence, Conditions


def compiled(domain, instance):
    task = compile_task(domain, instance, Watch(PlanningOptions()))
    conditions = Conditions(task)
    numbers = range(len(task.operators))
    return task, conditions, find_leg_mutexes(task, conditions, numbers, lambda: None)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(world=worlds())
def test_what_is_excluded_is_never_reached(world):
    domain, instance = world
    assume(facts(instance))
    task, conditions, mutexes = compiled(domain, instance)
    replay = TaskTwin(task, conditions)
    seen, queue = {task.initial}, deque([task.initial])
    while queue and len(seen) < 200:
        state = queue.popleft()
        assert mutexes.are_compatible(sorted(state))
        for index in range(len(task.operators)):
            step = replay.successor(index, state, (5.0,))
            if step is not None and step[0] not in seen:
                seen.add(step[0])
                queue.append(step[0])


def test_a_held_item_is_on_nothing(house, home):
    task, _, mutexes = compiled(house, home)
    ids = {str(fact): id_ for fact, id_ in task.fact_ids.items()}
    held, on, other = (ids[f"{f})"] for f in ("holding(bot, mug_1", "on(mug_1, tv", "on(mug_2, tv"))
    assert not mutexes.are_compatible([held, on])
    assert mutexes.are_compatible([held, other])
    leg = ("holding", 1, "mug_1")
    assert mutexes.implies(Absence((held,), leg), [on])
    assert not mutexes.implies(Absence((held,), leg), [other])
    together = [{key[:2] for key in group} for group in mutexes.make_groups()]
    assert {("on", 0), ("holding", 1), ("inside", 0)} in together


def test_an_operator_that_fills_both_legs_speaks_against_it(house, home):
    place = house.rules["place"]
    wedge = replace(
        place,
        parameters=(*place.parameters, Parameter("box", "box")),
        add=(*place.add, Atom("inside", (Variable("item"), Variable("box")))),
    )
    for rules, excluded in ((house.rules, True), ({**house.rules, "place": wedge}, False)):
        task, _, mutexes = compiled(replace(house, rules=rules), home)
        ids = {str(fact): id_ for fact, id_ in task.fact_ids.items()}
        pair = [ids["on(milk, table)"], ids["inside(milk, crate)"]]
        assert mutexes.are_compatible(pair) != excluded


def test_the_initial_state_may_speak_against_it(house, state, house_facts):
    elements = {"bot": "robot", "kitchen": "room", "table": "support", "mug": "cup"}
    known = ["at(bot, kitchen)", "in_room(table, kitchen)", "on(mug, table)", "holding(bot, mug)"]
    task, _, mutexes = compiled(house, state(house, elements, known))
    assert mutexes.are_compatible(sorted(task.initial))


BLOCKS = """(define (domain blocks) (:requirements :strips)
(:predicates (clear ?x) (on ?x ?y))
(:action move :parameters (?x ?from ?to) :precondition (and (clear ?x) (on ?x ?from) (clear ?to))
 :effect (and (on ?x ?to) (clear ?from) (not (on ?x ?from)) (not (clear ?to)))))"""
THREE = """(define (problem three) (:domain blocks) (:objects a b c d)
(:init (on a b) (clear a) (clear c) (clear d)) (:goal (on a c)))"""


def test_what_is_clear_has_nothing_on_it():
    read = parse_pddl(BLOCKS, THREE)
    task, _, mutexes = compiled(read.domain, read.instance)
    ids = {str(fact): id_ for fact, id_ in task.fact_ids.items()}
    clear = next(id_ for name, id_ in ids.items() if name.startswith("clear") and "c" in name[5:])
    assert not mutexes.are_compatible([clear, ids["on(a, c)"]])
    assert mutexes.are_compatible([clear, ids["on(a, b)"]])
    assert mutexes.implies(Absence((ids["on(a, c)"],), ("on", 1, "c")), [clear])
