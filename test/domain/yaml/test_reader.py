# SPDX-License-Identifier: Apache-2.0
"""Every fault of a domain file is reported with its line, and all of them at once."""

from pathlib import Path

import pytest
from base_domain import BASE

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.expressions.syntax import Atom, Text, Variable
from fcp_ros.domain.model import Anchor, Duration, Literal, Parameter, Resource, TableEntry
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.domain_files import load_domain, parse_domain

TINY = Path(__file__).parents[3] / "config" / "domains" / "tiny.yaml"


def _lines_of(text):
    return next(i for i, line in enumerate(BASE.splitlines(), 1) if text in line)


def test_a_sound_file_becomes_a_model():
    domain = parse_domain(BASE)
    pick = domain.rules["pick"]
    assert pick.parameters[0] == Parameter("robot", "robot")
    robot, item, place = (Variable(n) for n in ("robot", "item", "place"))
    assert pick.when == (
        Literal(Atom("at", (robot, place))),
        Literal(Atom("on", (item, place))),
        Literal(Atom("holding", (robot, Variable("any"))), negated=True),
    )
    assert pick.when[2].line == _lines_of("not holding")
    assert pick.graded[1] == Atom("serves_as", (item, Text("carrying")))
    assert pick.duration == Duration(5.0)
    assert domain.rules["go"].duration == Duration(1.0, 2.0, ("from", "to"))
    assert domain.rules["go"].uses == {"battery": 1}
    assert domain.resources["battery"] == Resource("battery", 100, 10, 100, "percent")
    assert domain.graded["can_grasp"].table == (
        TableEntry({"item": "egg"}, 0.5),
        TableEntry({"item": "glass"}, 0.5),
    )
    anchors = domain.graded["serves_as"].rubric.anchors
    assert anchors[0] == Anchor(0, "No.", (("fork", "drinking"),))
    assert [anchor.score for anchor in anchors] == [0, 50, 100]
    assert domain.mapping.labels == {"mug": "item", "coffee cup": "item", "box": "box"}
    assert domain.mapping.synonyms == {"old beaker": "coffee cup"}
    assert domain.mapping.similar_threshold == 0.4
    assert domain.mapping.layer_types == {"room": "place", "agent": "robot"}
    vocabulary = Vocabulary.of(domain)
    assert vocabulary.signature("on") == (Parameter("item", "item"), Parameter("place", "place"))
    assert vocabulary.signature("nothing") is None
    assert len(domain.content_hash) == 64


def test_the_tiny_domain_is_sound_and_small():
    domain = load_domain(TINY)
    assert set(domain.rules) == {"go", "pick", "place"}
    assert domain.source == str(TINY)
    assert len(TINY.read_text().splitlines()) < 40


