# SPDX-License-Identifier: Apache-2.0
"""Files as other planners take them: what may be missing, in which order, and under which names."""

from __future__ import annotations

import pytest

from fcp_ros.domain import check_goal
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import PddlError, parse_pddl
from fcp_ros.domain.pddl.formulas import MAX_DEPTH
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_tree import TRUE, ActionEffect, Typed, place_of
from fcp_ros.domain.pddl.task_reader import read_texts

PROBLEM = "(define (problem one) (:domain d) (:init (p)) (:goal (p)))"
DOMAIN = "(define (domain d) (:predicates (p)) (:action a :effect (p)))"


def texts(domain=DOMAIN, problem=PROBLEM):
    return read_texts(Source("d", domain), Source("p", problem))


def domain_with(*sections):
    return texts(f"(define (domain d) {' '.join(sections)})", PROBLEM).domain


@pytest.mark.parametrize("parts", ["", ":parameters ()", ":precondition ()", ":effect (and)"])
def test_any_part_of_an_action_may_be_missing_or_empty(parts):
    (action,) = domain_with("(:predicates (p))", f"(:action idle {parts})").actions
    assert (action.parameters, action.precondition, action.effects) == ((), TRUE, ())


def test_parts_and_sections_stand_in_any_order():
    domain = domain_with(
        "(:action go :effect (at ?x) :parameters (?x - room) :precondition (at k))",
        "(:predicates (at ?r - room) (p))",
        "(:constants k - room)",
        "(:types room)",
    )
    assert domain.actions[0].precondition == Atom("at", (Constant("k"),))
    assert domain.actions[0].effects == (ActionEffect(add=(Atom("at", (Variable("x"),)),)),)


def test_case_makes_no_difference_and_spelling_is_kept():
    read = texts(
        "(DEFINE (Domain D) (:Types Room) (:PREDICATES (At ?R - ROOM) (P)) (:Constants K - rOOm)"
        "(:Action Go :Parameters (?X - Room) :Effect (AT ?x)))",
        "(define (problem One) (:domain d) (:OBJECTS Kitchen hall - room) (:init (AT KITCHEN) (P))"
        "(:goal (at k)))",
    )
    assert read.problem.facts["at"] == {("kitchen",)}
    assert read.problem.spelling == {"k": "K", "kitchen": "Kitchen", "hall": "hall"}
    assert (read.domain.actions[0].name, read.domain.actions[0].spelling) == ("go", "Go")


def test_goals_may_be_long_and_deep():
    """Longer and deeper than goals in the goal language may be: 20,000 characters, 60 levels."""
    objects = " ".join(f"object-number-{n}" for n in range(2000))
    goal = f"(and {' '.join(f'(q {name})' for name in objects.split())})"
    goal = f"{'(or (p) (and (p) ' * 40}{goal}{'))' * 40}"
    read = parse_pddl(
        "(define (domain d) (:predicates (p) (q ?x)) (:action a :parameters (?x) :effect (q ?x)))",
        f"(define (problem one) (:domain d) (:objects {objects}) (:init) (:goal {goal}))",
    )
    assert check_goal(read.goal, read.domain, read.instance) == read.goal


def test_comments_stand_anywhere():
    domain = DOMAIN.replace(" ", " ; (:action ( ;;\n ").replace(")", ")\n;)\n")
    assert texts(f"; first\n{domain}; last").domain == texts().domain


def test_names_begin_with_digits_and_are_words_of_the_language():
    read = parse_pddl(
        "(define (domain 2nd) (:types 1st - object) (:predicates (3rd ?x) (object ?x - 1st))"
        "(:action 4th :parameters (?5 - object ?object - 1st) :precondition (object ?object)"
        " :effect (3rd ?5)))",
        "(define (problem and) (:domain 2nd) (:objects 1 object - 1st 007)"
        "(:init (object 1) (object object)) (:goal (and (3rd 007) (3rd object))))",
    )
    assert {"1", "object", "007"} <= set(read.instance.names())
    assert check_goal(read.goal, read.domain, read.instance) == read.goal
    assert len(read.domain.rules) == 2


def test_types_may_be_implied_or_said_twice():
    domain = domain_with(
        "(:types area - object truck - vehicle area - surface object)", "(:predicates (p))"
    )
    assert domain.types == {"area": ("surface",), "truck": ("vehicle",)}


def test_types_may_have_several_parents():
    """By `either`, or by naming the type again, as a storage domain of IPC-5 does."""
    domain = domain_with(
        "(:types hoist surface place area - object depot - place",
        " cell gate - area area crate - surface boat - (either hoist surface))",
        "(:predicates (p) (on ?x - surface))",
        "(:action a :parameters (?b - boat ?c - cell ?h - hoist)",
        " :effect (and (on ?b) (on ?c) (when (= ?b ?h) (p))))",
    )
    assert domain.types["area"] == ("surface",)
    assert domain.types["boat"] == ("hoist", "surface")


