# SPDX-License-Identifier: Apache-2.0
"""Preferences, constraints and metrics where they may not be, each with its place and its kind."""

import pytest

from fcp_ros.domain.pddl import PddlError, UnsupportedPddl, parse_pddl

DOMAIN = """(define (domain lamps)
  (:predicates (lit ?x) (warm))
  (:functions (total-cost) (fuel))
  {constraints}
  (:action light :parameters (?x) {condition} :effect (and (lit ?x) {effect})))"""
PROBLEM = """(define (problem p) (:domain lamps) (:objects a b) (:init)
  (:goal {goal})
  {constraints}
  {metric})"""
QUIET = "(preference q (lit a))"


def read(goal=QUIET, constraints="", metric="", **domain):
    parts = {"constraints": "", "condition": "", "effect": "", **domain}
    return parse_pddl(
        DOMAIN.format(**parts),
        PROBLEM.format(goal=goal, constraints=constraints, metric=metric),
        ("d.pddl", "p.pddl"),
    )


def check(error, kind, place, message):
    assert type(error.value) is kind
    (diagnostic, *_) = error.value.diagnostics
    assert f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}" == place
    assert message in diagnostic.message
    assert diagnostic.fix


@pytest.mark.parametrize(
    ("metric", "kind", "place", "message"),
    [
        ("minimize (is-violated z)", PddlError, "p.pddl:4:21", "z, which is no preference"),
        ("minimize (* -2 (is-violated q))", UnsupportedPddl, "p.pddl:4:3", "preference q counts"),
        ("minimize (- (is-violated q) (fuel))", UnsupportedPddl, "p.pddl:4:3", "fuel counts"),
        ("minimize (* (fuel) (is-violated q))", UnsupportedPddl, "p.pddl:4:3", "in a metric"),
        ("minimize (is-violated)", PddlError, "p.pddl:4:21", "has 0 parts"),
        ("minimise (is-violated q)", PddlError, "p.pddl:4:3", "is not a metric"),
    ],
)
def test_metrics(metric, kind, place, message):
    with pytest.raises(PddlError) as error:
        read(metric=f"(:metric {metric})")
    check(error, kind, place, message)


@pytest.mark.parametrize(
    ("goal", "kind", "place", "message"),
    [
        ("(preference a (preference b (lit a)))", UnsupportedPddl, "p.pddl:2:24", "within a pref"),
        ("(not (preference b (lit a)))", UnsupportedPddl, "p.pddl:2:15", "within another"),
        ("(always (lit a))", PddlError, "p.pddl:2:10", "is a constraint on the states"),
        ("(preference q)", PddlError, "p.pddl:2:22", "can't stand here"),
        ("(preference a b (lit b))", PddlError, "p.pddl:2:10", "has 3 parts"),
        ("(> (is-violated q) 1)", UnsupportedPddl, "p.pddl:2:10", "a numeric comparison"),
    ],
)
def test_goals(goal, kind, place, message):
    with pytest.raises(PddlError) as error:
        read(goal=goal)
    check(error, kind, place, message)


@pytest.mark.parametrize(
    ("constraint", "kind", "place", "message"),
    [
        ("(lit a)", PddlError, "p.pddl:3:17", "(lit ...) is not a constraint"),
        ("(= a b)", PddlError, "p.pddl:3:17", "(= ...) is not a constraint"),
        ("(always (sometime (lit a)))", PddlError, "p.pddl:3:25", "not a condition"),
        ("(sometime-after (lit a))", PddlError, "p.pddl:3:17", "has 1 part, not 2"),
        ("(forall (?x) (sometime (lit ?y)))", PddlError, "p.pddl:3:45", "bound by nothing"),
    ],
)
def test_constraints(constraint, kind, place, message):
    with pytest.raises(PddlError) as error:
        read(constraints=f"(:constraints {constraint})")
    check(error, kind, place, message)


@pytest.mark.parametrize(
    ("parts", "kind", "place", "message"),
    [
        (
            {"condition": ":precondition (preference z (preference y (lit ?x)))"},
            UnsupportedPddl,
            "d.pddl:5:63",
            "a preference within another condition of light",
        ),
        (
            {"effect": "(increase (total-cost) (is-violated q))"},
            UnsupportedPddl,
            "d.pddl:5:58",
            "the cost (is-violated q) in action light",
        ),
    ],
)
def test_actions(parts, kind, place, message):
    with pytest.raises(PddlError) as error:
        read(**parts)
    check(error, kind, place, message)


def test_preferences_are_joined_to_a_precondition_by_nested_conjunctions_too():
    once, twice = (
        read(condition=f":precondition {text}")
        for text in (
            "(and (preference z (not (lit ?x))) (not (warm)))",
            "(and (and (preference z (not (lit ?x)))) (and (not (warm))))",
        )
    )
    assert len(once.forms) == 2
    assert once.forms == twice.forms
    assert once.domain.rules == twice.domain.rules
