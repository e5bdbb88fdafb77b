# SPDX-License-Identifier: Apache-2.0
"""Sets of things that belong together: their parts and the whole, with any verb."""

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

DOMAIN = """
domain: workshop
version: "1"
types:
  thing: []
  room: [thing]
  robot: [thing]
  item: [thing]
  surface: [thing]
relations:
  at: {legs: {who: robot, where: room}, functional: [who], phrases: ["{who} is in {where}"]}
  "on": {legs: {item: item, where: surface}, functional: [item], phrases: ["{item} is on {where}"]}
  holding: {legs: {who: robot, item: item}, phrases: ["{who} is holding {item}"]}
attributes:
  category: {of: thing, kind: string}
rules:
  put:
    parameters: {who: robot, item: item, where: surface}
    when: ['holding(who, item)']
    delete: ['holding(who, item)']
    add: ['on(item, where)']
    duration: 1
    executor: put
    phrases: ["deposit {item} on {where}"]
sets:
  bicycle:
    words: [bicycle, bike]
    parts: [bicycle piece]
    members: [frame, wheel, chain]
    more:
      - phrases: ["(safe|roadworthy)", "that is safe", "with [a] light", "it must be safe"]
        members: [lamp]
  toolkit: {words: [toolkit, tool kit], members: [hammer, wrench]}
labels:
  item: [frame, wheel, chain, lamp, hammer, wrench, part]
  surface: [bench, table]
scene: {layers: {room: room, agent: robot}, unknown: surface}
"""
BICYCLE = ("frame", "wheel", "chain")


@pytest.fixture(scope="module")
def context():
    domain = parse_domain(DOMAIN)
    builder = InstanceBuilder(domain.schema)
    builder.add("robot", "robot_1", {"category": "robot"})
    for name in (*BICYCLE, "lamp", "hammer", "wrench"):
        builder.add("item", f"{name}_1", {"category": name})
    for name in ("bench", "table"):
        builder.add("surface", f"{name}_1", {"category": name})
    return ReadingContext(domain, builder.build(), robot="robot_1")


def place(kinds, where="bench_1", number=0):
    some = f"at least {number}" if number else "exists"
    return " and ".join(
        f"{some} ?x{i}: {kind} (on(?x{i}, {where}))" for i, kind in enumerate(kinds, 1)
    )


SAFE = (*BICYCLE, "lamp")
GOALS = {
    # the parts, with words of English between them and the whole
    "Put all the parts of a bicycle on the bench.": place(BICYCLE),
    "put everything for a bike on the bench": place(BICYCLE),
    "Bring everything I need to build a bicycle to the bench.": place(BICYCLE),
    "move all that is needed for a new bike onto the bench": place(BICYCLE),
    "Place the pieces that belong to the bike on the bench.": place(BICYCLE),
    "the bike parts belong on the bench": place(BICYCLE),
    "the bicycle components should all be on the bench": place(BICYCLE),
    "Carry the things required to put a bicycle together to the bench.": place(BICYCLE),
    "Gather the necessary bicycle parts to assemble a bike on the bench.": place(BICYCLE),
    "put the bicycle pieces on the bench": place(BICYCLE),
    # the whole, behind verbs of making and others
    "Build a bicycle on the bench.": place(BICYCLE),
    "put a bike together on the bench": place(BICYCLE),
    "Could you set up a toolkit on the table?": place(("hammer", "wrench"), "table_1"),
    "build two bikes on the bench": place(BICYCLE, number=2),
    "put the parts for two bikes on the bench": place(BICYCLE, number=2),
    # what else belongs to it
    "Assemble a safe bike on the bench.": place(SAFE),
    "build a bike that is safe on the bench": place(SAFE),
    "put all the parts for a bicycle with a light on the bench": place(SAFE),
    # less than all
    "put all the parts of a bike except the chain on the bench": place(BICYCLE[:2]),
    "put two parts of a bike on the bench": (
        'at least 2 ?x1: item ((is_a(?x1, "frame") or is_a(?x1, "wheel") or '
        'is_a(?x1, "chain")) and on(?x1, bench_1))'
    ),
    # joined with other things
    "put the parts of a bike and the lamp on the bench": (
        f"{place(BICYCLE)} and on(lamp_1, bench_1)"
    ),
    # one place for all of them
    "assemble a bike": (
        "exists ?x4: surface (exists ?x1: frame (on(?x1, ?x4)) and exists ?x2: wheel "
        "(on(?x2, ?x4)) and exists ?x3: chain (on(?x3, ?x4)))"
    ),
    # a thing without a place is put where the one before it is put
    "put the hammer on the bench and the wrench": "on(hammer_1, bench_1) and on(wrench_1, bench_1)",
}


@pytest.mark.parametrize("instruction", GOALS)
def test_sets_are_read(instruction, context, reader):
    answer = reader.read(instruction, context)
    assert answer.status is ReadingStatus.READ, answer.message
    assert answer.best.goal == GOALS[instruction]
    assert answer.best.degree >= 0.7


@pytest.mark.parametrize(
    "instruction",
    [
        "build a car on the bench",
        "put all the parts of a car on the bench",
        "put the parts of a shiny bike on the bench",
        "build a bike with a bell on the bench",
        "put all the parts of a bike except the hammer on the bench",
        "assemble the hammer",
        "put the hammer on the bench and the room",
    ],
)
def test_what_is_no_set_is_not_read_as_one(instruction, context, reader):
    answer = reader.read(instruction, context)
    assert answer.best is None or answer.best.degree < 0.7, answer.best.goal


def test_the_words_of_a_set_are_used(context, reader):
    sentence = "Gather the parts needed to put together a safe bike on the bench."
    answer = reader.read(sentence, context)
    assert [word for word in answer.best.words if word.role.value == "unread"] == []
