# SPDX-License-Identifier: Apache-2.0
"""The words of a domain file: what they become, and every fault with its line."""

import pytest
from base_domain import BASE
from spoken_domain import SPOKEN

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Constant, Variable, to_text
from fcp_ros.domain.phrase_goals import fill_goal, state_effects
from fcp_ros.domain.phrases import DomainWords
from fcp_ros.domain.yaml.domain_files import parse_domain


@pytest.fixture(scope="module")
def domain():
    return parse_domain(SPOKEN)


def test_a_file_without_words_has_none():
    assert parse_domain(BASE).words == DomainWords()


def test_words_become_values(domain):
    words = domain.words
    assert [phrase.text for phrase in words.relations["on"]] == [
        "{item} (is|lies) on {place}",
        "put {item} on {place}",
    ]
    assert (
        words.relations["on"][0].line == SPOKEN[: SPOKEN.index("{item} (is|lies)")].count("\n") + 1
    )
    assert words.negated.keys() == {"closed"}
    assert words.rules.keys() == {"pick"}
    assert words.graded.keys() == {"can_grasp"}
    assert words.kinds == {"crockery": ("mug", "coffee cup")}
    assert words.ignorable == {"kindly", "if you would"}
    lay = words.tasks["lay"]
    assert lay.parameters == {"n": "number", "place": "place"}
    assert lay.defaults == {"n": "2", "place": "box"}
    assert lay.description == "Lay a place for each."
    assert [phrase.text for phrase in lay.additions[0].phrases] == ["[and] we'll have (tea|coffee)"]


def test_a_rule_asks_for_its_effects_on_what_is_named(domain):
    pick = domain.rules["pick"]
    assert to_text(state_effects(pick, ["item"])) == "holding(?robot, ?item)"
    assert to_text(state_effects(pick, ["item", "place"])) == (
        "holding(?robot, ?item) and not on(?item, ?place)"
    )
    assert to_text(state_effects(pick, ["item", "robot"])) == "holding(?robot, ?item)"
    assert state_effects(pick, ["place"]) is None
    go = domain.rules["go"]
    assert to_text(state_effects(go, ["to"])) == "at(?robot, ?to)"
    assert to_text(state_effects(go, ["to", "from"])) == "at(?robot, ?to) and not at(?robot, ?from)"


def test_goals_of_tasks_are_filled_in(domain):
    lay = domain.words.tasks["lay"]
    filled = fill_goal(lay, {"n": 3, "place": Constant("shelf 1")})
    assert to_text(filled) == (
        'at least 3 ?x: mug (on(?x, "shelf 1")) and prefer 0.2: exists ?y: item (on(?y, "shelf 1"))'
    )
    assert to_text(fill_goal(lay, {"place": Variable("z")}, lay.additions[:1])) == (
        "at least 2 ?x: mug (on(?x, ?z)) and prefer 0.2: exists ?y: item (on(?y, ?z)) "
        'and at least 4 ?x: "coffee cup" (on(?x, ?z))'
    )
    unsaid = fill_goal(lay, {}, lay.additions[:1])
    assert to_text(unsaid).startswith('is_a(?place, "box") and at least 2')
    assert "4 ?x" in to_text(unsaid)
    more = fill_goal(lay, {"k": 7, "item": Constant("mug_1")}, lay.additions[1:])
    assert "at least 7 ?x: item" in to_text(more)
    assert "on(mug_1, ?place)" in to_text(more)
    with pytest.raises(ValueError, match="whole number"):
        fill_goal(lay, {}, lay.additions[1:])
    with pytest.raises(ValueError, match="no element"):
        fill_goal(lay, {"place": 3})


def test_a_remark_without_a_goal_only_tells_a_number(domain):
    assert not domain.words.tasks["lay"].additions[2].goal
    lay = domain.words.tasks["lay"]
    assert fill_goal(lay, {"n": 5}, lay.additions[2:]) == fill_goal(lay, {"n": 5})


