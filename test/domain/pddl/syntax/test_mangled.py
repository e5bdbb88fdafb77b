# SPDX-License-Identifier: Apache-2.0
"""Files with parts cut out, doubled or swapped: read, or refused with a line; never a traceback."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.pddl import PddlError
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import read_texts

DOMAIN = """(define (domain walk) ; a comment
  (:requirements :strips :typing)
  (:types place thing - object)
  (:constants home - place)
  (:predicates (at ?p - place) (way ?a ?b - place) (here ?t - (either thing place)))
  (:functions (total-cost) - number (far ?a ?b - place) - number)
  (:constraints (forall (?t - thing) (always (here ?t))))
  (:action go
    :parameters (?a ?b - place)
    :precondition (and (at ?a) (or (way ?a ?b) (imply (= ?a ?b) (preference near (at ?b)))))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (+ 2 (far ?a ?b)))
      (forall (?t - thing) (when (exists (?c - place) (way ?b ?c)) (here ?t))))))
"""
PROBLEM = """(define (problem home)
  (:domain walk)
  (:objects a B - place cup - thing)
  (:init (at a) (way a b) (= (far a b) 2.5) (not (here cup)))
  (:goal (forall (?p - place) (preference g (not (at ?p)))))
  (:constraints (sometime-before (at a) (at b)))
  (:metric minimize (+ (total-cost) (* 3 (is-violated g)))))
"""
PARTS = re.compile(r"[()]|[^\s()]+|\s+")


def read(domain, problem):
    return read_texts(Source("d.pddl", domain), Source("p.pddl", problem), supported_only=False)


@st.composite
def mangled(draw, text):
    """The text with a few of its parts removed, repeated, exchanged or replaced."""
    parts = PARTS.findall(text)
    pool = st.sampled_from([*sorted(set(parts)), "?", "-", ":", ";", "é", "1e999", "\0", '"', "=="])
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(parts) - 1))
        kind = draw(st.sampled_from(["remove", "repeat", "replace", "insert", "swap", "cut"]))
        if kind == "remove":
            del parts[place]
        elif kind == "repeat":
            parts[place:place] = parts[place : place + draw(st.integers(1, 9))]
        elif kind == "replace":
            parts[place] = draw(pool)
        elif kind == "insert":
            parts.insert(place, draw(pool))
        elif kind == "swap":
            other = draw(st.integers(0, len(parts) - 1))
            parts[place], parts[other] = parts[other], parts[place]
        else:
            parts = parts[: max(place, 1)]
        parts = parts or [" "]
    return "".join(parts)


def check(domain, problem):
    try:
        texts = read(domain, problem)
    except PddlError as error:
        (diagnostic,) = error.diagnostics
        text = {"d.pddl": domain, "p.pddl": problem}[diagnostic.file]
        assert 1 <= diagnostic.line <= text.count("\n") + 1
        assert diagnostic.message
        assert diagnostic.fix
    else:
        assert texts.domain.name


def test_the_files_to_be_mangled_are_good():
    assert read(DOMAIN, PROBLEM).domain.name == "walk"


@given(mangled(DOMAIN))
def test_mangled_domains(domain):
    check(domain, PROBLEM)


@given(mangled(PROBLEM))
def test_mangled_problems(problem):
    check(DOMAIN, problem)


@given(st.text(alphabet="()ad;:?- \n", max_size=60))
def test_rubbish(text):
    check(text, PROBLEM)
    check(DOMAIN, text)


@pytest.mark.parametrize("text", ["", " \n", "; nothing", "define", "()", "(())", "((", "))"])
def test_files_without_a_definition(text):
    for pair in ((text, PROBLEM), (DOMAIN, text)):
        with pytest.raises(PddlError):
            read(*pair)
        check(*pair)


@pytest.mark.parametrize("text", ["(" * 10_000, ")" * 10_000, "(" * 10_000 + ")" * 10_000])
def test_ten_thousand_parentheses(text):
    check(text, PROBLEM)
    check(DOMAIN.replace("(at ?a)", text), PROBLEM)
    check(DOMAIN, PROBLEM.replace("(at a)", text))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("(at ?p - place)", "(at ?p - place) (at ?x)", 5, "several predicates at"),
        ("(?a ?b - place)\n", "(?a ?a - place)\n", 9, r"\?a is declared twice"),
        ("(:types", "(:types)\n  (:types", 4, "several sections :types"),
        (":precondition", ":parameters () :precondition", 10, ":parameters is given twice"),
        ("    :effect", "    :effect :effect", 11, "nothing follows :effect"),
        ("(not (at ?a))", "(not)", 11, r"\(not ...\) has 0 parts, not 1"),
        ("(imply (= ?a ?b)", "(imply", 10, r"\(imply ...\) has 1 part, not 2"),
        ("(:constants", "stray (:constants", 4, "'stray' can't stand here"),
        ("- (either thing place)", "-", 5, "a type is missing behind `-`"),
    ],
)
def test_mistakes_are_told_where_they_are(old, new, line, message):
    assert old in DOMAIN
    with pytest.raises(PddlError, match=message) as error:
        read(DOMAIN.replace(old, new, 1), PROBLEM)
    assert error.value.diagnostics[0].line == line, str(error.value)
