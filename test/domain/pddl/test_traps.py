# SPDX-License-Identifier: Apache-2.0
"""Actions that are easily got wrong: each by hand, state by state next to the interpreter."""

from __future__ import annotations

import pytest
from pddl_states import compared

ALL = "x1 x2 - a y1 y2 - sub"
DOMAIN = """(define (domain traps) (:requirements :adl) (:types a - object sub - a)
(:predicates (one ?x - a) (q ?x - a ?y - a) (p ?x - a) (r))
(:action act :parameters ({parameters}) :precondition {condition} :effect (and {effect}))
(:action r-on :parameters () :precondition (not (r)) :effect (r)))"""
PROBLEM = "(define (problem one) (:domain traps) (:objects {objects}) (:init {init}) (:goal (r)))"

AT_MOST_ONE = "(one x1) (p x1) (p y1)"
EACH_ONE = "(q x1 x2) (q x2 x1) (q y1 x1) (p x1) (p y1)"


@pytest.mark.parametrize(
    ("parameters", "condition", "effect", "init", "functional"),
    [
        # One goes, one comes: a variable.
        ("?x ?z - a", "(one ?z)", "(not (one ?z)) (one ?x)", AT_MOST_ONE, {"one"}),
        ("?x ?y ?z - a", "(q ?x ?y)", "(not (q ?x ?y)) (q ?x ?z)", EACH_ONE, {"q"}),
        # Two come.
        ("?x ?y ?z - a", "(one ?z)", "(not (one ?z)) (one ?x) (one ?y)", AT_MOST_ONE, set()),
        # It goes from one and comes to another, which may have one already.
        ("?x ?y ?z - a", "(q ?x ?y)", "(not (q ?x ?y)) (q ?z ?y)", EACH_ONE, set()),
        # As many come as there are.
        ("?z - a", "(one ?z)", "(not (one ?z)) (forall (?w - a) (one ?w))", AT_MOST_ONE, set()),
        (
            "?z - a",
            "(one ?z)",
            "(not (one ?z)) (forall (?w - a) (when (p ?w) (one ?w)))",
            AT_MOST_ONE,
            set(),
        ),
        (
            "?x ?y - a",
            "(q ?x ?y)",
            "(not (q ?x ?y)) (forall (?w - a) (when (p ?w) (q ?x ?w)))",
            EACH_ONE,
            set(),
        ),
        # Each gets one more, and so does x, which may be one of them.
        (
            "?x ?y ?z - a",
            "(q ?x ?y)",
            "(not (q ?x ?y)) (q ?x ?z) "
            "(forall (?w - a) (when (q ?w ?y) (and (not (q ?w ?y)) (q ?w ?x))))",
            EACH_ONE,
            set(),
        ),
        # What goes comes back, if r holds.
        (
            "?x ?z - a",
            "(one ?z)",
            "(not (one ?z)) (one ?x) (when (r) (one ?z))",
            AT_MOST_ONE,
            set(),
        ),
        (
            "?x ?z - a",
            "(one ?z)",
            "(not (one ?z)) (one ?x) (when (and (r) (one ?z)) (one ?z))",
            AT_MOST_ONE,
            set(),
        ),
        # It goes only if r holds.
        ("?x ?z - a", "(one ?z)", "(one ?x) (when (r) (not (one ?z)))", AT_MOST_ONE, set()),
        # It goes without having been asked for: perhaps it was not there.
        ("?x ?z - a", "(p ?z)", "(one ?x) (not (one ?z))", AT_MOST_ONE, set()),
        # All move along, each from where it is.
        (
            "?y ?z - a",
            "(r)",
            "(forall (?w - a) (when (q ?w ?y) (and (not (q ?w ?y)) (q ?w ?z))))",
            EACH_ONE,
            {"q"},
        ),
        # Two at first.
        ("?x ?z - a", "(one ?z)", "(not (one ?z)) (one ?x)", "(one x1) (one y1)", set()),
    ],
)
def test_functional_legs_are_sound(parameters, condition, effect, init, functional):
    task = agreed(DOMAIN.format(parameters=parameters, condition=condition, effect=effect), init)
    found = {
        r.name for r in task.domain.schema.relations if r.functional and r.name in ("one", "q")
    }
    assert found == functional


def agreed(domain, init):
    """The task, after its states and steps have been compared with those of PDDL."""
    task, _ = compared(domain, PROBLEM.format(objects=ALL, init=init))
    return task
