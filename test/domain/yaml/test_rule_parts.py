# SPDX-License-Identifier: Apache-2.0
"""Effects, costs, windows and chunks: read, and each fault found at its line."""

import math

import pytest

from fcp_ros.domain import (
    Atom,
    Chunk,
    Cost,
    CostTerm,
    DomainError,
    Effect,
    Literal,
    Parameter,
    Variable,
    Window,
    parse_domain,
    to_text,
)

BASE = """\
domain: base
version: "1"
types: {thing: [], place: [thing], box: [place], robot: [thing], item: [thing], cup: [item]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  near: {legs: {robot: robot, thing: thing}}
  closed: {legs: {box: box}}
  dark: {legs: {thing: thing}}
  road: {legs: {from: place, to: place}, static: true}
graded:
  suits:
    parameters: {item: item}
    oracle: table
    default_degree: 0.9
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)', 'road(from, to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 4
    cost:
      base: 2
      terms:
        - parameters: [from, to]
          table:
            - {elements: [shelf, table], cost: 3.5}
            - {elements: [table, shelf], cost: 1}
    window: {opens: 5, closes: 60}
    executor: go
  shut:
    parameters: {robot: robot, box: box}
    when: ['at(robot, box)', 'not closed(box)', 'not holding(robot, ?any)']
    add: [closed(box)]
    effects:
      - variables: {thing: item}
        when:
          - on(thing, box)
          - not dark(thing)
        add:
          - dark(thing)
      - when: ['near(robot, box)']
        delete: ['near(robot, box)']
    duration: 5
    cost: 0
    window: {closes: .inf}
    executor: shut
  pick:
    parameters: {robot: robot, item: item, place: place}
    when:
      - at(robot, place)
      - on(item, place)
      - not holding(robot, ?any)
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 5
    executor: pick
  put:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, place)']
    duration: 5
    executor: put
chunks:
  bring:
    description: From here to there.
    parameters: {robot: robot, item: item, here: place, there: place}
    steps:
      - pick(robot, item, here)
      - go(robot, here, there)
      - put(robot, item, there)
    graded: [suits(item)]
scene: {layers: {room: place, agent: robot}, unknown: place}
"""


def variables(*names):
    return tuple(map(Variable, names))


def test_the_parts_become_values():
    domain = parse_domain(BASE)
    go, shut = domain.rules["go"], domain.rules["shut"]
    table = {("shelf", "table"): 3.5, ("table", "shelf"): 1}
    assert go.cost == Cost(2, (CostTerm(("from", "to"), table),))
    assert go.window == Window(5, 60)
    assert shut.cost == Cost(0)
    assert shut.window == Window(0, math.inf) == Window()
    assert domain.rules["pick"].cost == Cost(1)
    dark, near = Atom("dark", variables("thing")), Atom("near", variables("robot", "box"))
    assert shut.effects == (
        Effect(
            (Parameter("thing", "item"),),
            (Literal(Atom("on", variables("thing", "box"))), Literal(dark, negated=True)),
            add=(dark,),
        ),
        Effect((), (Literal(near),), delete=(near,)),
    )
    line = next(i for i, text in enumerate(BASE.splitlines(), 1) if "- not dark" in text)
    assert shut.effects[0].when[1].line == line
    assert domain.chunks["bring"] == Chunk(
        "bring",
        tuple(
            map(Parameter, ("robot", "item", "here", "there"), ("robot", "item", "place", "place"))
        ),
        (
            ("pick", ("robot", "item", "here")),
            ("go", ("robot", "here", "there")),
            ("put", ("robot", "item", "there")),
        ),
        (Atom("suits", variables("item")),),
    )


def test_a_rule_may_have_effects_alone():
    text = BASE.replace("    add: [closed(box)]\n", "", 1)
    assert parse_domain(text).rules["shut"].add == ()


