# SPDX-License-Identifier: Apache-2.0
"""How PDDL maps to domains, by hand: variables, variants of rules, names, costs."""

from __future__ import annotations

import pytest
from pddl_states import compared

from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.pddl import parse_pddl, read_pddl
from fcp_ros.planning.model.ground_step import compute_cost


@pytest.fixture(scope="module")
def own(repository):
    folder = repository / "test" / "data" / "pddl"
    return lambda name: read_pddl(folder / f"{name}.pddl", folder / f"{name}-1.pddl")


def functional(task):
    """Which legs are functional: relation -> legs."""
    return {r.name: r.functional for r in task.domain.schema.relations if r.functional}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("blocks", {"on": ("top", "below"), "holding": ("world",)}),
        ("gripper", {"robot-in": ("world",), "lies-in": ("b",), "carries": ("h", "b")}),
        ("ferry", {"ferry-at": ("world",), "waits-at": ("c",), "on-deck": ("world",)}),
        ("miconic", {"lift-at": ("world",)}),
        ("logistics", {"at": ("t",), "inside": ("p",)}),
        ("briefcase", {"case-at": ("world",), "at": ("i",)}),
        ("courier", {"courier-in": ("world",), "letter-in": ("l",)}),
        ("workshop", {"holds": ("t",), "lies-on": ("t",)}),
    ],
)
def test_mutex_groups_become_functional_legs(own, name, expected):
    found = functional(own(name))
    assert {relation: found.get(relation) for relation in expected} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("blocks", {"hand-free": ("holding", (), True)}),
        ("gripper", {}),
        ("ferry", {"deck-free": ("on-deck", (), True)}),
        ("courier", {"has": ("letter-in", (0,), True)}),
        ("logistics", {}),
        ("miconic", {}),
    ],
)
def test_what_repeats_a_relation_is_replaced_by_it(own, name, expected):
    read = own(name)
    found = {p: (r.relation, r.positions, r.complement) for p, r in read.replaced.items()}
    assert found == expected
    assert not {r.name for r in read.domain.schema.relations} & found.keys()


HANDS = """(define (domain hands) (:types hand ball - object)
  (:predicates (holds ?h - hand ?b - ball) (busy ?h - hand) (free ?h - hand) (lies ?b - ball))
  (:action take :parameters (?h - hand ?b - ball) :precondition (and {free} (lies ?b))
   :effect (and (holds ?h ?b) {taken} (not (lies ?b))))
  (:action put :parameters (?h - hand ?b - ball) :precondition (holds ?h ?b)
   :effect (and (not (holds ?h ?b)) {left} (lies ?b))))"""
TWO = """(define (problem two) (:domain hands) (:objects l r - hand x y - ball)
  (:init {init} (lies x) (lies y)) (:goal (and {goal})))"""


@pytest.mark.parametrize(
    ("free", "taken", "left", "init", "goal", "replaced"),
    [
        ("(free ?h)", "(not (free ?h))", "(free ?h)", "(free l) (free r)", "(free l)", {"free"}),
        ("(not (busy ?h))", "(busy ?h)", "(not (busy ?h))", "", "(busy l)", {"busy"}),
        # One hand is broken: neither free nor holding anything.
        ("(free ?h)", "(not (free ?h))", "(free ?h)", "(free l)", "(free l)", set()),
        # Busy at first, with nothing.
        ("(not (busy ?h))", "(busy ?h)", "(not (busy ?h))", "(busy l)", "(busy l)", set()),
        # Busy for ever after.
        ("(not (busy ?h))", "(busy ?h)", "", "", "(busy l)", set()),
        # Putting down frees all hands, whatever they hold.
        (
            "(free ?h)",
            "(not (free ?h))",
            "(free ?h) (forall (?o - hand) (free ?o))",
            "(free l) (free r)",
            "(free l)",
            set(),
        ),
        # Never free again; never busy at all; two at once.
        ("(free ?h)", "(not (free ?h))", "", "(free l) (free r)", "(free l)", set()),
        ("(not (busy ?h))", "", "(not (busy ?h))", "", "(busy l)", set()),
        ("(not (holds ?h ?b))", "(busy ?h)", "(not (busy ?h))", "", "(busy l)", set()),
        ("(free ?h)", "", "(free ?h)", "(free l) (free r)", "(free l)", set()),
    ],
)
def test_only_what_surely_repeats_it_is(free, taken, left, init, goal, replaced):
    read, _ = compared(
        HANDS.format(free=free, taken=taken, left=left), TWO.format(init=init, goal=goal)
    )
    assert set(read.replaced) & {"free", "busy"} == replaced


def task(actions, predicates="(p ?x - a) (q ?x - a ?y - a) (r)", init="(p a1)", goal="(r)"):
    return parse_pddl(
        f"""(define (domain d) (:types a b) (:constants C - a) (:predicates {predicates})
        (:functions (total-cost) (f ?x - a ?y - a)) {actions})""",
        f"""(define (problem q) (:domain d) (:objects a1 A2 - a b1 - b)
        (:init {init}) (:goal {goal}) (:metric minimize (total-cost)))""",
    )


def action(parameters, condition, effect, name="act"):
    return f"(:action {name} :parameters ({parameters}) :precondition {condition} :effect {effect})"


def forms(read):
    """The arguments of each rule in PDDL, sorted."""
    return sorted(form.parameters for name, form in read.forms.items() if name not in read.idle)


def test_parameters_that_may_be_one_thing_make_a_rule_each_way():
    read = task(action("?x ?y - a", "(and)", "(q ?x ?y)"))
    assert forms(read) == [("x", "x"), ("x", "y")]


