# SPDX-License-Identifier: Apache-2.0
"""The sections `relaxable`, `relaxing` and `hard`: read, and each fault found at its line."""

import pytest

from fcp_ros.domain import DomainError, parse_domain, to_text

BASE = """\
domain: base
version: "1"
types: {thing: [], place: [thing], room: [thing], item: [thing], cup: [item]}
relations:
  on: {legs: {item: item, place: place}, functional: [item]}
  near: {legs: {item: item, place: place}}
  in_room: {legs: {place: place, room: room}, static: true}
graded:
  suits: {parameters: {item: item, wanted: text}, oracle: table, default_degree: 0.9}
  safe: {parameters: {item: item}, oracle: table, default_degree: 0.9}
rules:
  ask: {parameters: {item: item, place: place}, when: ['near(item, place)'],
    add: ['on(item, place)'], duration: 5, executor: ask}
relaxable:
  on:
    - near 0.6
    - {to: 'exists ?o: place (on(item, ?o))', degree: 0.4, because: it is somewhere}
relaxing:
  substitute:
    - {of: item, by: suits, named: 0.9}
  fewer: share
  is_a: {item: 0.5}
  drop: {on: 0.2, any: 0.1}
  split: 0.5
  shift:
    - {of: cup, to: place, degree: 0.3}
  ask: {ask: 0.8}
hard: [safe, room]
labels: {cup: [mug]}
scene: {layers: {room: room}, unknown: item}
"""


def test_everything_is_read():
    relaxing = parse_domain(BASE).relaxing
    short, long = relaxing.weaker["on"]
    assert (to_text(short.formula), short.degree) == ("near(?item, ?place)", 0.6)
    assert to_text(long.formula) == "exists ?o: place (on(?item, ?o))"
    assert long.because == "it is somewhere"
    (rule,) = relaxing.substitutes
    assert (rule.of, rule.by, rule.named) == ("item", "suits", 0.9)
    assert relaxing.fewer
    assert relaxing.fewer_each is None
    assert (relaxing.broader, relaxing.split) == ({"item": 0.5}, 0.5)
    assert relaxing.drop == {"on": 0.2, "any": 0.1}
    assert (relaxing.shifts[0].of, relaxing.shifts[0].to) == ("cup", "place")
    assert relaxing.ask == {"ask": 0.8}
    assert relaxing.hard == {"safe", "room"}


def test_without_the_sections_only_the_known_predicate_judges_substitutes():
    start, end = BASE.index("relaxable:"), BASE.index("labels:")
    bare = BASE[:start] + BASE[end:]
    assert parse_domain(bare).relaxing.substitutes == ()
    relaxing = parse_domain(bare.replace("suits:", "suitable_substitute:")).relaxing
    assert [rule.by for rule in relaxing.substitutes] == ["suitable_substitute"]
    assert not relaxing.fewer


@pytest.mark.parametrize(
    ("before", "after", "place", "words"),
    [
        ("near 0.6", "nearr 0.6", "- nearr", "did you mean near"),
        ("near 0.6", "near 1.6", "- near", "a relation and a degree"),
        ("on(item, ?o)", "on(item)", "- {to", "takes 2 arguments"),
        ("'exists ?o: place (on(item, ?o))'", "'not near(item, place)'", "- {to", "negation"),
        ("by: suits", "by: safe", "by: safe", "does not take (item, text)"),
        ("of: item", "of: itm", "of: itm", "did you mean item"),
        ("fewer: share", "fewer: few", "fewer: few", "write share, some, or"),
        ("is_a: {item: 0.5}", "is_a: 0.6", "is_a: 0.6", "list the kinds"),
        ("split: 0.5", "split: 5", "split: 5", "less than or equal to 1"),
        ("any: 0.1", "all: 0.1", "all: 0.1", "unknown relation all"),
        ("degree: 0.3}", "because: x}", "- {of: cup", "one of `degree` and `by`"),
        ("hard: [safe, room]", "hard: [save]", "hard: [save", "unknown name save"),
        ("hard: [safe, room]", "hard: [on]", "on:\n", "both relaxable and hard"),
        ("hard: [safe", "hardly: [safe", "hardly", "unknown key hardly"),
    ],
)
def test_a_fault_is_found_at_its_line(before, after, place, words):
    section = BASE.index("relaxable:")
    assert before in BASE[section:]
    text = BASE[:section] + BASE[section:].replace(before, after, 1)
    with pytest.raises(DomainError) as caught:
        parse_domain(text)
    (fault,) = caught.value.diagnostics
    assert words in str(fault)
    assert fault.line == text.count("\n", 0, text.index(place, section)) + 1


@pytest.mark.parametrize("name", ["same", "is_a"])
def test_built_in_predicates_are_not_declared_again(name):
    with pytest.raises(DomainError, match=f"{name} is built in"):
        parse_domain(BASE.replace("  near:", f"  {name}:"))