STEP = "- go(robot, here, there)"
FAULTS = [
    # costs
    ("base: 2", "base: -2", "base: -2", "a cost of go is -2"),
    ("cost: 0", "cost: .inf", "cost: .inf", "a cost of shut is inf"),
    ("cost: 0", "cost: cheap", "cost: cheap", "cost"),
    ("base: 2", "bse: 2", "bse: 2", "unknown key"),
    ("base: 2\n", "\n", "cost:", "no key base"),
    ("parameters: [from, to]", "parameters: [from, too]", "too]", "unknown parameter too"),
    ("parameters: [from, to]", "parameters: [from, from]", "from]", "twice"),
    ("parameters: [from, to]", "parameters: []", "parameters: []", "depends on nothing"),
    ("elements: [shelf, table]", "elements: [shelf]", "[shelf]", "1 elements for 2 parameters"),
    ("elements: [table, shelf]", "elements: [shelf, table]", "cost: 1}", "stands here twice"),
    # windows
    ("opens: 5, closes: 60", "opens: 60, closes: 5", "opens: 60", "let it close after"),
    ("opens: 5, closes: 60", "opens: 5, closes: 8", "closes: 8", "open for 3 s"),
    ("opens: 5", "opens: -5", "opens: -5", "opens at -5"),
    ("closes: 60", "closes: -1", "closes: -1", "closes at -1"),
    # effects
    ("{thing: item}", "{thing: text}", "thing: text", "can't have type text"),
    ("{thing: item}", "{box: item}", "box: item", "rename the variable"),
    ("{thing: item}", "{thing: item, other: item}", "other: item", "used nowhere"),
    ("- on(thing, box)", "- on(thng, box)", "thng", "did you mean thing?"),
    ("- on(thing, box)", "- dark(thing)", "- not dark", "never happen"),
    ("- on(thing, box)", "- on(thing, box)\n          - holding(robot, thing)",
     "- holding(robot, thing)", "never happen"),
    ("- dark(thing)\n      -", "- not dark(thing)\n      -", "- not dark(thing)\n      -",
     "`not` stands under `when`"),
    ("- dark(thing)\n      - when", "- road(box, box)\n      - when", "- road(box", "is static"),
    ("        add:\n          - dark(thing)\n", "", "- variables: {thing", "changes nothing"),
    ("delete: ['near(robot, box)']", "delete: ['at(robot, box)', dark(box)]", "dark(box)]",
     "does not ask for"),
    ("delete: ['near(robot, box)']",
     "delete: ['near(robot, box)']\n        add: ['near(robot, box)']",
     "add: ['near", "adds and deletes"),
    ("- when: ['near(robot, box)']\n        delete: ['near(robot, box)']",
     "- add: ['near(robot, box)']", "- add: ['near", "neither variables nor a condition"),
    # chunks
    ("  bring:", "  go:", "  go:\n    description", "a rule already"),
    ("there: place}", "there: place, spare: cup}", "spare", "used in no step"),
    (STEP, "- goo(robot, here, there)", "goo(", "did you mean go?"),
    (STEP, "- go(robot, here, here)", "go(robot, here, here)", "takes here twice"),
    (STEP, "- not go(robot, here, there)", "not go", "not a step"),
    (STEP, "- go(robot here)", "go(robot here)", "write a rule with its arguments"),
    ("      - go(robot, here, there)\n      - put(robot, item, there)\n", "", "steps:", "1 step"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "words"), FAULTS)
def test_each_fault_is_reported_at_its_line(old, new, place, words):
    assert old in BASE
    text = BASE.replace(old, new, 1)
    with pytest.raises(DomainError) as caught:
        parse_domain(text, "base.yaml")
    found = [p for p in caught.value.diagnostics if words in f"{p.message}. {p.fix}"]
    assert found, str(caught.value)
    line = text[: text.index(place)].count("\n") + 1
    assert line in {problem.line for problem in found}, f"{line}: {caught.value}"
    assert all(problem.fix for problem in caught.value.diagnostics)


def test_conditions_may_be_formulas():
    text = BASE.replace(
        "'at(robot, from)', 'road(from, to)']",
        "'at(robot, from)', 'road(from, to) or not (dark(to) and near(robot, to))', "
        "'forall ?c: cup (not on(?c, to) or exists ?b: box (closed(?b) and on(?c, ?b)))']",
        1,
    ).replace("when: ['at(robot, box)',", "when: ['at(robot, box)', 'dark(robot) or dark(box)',")
    rules = parse_domain(text).rules
    assert len(rules["go"].when) == 1
    assert [to_text(formula) for formula in rules["go"].formulas] == [
        "road(?from, ?to) or not (dark(?to) and near(?robot, ?to))",
        "forall ?c: cup (not on(?c, ?to) or exists ?b: box (closed(?b) and on(?c, ?b)))",
    ]
    (_formula,) = rules["shut"].formulas
    assert len(rules["shut"].when) == 3
    # `closed` is of boxes, `to` is a place: the atom is false of other places.
    assert parse_domain(BASE.replace("'road(from, to)'", "'closed(to) or road(from, to)'"))


def test_conditions_of_effects_may_be_formulas():
    text = BASE.replace("when: ['near(robot, box)'", "when: ['near(robot, box) or dark(box)'", 1)
    assert text != BASE
    with pytest.raises(DomainError, match="which it does not ask for"):
        parse_domain(text)  # it deletes what only a disjunction asks for
    both = "when: ['near(robot, box)', 'dark(box) or dark(robot)'"
    text = BASE.replace("when: ['near(robot, box)'", both)
    effect = parse_domain(text).rules["shut"].effects[1]
    assert [to_text(formula) for formula in effect.formulas] == ["dark(?box) or dark(?robot)"]


def test_an_effect_may_not_leave_two_of_one():
    parameters = "parameters: {robot: robot, box: box}"
    text = BASE.replace(parameters, "parameters: {robot: robot, box: box, other: box}")
    near = "delete: ['near(robot, box)']"
    with pytest.raises(DomainError, match=r"leaves both at.robot, box. and at.robot, other."):
        parse_domain(text.replace(near, "add: ['at(robot, other)']"))
    moved = "delete: ['at(robot, box)']\n        add: ['at(robot, other)']"
    assert parse_domain(text.replace(near, moved)).rules["shut"].effects[1].add


def test_faults_of_all_parts_are_reported_at_once():
    text = BASE.replace("base: 2", "base: -2").replace("opens: 5", "opens: -5")
    text = text.replace("- on(thing, box)", "- onn(thing, box)").replace(STEP, "- goo(robot)")
    with pytest.raises(DomainError) as caught:
        parse_domain(text)
    assert len(caught.value.diagnostics) == 4