def test_inequality_and_types_forbid_it():
    assert forms(task(action("?x ?y - a", "(not (= ?x ?y))", "(q ?x ?y)"))) == [("x", "y")]
    assert forms(task(action("?x - a ?y - b", "(and)", "(p ?x)"))) == [("x", "y")]


def test_static_facts_forbid_it():
    predicates = "(p ?x - a) (q ?x - a ?y - a) (r)"
    read = task(action("?x ?y - a", "(q ?x ?y)", "(p ?x)"), predicates, "(q a1 a2) (q a2 c)")
    assert forms(read) == [("x", "y")]


def test_what_does_nothing_is_kept_apart():
    read = task(action("?x ?y - a", "(p ?x)", "(and (not (p ?x)) (p ?y))"))
    assert forms(read) == [("x", "y")]
    assert [read.forms[name].parameters for name in read.idle] == [("x", "x")]
    assert read.rules_of("ACT") == (*read.domain.rules, *read.idle)
    assert read.rule(next(iter(read.idle))).add == ()


def test_a_named_object_is_a_parameter_of_its_own_type():
    read = task(action("?x - a", "(p C)", "(q ?x C)"), init="(p c)")
    assert forms(read) == [("x",), ("x",)]
    kinds = {
        tuple((p.name, p.type) for p in rule.parameters) for rule in read.domain.rules.values()
    }
    assert kinds == {(("x", "a"), ("c", "only.c")), (("x", "only.c"),)}
    element = read.instance.id_of("C")
    assert read.instance.type_of(element) == "only.c"
    assert read.domain.schema.is_subtype("only.c", "a")


def test_disjunctions_and_existential_conditions():
    condition = "(or (p ?x) (exists (?y - a) (q ?x ?y)))"
    read = task(action("?x - a", condition, "(r)"), init="(q a1 a2)")
    shapes = sorted(
        tuple(sorted(atom.predicate for atom in rule.positive()))
        for rule in read.domain.rules.values()
    )
    # p never holds: no action adds it and nothing says so at first.
    assert shapes == [("q",)]
    changing = action("?x - a", "(r)", "(and (p ?x) (q ?x ?x))", "other")
    read = task(action("?x - a", condition, "(r)") + changing, init="(q a1 a2)")
    shapes = sorted(
        tuple(sorted(atom.predicate for atom in rule.positive()))
        for rule in read.domain.rules.values()
    )
    assert shapes == [("p",), ("q",), ("q",), ("r",)]


def test_a_universal_absence_is_one_negated_literal():
    changing = action("?x ?y - a", "(r)", "(q ?x ?y)", "other")
    read = task(action("?x - a", "(forall (?y - a) (not (q ?y ?x)))", "(p ?x)") + changing)
    (absent,) = read.domain.rules["act"].negative()
    assert absent.predicate == "q"
    assert absent.arguments[0].name.startswith("any.")


def test_costs_are_a_base_and_tables():
    effect = "(and (r) (increase (total-cost) (+ 2 (f ?x C))))"
    read = task(action("?x - a", "(p ?x)", effect), init="(p a1) (p a2) (= (f a1 c) 1.5)")
    (rule,) = (r for r in read.domain.rules.values() if r.parameters[0].type == "a")
    assert rule.cost.base == 2.0
    names = [p.name for p in rule.parameters]
    bound = {"x": "a1", "c": "C", "world": "world"}
    assert compute_cost(rule, [bound[name] for name in names]) == 3.5
    assert compute_cost(rule, [{**bound, "x": "A2"}[name] for name in names]) == 2.0


def test_without_a_metric_each_action_counts_one(own):
    assert {rule.cost.base for rule in own("blocks").domain.rules.values()} == {1.0}
    assert not own("blocks").minimises_cost
    assert own("courier").minimises_cost


def test_names_are_as_the_files_spell_them(own):
    assert sorted(own("blocks").instance.names()) == ["A", "B", "C", "world"]
    assert "Depot" in own("courier").instance.names()


def test_names_that_clash_are_told_apart():
    read = parse_pddl(
        """(define (domain d) (:types room text world)
        (:predicates (room ?r - room) (at ?w - world) (is_a ?t - text) (object ?r - room))
        (:action act :parameters (?w - world ?t - text ?r - room) :precondition (room ?r)
         :effect (and (at ?w) (is_a ?t) (object ?r))))""",
        """(define (problem p) (:domain d) (:objects world - world t - text r - room)
        (:init (room r)) (:goal (at world)))""",
    )
    schema = read.domain.schema
    assert {"room", "text_2", "world"} <= set(schema.types)
    assert {r.name for r in schema.relations} == {"room_2", "at", "is_a_2", "object_2"}


def test_a_goal_that_always_or_never_holds():
    always = task(action("", "(r)", "(not (r))"), goal="(and)")
    assert always.goal.predicate == "always"
    never = task(action("", "(r)", "(not (r))"), goal="(not (= a1 a1))")
    assert never.goal.body.predicate == "always"


def test_a_predicate_is_not_replaced_by_arguments_of_other_types():
    """Without objects of the types `sub` and `b` the relation `p` always repeats `q`: on no tuple.

    `(q o)` could then not be written: `o` is not of the type of any argument of `p`.
    """
    read = parse_pddl(
        """(define (domain d) (:types a b - object sub - a)
        (:predicates (p ?x - b ?y - a) (q ?y - a))
        (:action act :parameters (?x - b ?y - sub) :effect (and (p ?x ?y) (q ?y))))""",
        "(define (problem d) (:domain d) (:objects o - a) (:init) (:goal (not (q o))))",
    )
    assert check_goal(read.goal, read.domain, read.instance) == read.goal
