# SPDX-License-Identifier: Apache-2.0
"""What is not supported is refused by name, what is wrong with its line and what to do."""

from __future__ import annotations

import re

import pytest

from fcp_ros.domain import DomainError
from fcp_ros.domain.pddl import PddlError, UnsupportedPddl, parse_pddl, read_pddl

DOMAIN = """(define (domain walk)
  (:requirements :strips :typing)
  (:types place thing - object)
  (:predicates (at ?p - place) (way ?a ?b - place) (here ?t - thing))
  (:functions (total-cost) - number (far ?a ?b - place) - number)
  (:action go
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (way ?a ?b))
    :effect (and (at ?b) (not (at ?a)))))
"""
PROBLEM = """(define (problem home)
  (:domain walk)
  (:objects a b - place cup - thing)
  (:init (at a) (way a b))
  (:goal (at b)))
"""
DURATIVE = """(:durative-action fly
    :parameters (?a - place) :duration (= ?duration 2)
    :condition (at start (at ?a)) :effect (at end (not (at ?a))))
  (:action go"""
NEGATED = r"depends on its own negation: way on \(not \(way \.\.\.\)\)\."
DERIVED = "(:derived (way ?a ?b - place) (at ?a))\n  (:action go"


def read(domain=DOMAIN, problem=PROBLEM):
    return parse_pddl(domain, problem, ("d.pddl", "p.pddl"))


def swapped(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "line", "feature"),
    [
        ("(:action go", DURATIVE, 6, "durative actions"),
        (
            "(:action go",
            DERIVED.replace("(at ?a)", "(preference p (at ?a))"),
            6,
            "a preference in the definition of way",
        ),
        ("(:action go", DERIVED.replace("(at ?a)", "(> (far ?a ?b) 3)"), 6, "a numeric comp"),
        ("(way ?a ?b))\n", "(> (far ?a ?b) 3))\n", 8, "a numeric comparison"),
        ("(way ?a ?b))\n", "(= (far ?a ?b) 3))\n", 8, "the numeric condition"),
        ("(not (at ?a))", "(assign (far ?a ?b) 3)", 9, "a numeric effect"),
        ("(not (at ?a))", "(increase (far ?a ?b) 3)", 9, "a numeric effect on .far"),
        ("(not (at ?a))", "(increase (total-cost) (* 2 (far ?a ?b)))", 9, "the cost"),
        ("(not (at ?a))", "(when (at ?a) (increase (total-cost) 1))", 9, "a cost under `when` in"),
        (
            "(not (at ?a))",
            "(forall (?c - place) (increase (total-cost) 1))",
            9,
            "a cost within `forall` in",
        ),
        ("(not (at ?a))", "(oneof (at ?a) (at ?b))", 9, "a non-deterministic effect"),
        ("(not (at ?a))", "(probabilistic 0.5 (at ?a))", 9, "a probabilistic effect"),
        ("(far ?a ?b - place) - number", "(far ?a ?b - place) - place", 5, "value is an object"),
        ("(way ?a ?b))", "(or (preference p1 (way ?a ?b))))", 8, "a preference within"),
        (":parameters (?a ?b - place)\n", ":vars (?a ?b - place)\n", 7, "variables beside the par"),
        ("(:action go", "(:process p :parameters ())\n  (:action go", 6, "a process"),
    ],
)
def test_features_of_domains_are_refused_by_name(old, new, line, feature):
    with pytest.raises(UnsupportedPddl, match=f"not supported: .*{feature}") as error:
        read(domain=swapped(DOMAIN, old, new))
    assert error.value.diagnostics[0].file == "d.pddl"
    assert error.value.diagnostics[0].line == line
    assert error.value.feature


@pytest.mark.parametrize(
    ("old", "new", "line", "feature"),
    [
        ("(at a)", "(at a) (at 5 (not (way a b)))", 4, "a timed initial literal"),
        ("(:goal (at b))", "(:goal (not (preference g (at b))))", 5, "a preference within"),
        ("(:goal (at b))", "(:goal (at b)) (:metric maximize (total-cost))", 5, "a metric that is"),
        (
            "(:goal (at b))",
            "(:goal (at b)) (:metric minimize (far a b))",
            5,
            ".far a b. in a metric",
        ),
        ("cup - thing", "cup - (either thing place)", 3, "an object of either"),
        ("(:goal (at b))", "(:goal (> (far a b) 2))", 5, "a numeric comparison"),
        ("(:goal (at b))", "(:goal (= (far a b) 2))", 5, "the numeric condition"),
        ("(:init", "(:htn :tasks ())\n (:init", 4, "a task network"),
    ],
)
def test_features_of_problems_are_refused_by_name(old, new, line, feature):
    with pytest.raises(UnsupportedPddl, match=f"not supported: .*{feature}") as error:
        read(problem=swapped(PROBLEM, old, new))
    assert error.value.diagnostics[0].file == "p.pddl"
    assert error.value.diagnostics[0].line == line