def test_a_kind_stands_for_its_labels(domain):
    builder = InstanceBuilder(domain.schema)
    builder.add("box", "box_1", {"category": "box"})
    goal = fill_goal(domain.words.tasks["clear"], {"place": Constant("box_1")})
    checked = check_goal(goal, domain, builder.build())
    assert to_text(checked) == (
        'forall ?x: item (not (is_a(?x, "mug") or is_a(?x, "coffee cup") or is_a(?x, "crockery")) '
        "or not on(?x, box_1))"
    )


@pytest.mark.parametrize(
    ("old", "new", "fault", "fix"),
    [
        ("put {item} on {place}", "put {itme} on {place}", "unknown slot {itme}", "item"),
        ("put {item} on {place}", "put {item} on, {place}", "unexpected `,`", "words"),
        ("put {item} on {place}", "put it down", "has no slot", "name one of item, place"),
        ("put {item} on {place}", "{item} is on {place}", "", ""),
        ("{box} is open", "{box} is closed", "stands for relation closed and for the abs", "keep"),
        ("pick up {item}", "put {item} on {place}", "stands for relation on and for rule", "keep"),
        ("pick up {item}", "clear {place}", "asks for nothing about place", "leave"),
        (
            "on({item}, {place})",
            "on({item}, {there})",
            "{there} without a parameter",
            "did you mean|known are",
        ),
        ("{2n}", "{2place}", "multiplies place", "{place}"),
        (
            "parameters: {place: place}",
            "parameters: {place: place, n: number}",
            "not in its goal",
            "use {n}",
        ),
        (
            "parameters: {n: number, place: place}",
            "parameters: {n: nmuber, place: place}",
            "unknown type nmuber",
            "known are",
        ),
        (
            "defaults: {n: 2, place: box}",
            "defaults: {place: box}",
            "says nothing about n",
            "defaults",
        ),
        (
            "defaults: {n: 2, place: box}",
            "defaults: {n: 2, place: boxx}",
            "no label, type or kind",
            "box",
        ),
        ("at least {n} ?x: mug", "at leest {n} ?x: mug", "the goal of task lay", "docs/goals.md"),
        (
            "parameters: {k: number, item: item}",
            "parameters: {k: number, item: item, n: number}",
            "parameter of the task already",
            "take it out",
        ),
        ('phrases: ["clear {place}"]', "phrases: []", "has no phrase", "what people say"),
        (
            "crockery: [mug, Coffee cup]",
            "crockery: [mug, Cofee cup]",
            "neither a label nor a type",
            "coffee cup",
        ),
        ("crockery: [mug, Coffee cup]", "crockery: []", "stands for nothing", "list"),
        ('ignorable: [kindly, "if you would"]', 'ignorable: ["?!"]', "has no word", "word"),
        (
            'phrases: ["with {k} spare',
            'phrases: ["with spare cups", "with {k} spare',
            "says nothing about k",
            "write",
        ),
        (
            "        goal: 'at least {2n} ?x: \"coffee cup\" (on(?x, {place}))'\n",
            "",
            "asks for nothing",
            "goal:",
        ),
        (
            "        goal: 'at least {k} ?x: item (on(?x, {place})) and on({item}, {place})'\n",
            "",
            "parameters of its own",
            "goal",
        ),
        ("  clear:\n", "  clear it:\n", "can't be the name of a task", "clear_it"),
    ],
)
def test_faults_have_a_line_and_a_fix(old, new, fault, fix):
    assert SPOKEN.count(old) >= 1, old
    text = SPOKEN.replace(old, new, 1)
    if not fault:  # the same meaning twice does no harm
        parse_domain(text)
        return
    with pytest.raises(DomainError) as caught:
        parse_domain(text)
    found = [d for d in caught.value.diagnostics if fault in d.message]
    assert found, caught.value
    assert any(piece in str(found[0]) for piece in fix.split("|"))
    assert found[0].line > 1
