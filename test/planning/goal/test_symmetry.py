# SPDX-License-Identifier: Apache-2.0
"""Interchangeable objects: one binding of each orbit, the same best plan."""

import pytest
from exhaustive_compiler import compile_task
from flat_twin import least
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, infer_types, parse_domain, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.goal.symmetry import find_symmetry_classes, is_canonical, limit_choices
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.task import Conditions

DOMAIN = """
domain: cups
version: "1"
types: {thing: [], place: [thing], item: [thing], cup: [item], toy: [item]}
relations:
  on: {legs: {item: item, place: place}, functional: [item]}
  held: {legs: {item: item}}
  likes: {legs: {item: item, other: item}, static: true}
attributes:
  category: {of: thing, kind: string}
  colour: {of: thing, kind: string}
  x: {of: thing, kind: float}
  y: {of: thing, kind: float}
rules:
  pick:
    parameters: {item: item, place: place}
    when: ['on(item, place)', 'not held(?any)']
    delete: ['on(item, place)']
    add: ['held(item)']
    graded: ['nice(item)']
    duration: 1
    executor: pick
  put:
    parameters: {item: item, place: place}
    when: ['held(item)']
    delete: ['held(item)']
    add: ['on(item, place)']
    duration: DURATION
    executor: put
graded:
  nice:
    parameters: {item: item}
    context: {item: [CONTEXT]}
    oracle: table
    default_degree: 1.0
  fits:
    parameters: {item: item, words: text}
    context: {item: [colour]}
    oracle: table
    default_degree: 1.0
scene: {layers: {room: place}, unknown: item}
"""


def domain_of(context="colour", duration="1"):
    return parse_domain(DOMAIN.replace("CONTEXT", context).replace("DURATION", duration))


def grounded(domain, instance, text, durations=False):
    watch = Watch(PlanningOptions())
    goal = check_goal(parse_expression(text), domain, instance, text)
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
    return goal, formula, find_symmetry_classes(domain, instance, goal, formula, durations)


def solved(domain, instance, text, symmetric, known):
    """(number of alternatives, least loss, the bindings)."""
    watch = Watch(PlanningOptions())
    _, formula, classes = grounded(domain, instance, text)
    task = compile_task(domain, instance, watch)
    if symmetric:
        formula = limit_choices(formula, classes)
    tnorm = TNORMS["lukasiewicz"]
    alternatives = find_alternatives(formula, lambda _: None, tnorm, task, watch)
    if symmetric:
        alternatives = [one for one in alternatives if is_canonical(one, classes)]
    made = encode(task, Conditions(task), alternatives, EncodeOptions(), watch)
    flat = made.with_losses(known, tnorm)
    return {a.binding for a in alternatives}, least(flat, flat.loss)[0]


CUPS = {"shelf": "place", "table": "place", "a": "cup", "b": "cup", "c": "cup", "d": "toy"}
ON_TABLE = [f"on({item}, table)" for item in "abcd"]


def test_two_variables_over_three_equal_cups(state):
    instance = state(domain_of(), CUPS, ON_TABLE)
    text = "exists ?x: cup, ?y: cup (on(?x, shelf) and on(?y, shelf))"
    _, formula, classes = grounded(domain_of(), instance, text)
    assert classes.members == [("a", "b", "c")]
    bindings, _ = solved(domain_of(), instance, text, True, lambda _: 1.0)
    assert bindings == {(("x", "a"), ("y", "a")), (("x", "a"), ("y", "b"))}
    assert limit_choices(formula, classes) != formula
    assert len(solved(domain_of(), instance, text, False, lambda _: 1.0)[0]) == 9


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("context", "on(?x, shelf)"),
        ("fact", "on(?x, shelf)"),
        ("colour", "on(?x, shelf)"),
        ("liking", "on(?x, shelf)"),
        ("goal", "on(?x, shelf) and on(a, shelf)"),
        ("position", "on(?x, shelf)"),
    ],
)
def test_what_can_be_told_apart_has_no_twin(state, change, text):
    elements, known = {"shelf": "place", "table": "place", "a": "cup", "b": "cup"}, ON_TABLE[:2]
    domain, durations = domain_of(), False
    instance = state(domain, elements, known)
    assert grounded(domain, instance, "on(?x, shelf)")[2].members == [("a", "b")]
    if change == "context":
        domain = domain_of("name")
    elif change == "fact":
        known = ["on(a, table)", "on(b, shelf)"]
    elif change == "liking":
        known = [*known, "likes(a, b)"]
    elif change == "position":
        domain, durations = domain_of(duration="{base: 1, per_metre: 1, between: [item, place]}"), 1
    instance = state(domain, elements, known)
    if change in ("colour", "position"):
        instance = instance_with(instance, {"colour": "red"} if change == "colour" else {"x": 1.0})
    assert grounded(domain, instance, text, bool(durations))[2].members == []


def instance_with(instance, attributes):
    """The same state in which `a` has other attributes."""
    builder = InstanceBuilder(instance.schema)
    for element in instance.all_elements():
        name = instance.name_of(element)
        builder.add(instance.type_of(element), name, attributes if name == "a" else None)
    for relation in instance.schema.relations:
        for legs in instance.tuples(relation.name).values():
            builder.relate(relation.name, *(builder.id_of(instance.name_of(e)) for e in legs))
    return builder.build()


GOALS = st.sampled_from(
    [
        "on(?x, shelf)",
        "on(?x, shelf) and on(?y, table)",
        'on(?x, ?p) and fits(?x, "tea") and not on(?y, ?p)',
        "(exists ?x: item (on(?x, shelf))) and (exists ?y: cup (held(?y)))",
        "(exists ?x: cup (on(?x, shelf))) or (exists ?y: toy (held(?y)))",
        "0.4 * on(?x, shelf) and 0.7 * held(?y)",
        "not (exists ?x: cup (on(?x, table)))",
        "not (forall ?x: item (on(?x, table)))",
        "forall ?x: cup (exists ?p: place (on(?x, ?p))) and on(?y, shelf)",
        "held(?x) and not on(?y, table) and on(?z, shelf)",
        "on(?x, shelf) and likes(?x, ?y) and held(?y)",
    ]
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data(), text=GOALS, context=st.sampled_from(["colour", "name"]))
def test_twins_change_no_optimum(state, data, text, context):
    domain = domain_of(context)
    kinds = [data.draw(st.sampled_from(["cup", "cup", "toy"])) for _ in range(4)]
    elements = {"shelf": "place", "table": "place"} | dict(zip("abcd", kinds, strict=True))
    known = [f"on({i}, {data.draw(st.sampled_from(['table', 'table', 'shelf']))})" for i in "abcd"]
    likes = st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))
    known += [f"likes({i}, {j})" for i, j in data.draw(st.sets(likes, max_size=2))]
    instance = state(domain, elements, known)
    drawn = {}

    def degree_of(atom):
        key = atom if context == "name" else (atom[0], elements[atom[1][0]], *atom[1][1:])
        if key not in drawn:
            drawn[key] = data.draw(st.sampled_from([0.5, 0.8, 1.0]))
        return drawn[key]

    every, expected = solved(domain, instance, text, False, degree_of)
    few, found = solved(domain, instance, text, True, degree_of)
    assert few <= every
    assert found == pytest.approx(expected)
