# SPDX-License-Identifier: Apache-2.0
"""The objects at each position of a predicate: all that states have, and little more."""

from collections import deque

from hypothesis import Phase, given, settings
from pddl_interpreter import Interpreter
from random_pddl import tasks

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import read_texts
from fcp_ros.domain.pddl.universe import Universe

STATES = 60
"""States that are visited of each random task."""


def read(domain, problem):
    return read_texts(Source("domain", domain), Source("problem", problem))


def list_facts(twin, limit):
    """All facts of the states that a breadth-first search visits."""
    seen = {twin.initial}
    waiting = deque(seen)
    while waiting and len(seen) < limit:
        for _, _, after in twin.transitions(waiting.popleft()):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return frozenset().union(*seen)


@settings(max_examples=100, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
@given(tasks())
def test_columns_have_all_facts_of_reachable_states(text):
    texts = read(*text)
    universe = Universe(texts.domain, texts.problem)
    for predicate, *arguments in list_facts(Interpreter(texts), STATES):
        for position, name in enumerate(arguments):
            assert name in universe.column(predicate, position)


UNTYPED = """(define (domain carry) (:types object place robot)
 (:predicates (at ?r - robot ?p - place) (on ?o - object ?p - place) (held ?o - object)
  (next ?a ?b - place) (clean ?o - object))
 (:action go :parameters (?r - robot ?a ?b - place) :precondition (and (at ?r ?a) (next ?a ?b))
  :effect (and (at ?r ?b) (not (at ?r ?a))))
 (:action grasp :parameters (?r - robot ?o - object ?p - place)
  :precondition (and (at ?r ?p) (on ?o ?p)) :effect (and (held ?o) (not (on ?o ?p))))
 (:action put :parameters (?r - robot ?o - object ?p - place)
  :precondition (and (at ?r ?p) (held ?o)) :effect (and (on ?o ?p) (not (held ?o))))
 (:action wash-all :parameters (?r - robot ?o - object) :precondition (held ?o)
  :effect (forall (?o - object) (when (clean ?o) (held ?o)))))"""
CARRY = """(define (problem c) (:domain carry)
 (:objects cup - object hall - place kitchen - place rob - robot)
 (:init (at rob hall) (on cup kitchen) (next hall kitchen) (clean hall)) (:goal (on cup hall)))"""


def test_requirements_limit_what_types_leave_open():
    texts = read(UNTYPED, CARRY.replace("(clean hall)", ""))
    universe = Universe(texts.domain, texts.problem)
    assert universe.column("held", 0) == {"cup"}
    assert universe.column("on", 1) == {"hall", "kitchen"}
    assert universe.column("clean", 0) == set()


def test_variables_of_effects_hide_parameters_of_the_same_name():
    texts = read(UNTYPED, CARRY)
    assert Universe(texts.domain, texts.problem).column("held", 0) == {"cup", "hall"}


def test_parameters_are_identified_only_where_reachable_facts_allow_it():
    # `object` is above all types: a cup could be the robot, or the place where it stands.
    task = parse_pddl(UNTYPED, CARRY.replace("(clean hall)", ""))
    forms = [form for form in task.forms.values() if form.action in ("grasp", "put")]
    assert len(forms) == 2
