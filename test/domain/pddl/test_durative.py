# SPDX-License-Identifier: Apache-2.0
"""Durative actions as actions that follow one another, compared with what PDDL 2.1 says of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.domain_file import read_domain
from fcp_ros.domain.pddl.durative import compute_duration, sequence_actions
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import Conjunction, Equality, Negation
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.foundation.stopping import never_stop

OBJECTS = ("x", "y")
FACTS = [f"(p {one})" for one in OBJECTS] + [f"(q {a} {b})" for a, b in product(OBJECTS, OBJECTS)]
ATOMS = ("(p ?a)", "(p ?b)", "(p x)", "(q ?a ?b)", "(q ?b ?a)", "(q ?a x)")
HEAD = """(define (domain timed) (:requirements :strips)
  (:constants x y) (:predicates (p ?a) (q ?a ?b)) (:functions (far ?a ?b) (pace))
  (:durative-action act :parameters (?a ?b) """

literals = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.booleans()), max_size=3, unique_by=lambda one: one[0]
)


def read(text):
    return read_domain(Source("timed.pddl", f"{HEAD}{text}))"), never_stop, durative=True)


def write(kind, time, parts):
    signed = (atom if holds else f"(not {atom})" for atom, holds in parts)
    return f"({time} (and {' '.join(signed)}))" if parts else "(and)"


def bind(text, a, b):
    return text.replace("?a", a).replace("?b", b)


def simulate(state, bound, conditions, effects):
    """The state after the action by its definition; None where it can't be done."""

    def holds(parts, now):
        return all((bind(atom, *bound) in now) is wanted for atom, wanted in parts)

    def change(parts, now):
        gone = {bind(atom, *bound) for atom, is_added in parts if not is_added}
        return (now - gone) | {bind(atom, *bound) for atom, is_added in parts if is_added}

    start, over, end = conditions
    if not holds(start, state):
        return None
    during = change(effects[0], state)
    return change(effects[1], during) if holds((*over, *end), during) else None


def do(state, bound, action):
    """The state after an action without a duration; None where it can't be done."""
    names = dict(zip("ab", bound, strict=True))

    def name(term):
        return names[term.name] if isinstance(term, Variable) else term.name

    def fact(atom):
        return f"({' '.join((atom.predicate, *map(name, atom.arguments)))})"

    def holds(formula):
        if isinstance(formula, Atom):
            return fact(formula) in state
        if isinstance(formula, Equality):
            return name(formula.left) == name(formula.right)
        if isinstance(formula, Negation):
            return not holds(formula.body)
        join = all if isinstance(formula, Conjunction) else any
        return join(map(holds, formula.parts))

    if not holds(action.precondition):
        return None
    own = [effect for effect in action.effects if holds(effect.condition)]
    gone = {fact(atom) for effect in own for atom in effect.delete}
    return (state - gone) | {fact(atom) for effect in own for atom in effect.add}


@given(
    st.tuples(literals, literals, literals),
    st.tuples(literals, literals),
    st.sets(st.sampled_from(FACTS)).map(frozenset),
    st.tuples(st.sampled_from(OBJECTS), st.sampled_from(OBJECTS)),
)
def test_an_action_alone_does_what_the_durative_one_does(conditions, effects, state, bound):
    times = ("at start", "over all", "at end")
    when = " ".join(map(write, times, times, conditions))
    then = " ".join(map(write, times, ("at start", "at end"), effects))
    domain = read(f":duration (= ?duration 1) :condition (and {when}) :effect (and {then})")
    (action,) = sequence_actions(domain, Source("timed.pddl", "")).actions
    assert do(state, bound, action) == simulate(state, bound, conditions, effects)


def test_a_fact_of_the_start_counts_as_held_over_all():
    """The arm is taken at the start and given back at the end, and must be held meanwhile."""
    domain = HEAD + (
        ":duration (= ?duration 5) :condition (and (at start (p ?a)) (over all (not (p ?a)))) "
        ":effect (and (at start (not (p ?a))) (at end (and (p ?a) (q ?a ?b))))))"
    )
    problem = "(define (problem one) (:domain timed) (:init (p x)) (:goal (q x y)))"
    texts = read_texts(Source("d", domain), Source("p", problem), sequential=True)
    task = work_out(texts)
    assert task.domain.rules
    with pytest.raises(UnsupportedPddl, match="durative actions"):
        read_texts(Source("d", domain), Source("p", problem))


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [("2.5", 2.5), ("(* 2 (far ?a ?b))", 6), ("(/ (far ?b y) (pace))", 1.5), ("(- (pace))", -2)],
)
def test_a_duration_is_computed(duration, seconds):
    (action,) = read(f":duration (= ?duration {duration}) :effect (at end (p ?a))").durative
    values = {"far": {("x", "y"): Fraction(3), ("y", "y"): Fraction(3)}, "pace": {(): Fraction(2)}}
    assert compute_duration(action, ("x", "y"), values) == Fraction(str(seconds))
    if "pace" in duration:
        with pytest.raises(ValueError, match=r"needs \((pace|far y y)\), which has no value"):
            compute_duration(action, ("x", "y"), {})
        with pytest.raises(ValueError, match="divides by zero"):
            compute_duration(
                read(":duration (= ?duration (/ 1 (pace)))").durative[0],
                ("x", "y"),
                {"pace": {(): Fraction(0)}},
            )


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        (":duration (<= ?duration 5)", UnsupportedPddl, "the duration"),
        (":effect (at end (p ?a))", PddlError, "no duration"),
        (":duration (= ?duration 5) :condition (p ?a)", PddlError, "does not say when"),
        (":duration (= ?duration 5) :effect (at end)", PddlError, "has no effect"),
        (
            ":duration (= ?duration 5) :effect (at end (when (p ?a) (p ?b)))",
            UnsupportedPddl,
            "a conditional effect",
        ),
        (
            ":duration (= ?duration 5) :effect (increase (pace) (* #t 2))",
            UnsupportedPddl,
            "in the effect of a durative action",
        ),
        (
            ":duration (= ?duration 5) :condition (over all (exists (?a) (p ?a))) "
            ":effect (at start (p ?a))",
            UnsupportedPddl,
            r"a quantifier over \?a",
        ),
        (":duration (= ?duration 5) :precondition (p ?a)", PddlError, "`:condition`"),
    ],
)
def test_what_is_not_understood_is_named(text, error, sentence):
    with pytest.raises(error, match=sentence):
        sequence_actions(read(text), Source("timed.pddl", f"{HEAD}{text}))"))