def test_negative_costs_are_refused():
    domain = swapped(DOMAIN, "(not (at ?a))", "(increase (total-cost) (far ?a ?b))")
    problem = swapped(PROBLEM, "(at a)", "(at a) (= (far a b) -2)")
    problem = swapped(problem, "(:goal (at b))", "(:goal (at b)) (:metric minimize (total-cost))")
    with pytest.raises(UnsupportedPddl, match="a negative cost"):
        read(domain, problem)


def test_what_is_declared_but_not_used_does_no_harm():
    assert read(swapped(DOMAIN, ":typing", ":typing :fluents :durative-actions :preferences"))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("(and (at ?b)", "(and (at ?b", 6, "6 opening and 5 closing|opening and"),
        ("(at ?a) (way ?a ?b)", "(at ?a) (road ?a ?b)", 8, "unknown predicate road"),
        ("(at ?a) (way ?a ?b)", "(at ?a ?b)", 8, "at takes 1 argument, not 2"),
        ("(at ?a) (way ?a ?b)", "(at ?c)", 8, r"\?c is bound by nothing"),
        ("(at ?a) (way ?a ?b)", "(here ?a)", 8, "a is of type place, where here takes thing"),
        ("(at ?a) (way ?a ?b)", "(at home)", 8, "home"),
        (":precondition", ":precond", 8, "can't stand here"),
        ("(:action go", "(:constraints (within 3 (at a)))\n (:action go", 6, "needs durations"),
        ("(:action go", "(:constraints (within -3 (at a)))\n (:action go", 6, "the times -3"),
        ("thing - object", "thing - place place - thing", 3, "duplicate|circle|itself|cycle"),
        ("(:action go", "(:actions go", 6, "unknown section :actions"),
        ("(define (domain walk)", "(define (problem walk)", 1, "this file is a problem, and"),
        ("(define (domain walk)", "(define (domane walk)", 1, "does not begin with"),
        ("(:action go", DERIVED.replace("(at ?a)", "(at ?a) ()"), 6, "does not define a pred"),
        (
            "(:action go",
            "(:derived (at ?a) (way ?a ?a))\n  (:action go",
            10,
            "go changes at, which is derived",
        ),
        ("(:action go", DERIVED.replace("(at ?a)", "(not (way ?b ?a))"), 6, NEGATED),
    ],
)
def test_mistakes_in_domains_are_told_with_their_line(old, new, line, message):
    with pytest.raises(PddlError, match=message) as error:
        read(domain=swapped(DOMAIN, old, new))
    problem = error.value.diagnostics[0]
    assert (problem.file, problem.line) == ("d.pddl", line), str(error.value)
    assert problem.fix
    assert not isinstance(error.value, UnsupportedPddl)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("(way a b)", "(way a c)", 4, "unknown object c"),
        ("(way a b)", "(way a)", 4, "way takes 2 arguments, not 1"),
        ("(way a b)", "(road a b)", 4, "unknown predicate road"),
        ("(way a b)", "(way a cup)", 4, "cup is of type thing, where way takes place"),
        ("(way a b)", "way a b", 4, "is not an initial fact"),
        ("(way a b)", "(= (far a b) few)", 4, "'few' is not a finite number"),
        ("(way a b)", "(= (far a b) 1e-999999999)", 4, "of at most 300 digits"),
        ("(way a b)", "(= (near a b) 1)", 4, "unknown function near"),
        ("cup - thing", "cup - dish", 3, "unknown type dish"),
        ("cup - thing", "?cups - thing", 3, "can't stand among the objects"),
        ("(:goal (at b))", "(:goal (at c))", 5, "unknown object c"),
        ("(:goal (at b))", "(:goal (and (at b) or))", 5, "can't stand here"),
        ("  (:goal (at b))", "", 1, "has no goal"),
        ("(:goal (at b)))", "(:goal (at b))", 5, "opening|closes"),
        ("(way a b)", "(= (total-cost) 3) (= (total-cost) 4)", 4, "total-cost. has two values"),
        ("(way a b)", "(= (total-cost a) 3)", 4, "total-cost takes 0 arguments, not 1"),
        ("(:goal", "(:metric minimize (fare a b))\n(:goal", 5, "unknown function fare"),
    ],
)
def test_mistakes_in_problems_are_told_with_their_line(old, new, line, message):
    with pytest.raises(PddlError, match=message) as error:
        read(problem=swapped(PROBLEM, old, new))
    problem = error.value.diagnostics[0]
    assert (problem.file, problem.line) == ("p.pddl", line), str(error.value)


def test_files_the_wrong_way_round_are_noticed(tmp_path):
    for name, text in (("d.pddl", DOMAIN), ("p.pddl", PROBLEM)):
        (tmp_path / name).write_text(text)
    with pytest.raises(PddlError, match=re.escape("the files are swapped: this one is a problem")):
        read_pddl(tmp_path / "p.pddl", tmp_path / "d.pddl")
    with pytest.raises(PddlError, match="can't be read"):
        read_pddl(tmp_path / "none.pddl", tmp_path / "p.pddl")
    (tmp_path / "bad.pddl").write_bytes(b"(define \xff)")
    with pytest.raises(DomainError, match="not UTF-8"):
        read_pddl(tmp_path / "bad.pddl", tmp_path / "p.pddl")
