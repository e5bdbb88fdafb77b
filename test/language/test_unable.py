# SPDX-License-Identifier: Apache-2.0
"""What no action does: people aren't carried where only things are, and are led where a rule is."""

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus, Refusal

HOTEL = """
domain: hotel
version: "1.0"
scene: {layers: {agent: robot}, unknown: thing}
types: {thing: [], place: [], person: [thing], guest: [person], robot: [person], suitcase: [thing]}
relations:
  at:
    legs: {thing: thing, place: place}
    functional: [thing]
    phrases: ["{thing} is (in|at|on) {place}", "(take|bring|guide) {thing} to {place}"]
attributes:
  category: {of: thing, kind: string}
rules:
  carry:
    parameters: {thing: suitcase, from: place, to: place}
    when: ['at(thing, from)']
    delete: ['at(thing, from)']
    add: ['at(thing, to)']
    executor: carry
    duration: 10
"""
GUIDE = """
  guide:
    parameters: {guest: guest, from: place, to: place}
    when: ['at(guest, from)']
    delete: ['at(guest, from)']
    add: ['at(guest, to)']
    executor: guide
    duration: 10
"""


def make_context(text):
    domain = parse_domain(text)
    builder = InstanceBuilder(domain.schema)
    for type_, name in (
        ("robot", "robot_1"),
        ("guest", "guest_1"),
        ("suitcase", "suitcase_1"),
        ("place", "lobby"),
        ("place", "bar"),
    ):
        builder.add(type_, name)
    for name in ("robot_1", "guest_1", "suitcase_1"):
        builder.relate("at", builder.id_of(name), builder.id_of("lobby"))
    return ReadingContext(domain, builder.build())


@pytest.fixture(scope="module")
def hotel():
    return make_context(HOTEL)


@pytest.mark.parametrize("said", ["take the guest to the bar", "guide the guest to the bar"])
def test_people_are_led_where_a_rule_leads_them(reader, hotel, said):
    answer = reader.read(said, hotel)
    assert answer.refusal is Refusal.UNABLE
    assert "No action here brings this about" in answer.message
    able = reader.read(said, make_context(HOTEL + GUIDE))
    assert able.best.goal == "at(guest_1, bar)"


def test_things_are_carried_and_what_is_so_is_asked_of_nobody(reader, hotel):
    assert reader.read("take the suitcase to the bar", hotel).best.goal == "at(suitcase_1, bar)"
    assert reader.read("the guest is in the lobby", hotel).refusal is not Refusal.UNABLE


@pytest.mark.parametrize(
    "said", ["greet the person on the couch", "thank the child in the kitchen"]
)
def test_nothing_is_asked_with_what_an_unread_imperative_is_about(reader, house, said):
    answer = reader.read(said, house)
    assert answer.best is None
    assert not answer.readings


def test_the_rest_of_what_was_said_is_told(reader, house):
    answer = reader.read("greet grandma and put the mug on the counter", house)
    assert answer.status is ReadingStatus.REFUSED
    assert "mug_1 is on counter_1" in answer.message


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        (
            "bring everything on the counter to the couch but the vase",
            'forall ?x1: item (not initially (on(?x1, counter_1)) or is_a(?x1, "vase") '
            "or on(?x1, couch_1))",
        ),
        (
            "take the book from the couch, put it on the counter",
            "on(book_1, counter_1)",
        ),
        (
            "bring me the same mug",
            "holding(robot_1, mug_1) and exists ?room: room (at(person_1, ?room) and "
            "at(robot_1, ?room))",
        ),
        (
            "put all cups on the same shelf",
            "exists ?x2: shelf (forall ?x1: cup (on(?x1, ?x2)))",
        ),
    ],
)
def test_what_was_left_out_or_meant_before(reader, house, said, goal):
    assert reader.read(said, house).best.goal == goal


def test_but_no_leaves_nothing_out(reader, house):
    answer = reader.read("put all the cups on the table but no bowls", house)
    assert not any('is_a(?x1, "bowl")' in reading.goal for reading in answer.readings[:1])


def test_a_hand_holds_one_thing(reader, house):
    """ "Take everything off the counter" doesn't end with all of it in the hand."""
    plain = reader.read("take everything off the counter but the vase", house).best
    assert plain.level.name == "PLAIN"
    assert "holding" not in plain.goal
    assert 'is_a(?x1, "vase")' in plain.goal
    held = reader.read("pick up all the cups", house)
    assert held.best is None or held.best.level.name != "PLAIN"


def test_a_reason_before_so_is_not_fetched(reader, house):
    best = reader.read("we'll have soup, so lay the table", house).best
    assert "soup" not in best.goal
    assert best.level.name != "PLAIN"