def test_two_parents_make_an_object_of_both_types():
    """The only plan lifts the boat as a hoist, and puts something on it as a surface."""
    task = parse_pddl(
        "(define (domain d) (:types hoist surface - object boat - hoist boat - surface)"
        " (:predicates (up ?h - hoist) (full ?s - surface) (far ?h - hoist))"
        " (:action lift :parameters (?h - hoist) :precondition (not (far ?h)) :effect (up ?h))"
        " (:action fill :parameters (?s - surface) :effect (full ?s))"
        " (:action both :parameters (?h - hoist ?s - surface)"
        "  :precondition (and (= ?h ?s) (up ?h)) :effect (far ?h)))",
        "(define (problem p) (:domain d) (:objects b - boat h - hoist s - surface)"
        " (:init) (:goal (and (full b) (far b))))",
    )
    assert set(task.domain.schema.types["boat"]) == {"hoist", "surface"}
    (parameter,) = task.domain.rules["both"].parameters
    assert parameter.type == "boat"


def test_functions_with_and_without_their_type():
    domain = domain_with(
        "(:predicates (p))", "(:functions (total-cost) (far ?a ?b) - number (high ?a) - number)"
    )
    assert {name: len(legs) for name, legs in domain.functions.items()} == {
        "total-cost": 0,
        "far": 2,
        "high": 1,
    }


def test_total_cost_needs_no_declaration():
    read = parse_pddl(
        DOMAIN.replace(":effect (p)", ":effect (and (p) (increase (total-cost) 3))"),
        PROBLEM.replace("(:goal", "(:metric minimize total-cost) (:goal"),
    )
    assert read.domain.rules["a"].cost.base == 3.0


def test_an_inner_variable_hides_an_outer_one_in_effects():
    (action,) = domain_with(
        "(:types a b) (:predicates (p) (q ?x - a) (r ?x - b))",
        "(:action act :effect (forall (?x - a) (when (q ?x) (forall (?x - b) (r ?x)))))",
    ).actions
    (effect,) = action.effects
    assert effect.variables == (Typed("x-2", ("a",)), Typed("x", ("b",)))
    assert effect.condition == Atom("q", (Variable("x-2"),))
    assert effect.add == (Atom("r", (Variable("x"),)),)


def test_nested_quantifiers_are_read_without_grounding():
    """Forty quantifiers over each other, and 1,000 objects: 10^120 cases."""
    quantifiers = "".join(f"(forall (?x{n} ?y{n}) (exists (?z{n}) " for n in range(20))
    body = f"{quantifiers}(q ?x0 ?z19){')' * 40}"
    objects = " ".join(f"o{n}" for n in range(1000))
    read = texts(
        DOMAIN.replace("(p))", "(p) (q ?a ?b))", 1).replace(":eff", f":precondition {body} :eff"),
        PROBLEM.replace("(:init", f"(:objects {objects}) (:init"),
    )
    assert len(read.problem.objects) == 1000


@pytest.mark.parametrize("word", ["not", "and", "or", "preference", "exists (?x)"])
def test_depth_is_bounded_by_a_sentence(word):
    def nested(depth):
        return PROBLEM.replace("(:goal (p)", f"(:goal {f'({word} ' * depth}(p){')' * depth}")

    read = read_texts(Source("d", DOMAIN), Source("p", nested(MAX_DEPTH)), supported_only=False)
    assert read.goal
    if word != "preference":
        assert parse_pddl(DOMAIN, nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 10_000):
        with pytest.raises(PddlError, match="nested deeper than 100 levels"):
            texts(problem=nested(depth))


@pytest.mark.parametrize(
    ("opening", "closing"), [("(when (p) ", ")"), ("(forall (?x) ", ")"), ("(and ", ")")]
)
def test_depth_of_effects_is_bounded_too(opening, closing):
    def nested(depth):
        return DOMAIN.replace(":effect (p)", f":effect {opening * depth}(p){closing * depth}")

    assert parse_pddl(nested(MAX_DEPTH), PROBLEM)
    with pytest.raises(PddlError, match="nested deeper than 100 levels"):
        texts(nested(10_000))


def test_every_node_knows_its_place():
    domain = "(define (domain d) (:predicates (p) (q ?x)) (:constants k)\n  (:action a\n"
    domain += "    :parameters (?x)\n    :precondition (and (p) (not (q ?x)))\n    :effect (q k)))"
    (action,) = texts(domain).domain.actions
    source = Source("d", domain)
    negation = action.precondition.parts[1]
    places = [
        action,
        action.parameters[0],
        action.precondition,
        negation,
        negation.body,
        negation.body.arguments[0],
        action.effects[0].add[0].arguments[0],
    ]
    found = [node.at if node is action else place_of(node) for node in places]
    assert [source.place(at)[0] for at in found] == [2, 3, 4, 4, 4, 4, 5]
    assert [domain[at : at + 2] for at in found] == ["(:", "?x", "(a", "(n", "q ", "?x", "k)"]