FAULTS = [
    # shape
    ("version: \"1\"\n", "", "domain: base", "no key version"),
    ("executor: navigate", "executer: navigate", "executer", "unknown key"),
    ("executor: navigate", "executor: [navigate]", "executor: [", "valid string"),
    ("duration: 5", "duration: soon", "duration: soon", "duration"),
    ("duration: 5", "duration: {base: 5, between: [item, place]}", "between: [item", "belong"),
    ("kind: float", "kind: number", "kind: number", "'float'"),
    ("static: true", "static: maybe", "static: maybe", "boolean"),
    ("degree: 0.5", "degree: 1.5", "degree: 1.5", "less than or equal to 1"),
    ("small_size: 0.3", "small_size: 0", "small_size", "greater than 0"),
    # schema
    ("box: [place]", "box: [plce]", "box: [plce]", "unknown type plce"),
    ("place: [thing]", "place: [box]", "place: [box]", "circle"),
    ("thing: []", "thing: []\n  my thing: []", "my thing", "can't be the name"),
    ("thing: []", "thing: []\n  text: []", "text: []", "built-in type of words"),
    ("legs: {box: box}", "legs: {}", "closed: {", "no legs"),
    ("functional: [item]}", "functional: [itm]}", "functional: [itm]", "not a leg of on"),
    ("closed: {legs", "item: {legs", "item: {legs", "a type already"),
    ("kind: float", "kind: enum", "kind: enum", "values"),
    # rules
    ("parameters: {robot: robot, from: place, to: place}",
     "parameters: {robot: robot, from: place, to: plac}", "to: plac}", "unknown type plac"),
    ("- road(from, to)", "- rode(from, to)", "rode", "unknown relation rode"),
    ("- road(from, to)", "- road(from)", "road(from)", "takes 2 arguments, not 1"),
    ("- road(from, to)", "- road(from to)", "road(from to)", "at character 11"),
    ("- road(from, to)", "- road(from, robot)", "road(from, robot)", "robot is a robot"),
    ("- road(from, to)", "- road(from, there)", "road(from, there)", "unknown parameter there"),
    ("- road(from, to)", "- road(from, ?there)", "?there", "bound by nothing"),
    ("- road(from, to)", '- road(from, "there")', '"there"', "not words"),
    ("- road(from, to)", "- road(from, to) or at(robot, too)", " or at", "unknown parameter too"),
    ("- road(from, to)", "- road(from, to) or at(robot, ?x)", "?x", "write exists ?x"),
    ("- road(from, to)", "- 0.5 * road(from, to)", "0.5 *", "has a weight"),
    ("- road(from, to)", "- 'exists ?to: place (road(from, ?to))'", "?to", "is bound already"),
    ("- road(from, to)", "- can_grasp(robot, to)", "can_grasp(robot, to)", "not a relation"),
    ("- not closed(to)", "- closed(to)", "closed(to)", "to is a place, where a box"),
    ("      - at(robot, to)", "      - at(robot, ?to)\n      - at(?x, to)", "at(?x", "bound by"),
    ("      - at(robot, to)", "      - not at(robot, to)", "not at(robot, to)", "not a plain"),
    ("      - at(robot, to)", "      - road(to, from)", "road(to, from)", "static"),
    ("    delete:\n      - at(robot, from)\n", "", "add:", "functional in robot"),
    ("delete:\n      - on(item, place)", "delete:\n      - holding(robot, item)",
     "- holding(robot, item)", "does not ask for"),
    ("- not holding(robot, ?any)", "- holding(robot, item)\n      - not holding(robot, ?any)",
     "not holding", "can never apply"),
    ("- can_grasp(robot, item)", "- can_grsp(robot, item)", "can_grsp", "did you mean can_grasp"),
    ("- can_grasp(robot, item)", "- on(item, place)  # x", "# x", "not a graded predicate"),
    ('serves_as(item, "carrying")', "serves_as(item, carrying)", "carrying)", "takes words"),
    ('serves_as(item, "carrying")', 'serves_as("mug", "carrying")', '"mug"', "not words"),
    ("duration: 5", "duration: -5", "duration: -5", "duration base is -5"),
    ("duration: 5", "duration: 0", "duration: 0", "always 0"),
    ("between: [from, to]", "between: [from, too]", "too]", "unknown parameter too"),
    ("between: [from, to]", "between: [from]", "between: [from]", "two parameters"),
    ("uses: {battery: 1}", "uses: {batery: 1}", "batery", "unknown resource batery"),
    ("executor: arm/pick", "executor: /arm/pick", "/arm/pick", "relative action name"),
    ("{robot: robot, item: item, place: place}\n    when",
     "{robot: robot, item: item, place: place, spare: item}\n    when", "spare", "used nowhere"),
    # graded predicates
    ("context: {item: [weight]}", "context: {item: [colour]}", "colour", "no attribute colour"),
    ("context: {item: [weight]}", "context: {itm: [weight]}", "itm:", "unknown parameter itm"),
    ("context: {item: [weight]}", "context: {purpose: [name]}", "purpose: [", "is text"),
    ("{item} serve for {purpose}?", "{item} serve for {goal}?", "{goal}", "placeholder {goal}"),
    ("        50: {means: Somehow.}\n", "", "anchors:", "no anchor 50"),
    ("50: {means: Somehow.}", "60: {means: Somehow.}", "60:", "anchor 60"),
    ("50: {means: Somehow.}", "0: {means: Somehow.}", "Somehow", "twice"),
    ("[[fork, drinking]]", "[[fork]]", "[[fork]]", "does not have 2 words"),
    ("when: {item: [egg, glass]}", "when: {}", "when: {}", "no condition"),
    ("    oracle: table\n", "", "can_grasp:", "has no rubric"),
    ("oracle: table", "oracle: guess", "oracle: guess", "unknown oracle guess"),
    ("never: ['on(item, box)']", "never: [on(item, box)]", "never: [on", "put each atom in quotes"),
    ("never: ['on(item, box)']", "never: []", "nothing_on_boxes", "forbids nothing"),
    ("never: ['on(item, box)']", "never: ['closed(box)']", "variables: {item", "used nowhere"),
    ("initial: 100", "initial: 5", "initial: 5", "outside [10, 100]"),
    ("minimum: 10", "minimum: .nan", ".nan", "not finite"),
    # scene
    ("  item: [mug", "  itm: [mug", "itm: [mug", "unknown type itm"),
    ("  box: [box]", "  box: [box, MUG]", "MUG", "stands for item and for box"),
    ("Coffee-cup", "tea cup", "Old_Beaker", "tea cup, which is not a label"),
    ("Old_Beaker:", "MUG_2:", "MUG_2", "a label of item already"),
    ("Old_Beaker:", "'_':", "'_'", "an empty synonym"),
    ("room: place", "rom: place", "{rom: place", "unknown layer rom"),
    ("unknown: place", "unknown: plce", "unknown: plce", "unknown type plce"),
    ("relation: closed", "relation: closd", "closd", "unknown relation closd"),
    ("relation: closed", "relation: on", "relation: on", "has 2 legs"),
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


def test_all_problems_are_reported_at_once_in_order():
    text = BASE.replace("- road(from, to)", "- rode(from, to)").replace(
        "unknown: place", "unknown: p"
    )
    text = text.replace("box: [place]", "box: [plac]")
    with pytest.raises(DomainError) as caught:
        parse_domain(text, "base.yaml")
    lines = [problem.line for problem in caught.value.diagnostics]
    assert len(lines) >= 3
    assert lines == sorted(lines)
    first = str(caught.value).splitlines()[0]
    assert first == (
        "base.yaml:6: is_a of box has the unknown type plac. Fix: did you mean place?"
    ) or first.startswith("base.yaml:6: ")


@pytest.mark.parametrize("text", ["just words", "- a\n- list", "12"])
def test_a_file_of_another_shape_is_refused(text):
    with pytest.raises(DomainError):
        parse_domain(text)
