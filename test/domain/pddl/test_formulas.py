# SPDX-License-Identifier: Apache-2.0
"""Conditions with thousands of alternatives are read as formulas, which mean the same."""

from __future__ import annotations

import itertools

import pytest
from pddl_states import compared

from fcp_ros.cset import find_homs
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.domain.pddl import normal_form, parse_pddl
from fcp_ros.domain.rule_spans import apply_rule, build_span

# Parts are fitted into wholes, in an order and while tools are at hand; a whole is a part, too.
BUILD = """(define (domain build) (:requirements :adl) (:types part tool)
(:predicates (needs ?w - part ?t - tool) (held ?t - tool ?w - part) (free ?t - tool)
  (belongs ?p ?w - part) (before ?a ?b ?w - part) (fitted ?p ?w - part) (ready ?p - part))
(:action take :parameters (?t - tool ?w - part) :precondition (free ?t)
  :effect (and (held ?t ?w) (not (free ?t))))
(:action release :parameters (?t - tool ?w - part) :precondition (held ?t ?w)
  :effect (and (free ?t) (not (held ?t ?w))))
(:action fit :parameters (?p ?w - part)
  :precondition (and (belongs ?p ?w) (ready ?p)
    (forall (?t - tool) (imply (needs ?w ?t) (held ?t ?w)))
    (forall (?q - part) (imply (before ?q ?p ?w) (fitted ?q ?w))))
  :effect (and (fitted ?p ?w) (not (ready ?p))
    (when (not (exists (?q - part)
        (and (belongs ?q ?w) (not (= ?q ?p)) (not (fitted ?q ?w)))))
      (ready ?w)))))"""


def build_problem(size):
    """One whole of some parts, to be fitted one after the other, with two tools."""
    parts = [f"p{n}" for n in range(size)]
    belongs = " ".join(f"(belongs {part} whole) (ready {part})" for part in parts)
    order = " ".join(f"(before {a} {b} whole)" for a, b in itertools.pairwise(parts))
    return f"""(define (problem b) (:domain build) (:objects {" ".join(parts)} whole - part
        t1 t2 t3 - tool) (:init (free t1) (free t2) (free t3) (needs whole t1) (needs whole t2)
        {belongs} {order}) (:goal (ready whole)))"""


# Products are made when all orders that include them have begun; orders are shipped when complete.
ORDERS = """(define (domain orders) (:requirements :adl) (:types order product)
(:predicates (includes ?o - order ?p - product) (waiting ?o - order) (begun ?o - order)
  (shipped ?o - order) (made ?p - product))
(:action begin :parameters (?o - order) :precondition (waiting ?o)
  :effect (and (begun ?o) (not (waiting ?o))))
(:action make :parameters (?p - product) :precondition (and (not (made ?p))
    (forall (?o - order) (imply (includes ?o ?p) (begun ?o)))) :effect (made ?p))
(:action ship :parameters (?o - order) :precondition (and (begun ?o)
    (forall (?p - product) (or (not (includes ?o ?p)) (made ?p))))
  :effect (and (shipped ?o) (not (begun ?o)))))"""


def orders_problem(size):
    """Order n includes the products n and n + 1."""
    orders = " ".join(f"o{n}" for n in range(size))
    products = " ".join(f"p{n}" for n in range(size + 1))
    facts = " ".join(
        f"(waiting o{n}) (includes o{n} p{n}) (includes o{n} p{n + 1})" for n in range(size)
    )
    return f"""(define (problem o) (:domain orders) (:objects {orders} - order
        {products} - product) (:init {facts}) (:goal (forall (?o - order) (shipped ?o))))"""


TASKS = {
    "build": (BUILD, build_problem),
    "orders": (ORDERS, orders_problem),
}


@pytest.mark.parametrize(
    ("name", "size"), [(name, 14) for name in TASKS] + [("build", 2), ("orders", 4)]
)
def test_states_and_steps_are_those_of_pddl(name, size, monkeypatch):
    """With few objects conditions can be taken apart, with many they are not."""
    if size < 14:
        monkeypatch.setattr(normal_form, "MAX_ALTERNATIVES", 2_000)
    domain, problem = TASKS[name]
    task, _ = compared(domain, problem(size), limit=12 if size < 10 else 3)
    kept = [formula for rule in task.domain.rules.values() for formula in list_formulas(rule)]
    assert bool(kept) == (size == 14)


def list_formulas(rule):
    return [*rule.formulas, *(f for effect in rule.effects for f in effect.formulas)]


@pytest.mark.parametrize("name", TASKS)
def test_large_tasks_have_few_rules(name):
    domain, problem = TASKS[name]
    task = parse_pddl(domain, problem(100))
    assert len(task.domain.rules) <= 8
    assert any(list_formulas(rule) for rule in task.domain.rules.values())


def test_formulas_speak_of_the_rule_s_parameters():
    rule = parse_pddl(BUILD, build_problem(50)).domain.rules["fit"]
    assert [p.name for p in rule.parameters] == ["p", "w"]
    assert [atom.predicate for atom in rule.positive()] == ["belongs", "ready"]
    assert [to_text(formula) for formula in rule.formulas] == [
        "forall ?t: tool (not needs(?w, ?t) or held(?t, ?w))",
        "forall ?q: part (not before(?q, ?p, ?w) or fitted(?q, ?w))",
    ]
    (effect,) = (effect for effect in rule.effects if effect.formulas)
    assert [to_text(formula) for formula in effect.formulas] == [
        "not exists ?q: part (belongs(?q, ?w) and not same(?q, ?p) and not fitted(?q, ?w))"
    ]


def test_objects_in_formulas_are_variables_of_a_type_of_their_own():
    places = " ".join(f"x{n}" for n in range(20))
    task = parse_pddl(
        """(define (domain d) (:constants home work) (:predicates (p ?x) (q ?x ?y) (r))
        (:action act :parameters (?x)
         :precondition (forall (?y) (or (q ?y home) (q ?y work) (p ?y) (= ?y work)))
         :effect (and (p ?x) (r) (q ?x home) (q ?x ?x))))""",
        f"(define (problem e) (:domain d) (:objects {places}) (:init (p x1)) (:goal (r)))",
    )
    # An object that effects name, too, is a parameter, and may be what another parameter is.
    texts = {
        tuple(p.name for p in rule.parameters): to_text(*rule.formulas)
        for rule in task.domain.rules.values()
    }
    assert texts == {
        ("x", "home", "world"): "exists ?work: only.work (forall ?y: object "
        "(q(?y, ?home) or q(?y, ?work) or p(?y) or same(?y, ?work)))",
        ("x", "world"): "exists ?work: only.work (forall ?y: object "
        "(q(?y, ?x) or q(?y, ?work) or p(?y) or same(?y, ?work)))",
    }
    assert task.instance.type_of(task.instance.id_of("work")) == "only.work"


def test_a_rule_says_which_part_of_its_formula_fails():
    task = parse_pddl(ORDERS, orders_problem(30))
    rule = task.domain.rules["make"]
    span = build_span(rule, task.domain.schema)
    state = task.instance
    initial = {span.parameters["p"]: state.id_of("p1")}
    (match,) = find_homs(span.rule.L, state, initial=initial)
    result = apply_rule(rule, span, match)
    assert result.instance is None
    (violation,) = result.violations
    assert "exists ?o: order" in violation.message
    assert "o0" in violation.message
