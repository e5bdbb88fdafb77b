# SPDX-License-Identifier: Apache-2.0
"""Instructions in the household and the goals that they are read as."""

import pytest

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reading import ReadingStatus, WordRole

IN_KITCHEN = (
    "exists ?place: fixture (in_room(?place, kitchen_1) and "
    "(on({0}, ?place) or inside({0}, ?place)))"
)
PUT_IN_KITCHEN = IN_KITCHEN.replace("and (on", "and usual_place({0}, ?place) and (on")
WITH_ME = "exists ?room: room (at(person_1, ?room) and at(robot_1, ?room))"

READ = {
    "put the mug on the counter": "on(mug_1, counter_1)",
    "Please put the mug on the table.": "on(mug_1, table_1)",
    "bring me something to drink from": 'exists ?x1: item (serves_as(?x1, "drinking") and '
    f"holding(robot_1, ?x1) and {WITH_ME})",
    "bring me something to drink": f"exists ?x1: drink (holding(robot_1, ?x1) and {WITH_ME})",
    "bring me anything that I can eat": f"exists ?x1: food (holding(robot_1, ?x1) and {WITH_ME})",
    "bring me a cleaned bowl": f"exists ?x1: bowl (holding(robot_1, ?x1) and {WITH_ME})",
    "put the clean mug on the table": "on(mug_1, table_1)",  # nothing makes it dirty
    "don't put anything at all on the table": "never exists ?x1: item (on(?x1, table_1) and "
    "not initially (on(?x1, table_1)))",
    "open the fridge, but the mug must not be on the counter, not even for a moment": "not "
    "closed(fridge_1) and never on(mug_1, counter_1)",
    "Could you bring me the book?": f"holding(robot_1, book_1) and {WITH_ME}",
    "open the fridge": "not closed(fridge_1)",
    "close the door": "closed(door_1)",
    "go to the kitchen": "at(robot_1, kitchen_1)",
    "wipe the counter": "not dirty(counter_1)",
    "switch on the tv": "switched_on(television_1)",
    "turn the television off": "not switched_on(television_1)",
    "put the apple and the bowl on the table": "on(apple_1, table_1) and on(bowl_1, table_1)",
    "put all items on the counter": "forall ?x1: item (on(?x1, counter_1))",
    "put two cups on the table": "at least 2 ?x1: cup (on(?x1, table_1))",
    "put at least two dishes on the table": "at least 2 ?x1: dish (on(?x1, table_1))",
    "put everything that is on the counter into the fridge": "forall ?x1: item (not initially "
    "(on(?x1, counter_1)) or inside(?x1, fridge_1))",
    "put the milk in the fridge and close it": "inside(milk_1, fridge_1) and closed(fridge_1)",
    "open the fridge, take the milk and put it on the counter": "not closed(fridge_1) and "
    "on(milk_1, counter_1)",
    "put the mug in the kitchen": PUT_IN_KITCHEN.format("mug_1"),
    "bring the mug to the kitchen and then wipe the counter": PUT_IN_KITCHEN.format("mug_1")
    + " and not dirty(counter_1) and "
    + IN_KITCHEN.format("mug_1")
    + " before not dirty(counter_1)",
    "don't open the fridge": "always closed(fridge_1)",
    "leave the door open": "never closed(door_1)",
    "put the mgu on the counter": "on(mug_1, counter_1)",
    "put the mug on the sofa": "on(mug_1, couch_1)",
}


@pytest.mark.parametrize("sentence", READ)
def test_instruction_is_read(sentence, house, reader):
    found = reader.read(sentence, house)
    assert found.status is ReadingStatus.READ, found.message
    best = found.best
    assert best is not None
    assert best.goal == READ[sentence]
    check_goal(parse_expression(best.goal), house.domain, house.instance, best.goal)


@pytest.mark.parametrize("sentence", READ)
def test_every_word_has_a_use(sentence, house, reader):
    words = reader.read(sentence, house).readings[0].words
    covered = {place for word in words for place in range(word.start, word.end)}
    assert {i for i, letter in enumerate(sentence) if letter.isalnum()} <= covered
    assert all(word.role is not WordRole.UNREAD for word in words)


@pytest.mark.parametrize(
    ("instruction", "rest"),
    [
        ("heat the milk and bring it to me", ""),
        ("wash the mug and put it on the table", ""),
        ("wash the mug, dry it, and put it in the cabinet", ""),
        ("make sure nobody opens the fridge", ""),  # "the rest" was that it is open
        ("dust the vase on the table", ""),  # nor that it is on the table
    ],
)
def test_the_rest_of_what_was_not_understood_is_not_said_where_it_would_mislead(
    home, instruction, rest
):
    answer = make_reader(ReaderOptions()).read(instruction, home)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    _, _, said = answer.message.partition("The rest would be: ")
    assert said.startswith(rest) if rest else not said
