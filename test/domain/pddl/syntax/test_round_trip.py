# SPDX-License-Identifier: Apache-2.0
"""Syntax trees written as PDDL and read again: random ones, and those of all files at hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_adl import make_task
from random_pddl3 import RequirementDrawer, write_requirements

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.domain_file import read_domain
from fcp_ros.domain.pddl.problem_file import read_problem
from fcp_ros.domain.pddl.source_text import Source, read_source
from fcp_ros.domain.pddl.syntax_tree import (
    TRUE,
    ActionEffect,
    Conjunction,
    Disjunction,
    DomainText,
    Equality,
    FunctionValue,
    Metric,
    Negation,
    NumericChange,
    NumericComparison,
    NumericOperation,
    PddlAction,
    PreferenceFormula,
    ProblemText,
    Quantified,
    TrajectoryFormula,
    Typed,
    ViolationCount,
    summands,
)
from fcp_ros.domain.pddl.syntax_writer import write_domain, write_problem
from fcp_ros.domain.pddl.task_reader import parse_pddl, read_texts, work_out

# Some that are words of the language elsewhere, and names that begin with a digit.
NAMES = st.sampled_from(["p", "q-r", "on_2", "object", "at", "end", "3d", "a", "within", "domain"])
TYPES = st.sampled_from(["object", "thing", "room"])
KINDS = st.lists(TYPES, min_size=1, max_size=2, unique=True).map(lambda t: tuple(sorted(t)))
NUMBERS = st.integers(0, 99).map(Fraction) | st.sampled_from(
    [Fraction("0.5"), Fraction("1e-20"), Fraction(10**17 + 1)]
)
TIMES = st.integers(0, 99).map(float) | st.sampled_from([0.5, 1e-7, 2.25e10])
SPANS = st.tuples(st.integers(0, 9), st.integers(10, 99)).map(lambda s: (s[0] / 4, s[1] / 4))


def typed(names=NAMES):
    return st.lists(st.builds(Typed, names, KINDS), max_size=3, unique_by=lambda t: t.name).map(
        tuple
    )


def terms():
    return st.builds(Variable, NAMES) | st.builds(Constant, NAMES)


def argument_lists():
    return st.lists(terms(), max_size=3).map(tuple)


def many(inner, least=0):
    return st.lists(inner, min_size=least, max_size=3).map(tuple)


def operate(operator, operands):
    """An operation; a sum within a sum is a part of it."""
    if operator == "+":
        sums = (summands(operand) for operand in operands)
        operands = tuple(part for parts in sums for part in parts)
    return NumericOperation(operator, operands)


ATOMS = st.builds(Atom, NAMES, argument_lists())
VALUES = st.builds(FunctionValue, NAMES, argument_lists())
NUMERIC = st.recursive(
    NUMBERS | VALUES | st.builds(ViolationCount, NAMES),
    lambda inner: st.builds(operate, st.sampled_from("+-*/"), many(inner, 1)),
    max_leaves=4,
)
BINDING = typed().filter(bool)


def compound(inner):
    return st.one_of(
        st.builds(Negation, inner),
        st.builds(Conjunction, many(inner)),
        st.builds(Disjunction, many(inner)),
        st.builds(Quantified, st.booleans(), BINDING, inner),
    )


ORDERS = st.sampled_from(["<", "<=", ">=", ">"])
COMPARISONS = st.builds(NumericComparison, ORDERS, NUMERIC, NUMERIC)
EQUAL_NUMBERS = st.builds(NumericComparison, st.just("="), VALUES, NUMERIC)
CONDITIONS = st.recursive(
    ATOMS | st.builds(Equality, terms(), terms()) | COMPARISONS | EQUAL_NUMBERS,
    lambda inner: compound(inner) | st.builds(PreferenceFormula, NAMES | st.just(""), inner),
    max_leaves=8,
)
TRAJECTORIES = st.recursive(
    st.one_of(
        st.builds(
            TrajectoryFormula,
            st.sampled_from(["always", "sometime", "at-most-once", "at end"]),
            st.just(()),
            st.tuples(CONDITIONS),
        ),
        st.builds(
            TrajectoryFormula,
            st.sampled_from(["sometime-after", "sometime-before"]),
            st.just(()),
            st.tuples(CONDITIONS, CONDITIONS),
        ),
        st.builds(
            TrajectoryFormula,
            st.just("always-within"),
            st.tuples(TIMES),
            st.tuples(CONDITIONS, CONDITIONS),
        ),
        st.builds(TrajectoryFormula, st.just("hold-during"), SPANS, st.tuples(CONDITIONS)),
        st.builds(
            TrajectoryFormula,
            st.sampled_from(["within", "hold-after"]),
            st.tuples(TIMES),
            st.tuples(CONDITIONS),
        ),
    ),
    lambda inner: st.one_of(
        st.builds(Conjunction, many(inner, 1)),
        st.builds(Quantified, st.just(True), BINDING, inner),
        st.builds(PreferenceFormula, NAMES | st.just(""), inner),
    ),
    max_leaves=3,
)
CHANGES = st.builds(
    NumericChange,
    st.sampled_from(["increase", "decrease", "assign", "scale-up", "scale-down"]),
    VALUES,
    NUMERIC,
)


@st.composite
def effects(draw):
    """What an action does in any case first, and then under conditions."""
    found = []
    for position in range(draw(st.integers(0, 3))):
        variables, condition = (), TRUE
        if position:
            variables, condition = draw(typed()), draw(CONDITIONS)
            if not variables and condition == TRUE:
                continue
        parts = draw(many(ATOMS)), draw(many(ATOMS)), draw(many(CHANGES))
        if any(parts):
            found.append(ActionEffect(variables, condition, *parts))
    return tuple(found)


ACTIONS = st.builds(PddlAction, NAMES, typed(), CONDITIONS | st.just(TRUE), effects())
SIGNATURES = st.dictionaries(NAMES, typed(), max_size=3)
DOMAINS = st.builds(
    DomainText,
    NAMES,
    st.dictionaries(
        st.sampled_from(["thing", "room"]), st.sampled_from([("object",), ("box",), ("box", "toy")])
    ),
    typed(),
    SIGNATURES,
    SIGNATURES,
    st.lists(ACTIONS, max_size=2, unique_by=lambda action: action.name).map(tuple),
    TRAJECTORIES | st.just(TRUE),
    st.lists(st.sampled_from([":strips", ":typing"]), unique=True).map(tuple),
)


@given(DOMAINS)
def test_random_domains(domain):
    assert read_domain(Source("d", write_domain(domain)), lambda: None) == domain


OBJECTS = ("Spoon", "cup", "kitchen")
TUPLES = st.frozensets(
    st.tuples(st.sampled_from([name.lower() for name in OBJECTS])), min_size=1, max_size=3
)
PROBLEMS = st.builds(
    lambda name, facts, values, goal, metric, constraints: ProblemText(
        name,
        "d",
        tuple(Typed(name.lower()) for name in OBJECTS),
        facts,
        {
            function: dict.fromkeys(sorted(given), Fraction("2.5"))
            for function, given in values.items()
        },
        goal,
        metric,
        constraints,
        {name.lower(): name for name in OBJECTS},
    ),
    NAMES,
    st.dictionaries(st.sampled_from(["p", "at"]), TUPLES, max_size=2),
    st.dictionaries(st.sampled_from(["f", "far"]), TUPLES, max_size=2),
    CONDITIONS,
    st.none() | st.builds(Metric, st.booleans(), NUMERIC),
    TRAJECTORIES | st.just(TRUE),
)


def test_sums_are_read_however_deep_they_are_nested():
    depth = 2_000
    terms = "".join(f"(+ (* {n} (is-violated p{n})) " for n in range(depth))
    problem = (
        f"(define (problem p) (:init) (:goal (and)) (:metric minimize {terms} 0 {')' * depth}))"
    )
    read = read_problem(
        Source("p", problem),
        DomainText("d", {}, (), {}, {}, ()),
        Source("d", "(define (domain d))"),
    )
    assert len(read.metric.value.operands) == depth + 1
    assert read.metric.value.operands[7] == NumericOperation(
        "*", (Fraction(7), ViolationCount("p7"))
    )


@given(PROBLEMS)
def test_random_problems(problem):
    leg = (Typed("x"),)
    domain = DomainText("d", {}, (), {"p": leg, "at": leg}, {"f": leg, "far": leg}, ())
    source = Source("p", write_problem(problem))
    assert read_problem(source, domain, Source("d", "(define (domain d))")) == problem


def check_round_trip(domain_file, problem_file):
    texts = read_texts(read_source(domain_file), read_source(problem_file), supported_only=False)
    check_texts(texts)


def check_texts(texts):
    again = read_texts(
        Source("d", write_domain(texts.domain, texts.problem.spelling)),
        Source("p", write_problem(texts.problem, texts.domain.constants)),
        supported_only=False,
    )
    assert (again.domain, again.problem) == (texts.domain, texts.problem)
    assert again.problem.spelling == texts.problem.spelling


def test_objects_of_several_types_and_constants_with_capitals():
    domain = """(define (domain d) (:types a b - object c - a) (:constants Lamp - a Table - b)
      (:predicates (p ?x - a) (q ?x - b)) (:functions (total-cost) (f ?x - a))
      (:action act :parameters (?x - (either a b)) :precondition (or (p Lamp) (q table))
       :effect (and (p lamp) (increase (total-cost) (f lamp)))))"""
    problem = """(define (problem e) (:domain d) (:objects X - a x - b Y - c Lamp - b)
      (:init (p X) (q x) (q lamp) (not (p lamp)) (= (f x) 2) (= (total-cost) 0))
      (:goal (and (p Y) (preference one (q Table)))) (:constraints (always (p X)))
      (:metric minimize (+ (total-cost) (* 1234567.5 (is-violated one)))))"""
    texts = read_texts(Source("d", domain), Source("p", problem))
    assert dict(texts.problem.spelling)["lamp"] == "Lamp"
    check_texts(texts)
    written = write_problem(texts.problem, texts.domain.constants)
    assert "Table - b" not in written
    assert "(= (total-cost) 0)" in written


@given(st.integers(0, 100_000))
def test_random_tasks_with_constraints_and_preferences(seed):
    texts = read_texts(*(Source(n, t) for n, t in zip(("d", "p"), make_task(seed), strict=True)))
    texts = write_requirements(
        texts, RequirementDrawer(Random(seed), texts).requirements(texts.problem.goal)
    )
    check_texts(texts)
    again = parse_pddl(
        write_domain(texts.domain, texts.problem.spelling),
        write_problem(texts.problem, texts.domain.constants),
    )
    task = work_out(texts)
    assert again.goal == task.goal
    assert again.instance == task.instance
    assert again.domain.rules == task.domain.rules
    assert again.minimises_cost == task.minimises_cost


def test_own_files(repository):
    for problem in sorted((repository / "test" / "data" / "pddl").glob("*-1.pddl")):
        check_round_trip(problem.with_name(problem.name.replace("-1", "")), problem)


@pytest.mark.parametrize("folder", ["pddl3", "genplan", "fluents", "taskography/problems"])
def test_shared_files(shared_dir, folder):
    """PDDL 3.0 as well: preferences, trajectory constraints and numbers have their place."""
    domains = sorted((shared_dir / "bench" / folder).rglob("domain.pddl"))
    assert domains
    for domain in domains:
        problems = [p for p in sorted(domain.parent.rglob("*.pddl")) if p != domain]
        for problem in problems if folder == "pddl3" else problems[:2]:
            check_round_trip(domain, problem)
