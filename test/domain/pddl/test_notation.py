# SPDX-License-Identifier: Apache-2.0
"""Sentences of the planner, with facts and steps as PDDL writes them."""

import pytest

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.domain.pddl.pddl_task import PddlNotation
from fcp_ros.domain.pddl.task_reader import is_condition

DOMAIN = """(define (domain walk) (:types place)
 (:predicates (light) (at ?p - place) (way ?a ?b - place) (3rd ?p - place) (walk ?p - place))
 (:action walk :parameters (?a ?b ?c - place) :precondition (and (at ?a) (3rd ?c))
  :effect (and (at ?b) (not (at ?a)) (light))))"""
PROBLEM = """(define (problem home) (:domain walk) (:objects a B 007 - place)
 (:init (at a) (3rd 007)) (:goal (and (at b) (light))))"""


@pytest.fixture(scope="module")
def task():
    return parse_pddl(DOMAIN, PROBLEM)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("light(world) is never true", "(light) is never true"),
        ("leads to at(world, a), not light(world)", "leads to (at a), (not (light))"),
        ("way(a, ?x) does not hold", "(way a ?x) does not hold"),
        ('_3rd("007") and walk(B)', "(3rd 007) and (walk B)"),
        ("goal(s) of (any) kind, as in f(x)", "goal(s) of (any) kind, as in f(x)"),
        ("The rule walk_2 has it", "The action walk has it"),
        ("as a rule, this holds", "as a rule, this holds"),
    ],
)
def test_sentences(task, said, written):
    assert PddlNotation(task).write_sentence(said) == written


def test_steps_of_all_rules_of_an_action(task):
    """A rule for each way in which parameters may be the same object."""
    notation = PddlNotation(task)
    for name, form in task.forms.items():
        parameters = task.rule(name).parameter_names
        objects = {p: "world" if p not in form.parameters else "B" for p in parameters}
        call = f"{name}({', '.join(objects.values())})"
        assert notation.write_step(name, objects) == "(walk B B B)"
        assert notation.write_sentence(f"step 1 {call}: no") == "step 1 (walk B B B): no"
    assert len(task.forms) > 1


@pytest.mark.parametrize(
    ("goal", "in_pddl"),
    [
        ("(light)", True),
        ("(and (at b) (not (light)))", True),
        ("(forall (?p - place) (at ?p))", True),
        ("(and (at b", True),
        ("at(world, a)", False),
        ("(at(world, a) or light(world))", False),
        ("(not light(world))", False),
        ("exists ?x: place (at(world, ?x))", False),
    ],
)
def test_which_goals_are_read_as_pddl(goal, in_pddl):
    assert is_condition(goal) is in_pddl
