# SPDX-License-Identifier: Apache-2.0
"""Sentences about times, numbers of times, order and wishes, each with the goal that is read."""

import pytest

from fcp_ros.language.reading import ReadingStatus, WordRole

GOALS = {
    # by when
    "The vase must be on the couch in three minutes at the latest.": (
        "on(vase_1, couch_1) within 180 s"
    ),
    "You have no more than a minute and a half to close the door.": "closed(door_1) within 90 s",
    "Close the fridge before 90 seconds are up.": "closed(fridge_1) within 90 s",
    "wipe the counter in under half an hour": "not dirty(counter_1) within 1800 s",
    "Two minutes at most: turn on the tv.": "switched_on(television_1) within 120 s",
    # from when on, and for how long
    "From three minutes on, stay in the living room.": (
        "hold at(robot_1, living_room_1) after 180 s"
    ),
    "Once ninety seconds have passed, the door must be closed.": "hold closed(door_1) after 90 s",
    "Keep the fridge closed for the first two minutes.": (
        "hold closed(fridge_1) during 0 s to 120 s"
    ),
    "Don't open the fridge for one and a half minutes.": (
        "hold closed(fridge_1) during 0 s to 90 s"
    ),
    # how often
    "Put the vase on the table, but go into the living room at most once.": (
        "on(vase_1, table_1) and at most once at(robot_1, living_room_1)"
    ),
    "Don't open the fridge more than once.": "at most once not closed(fridge_1)",
    "close the door without entering the living room more than one time": (
        "closed(door_1) and at most once at(robot_1, living_room_1)"
    ),
    "The bowl should be on the table. No more than a single visit to the living room!": (
        "on(bowl_1, table_1) and at most once at(robot_1, living_room_1)"
    ),
    "Go to the living room at some point.": "sometime at(robot_1, living_room_1)",
    "Pay the living room a visit, then close the door.": (
        "closed(door_1) and (first at(robot_1, living_room_1) then closed(door_1))"
    ),
    # where the robot does not go
    "Wipe the counter. The living room is off limits.": (
        "not dirty(counter_1) and never at(robot_1, living_room_1)"
    ),
    "Wipe the counter and stay out of the living room.": (
        "not dirty(counter_1) and never at(robot_1, living_room_1)"
    ),
    "Stay in the kitchen.": "always at(robot_1, kitchen_1)",
    # what is meant to stay so, and what is only passed through
    "Go to the living room and close the door.": "at(robot_1, living_room_1) and closed(door_1)",
    "Go to the living room, then close the door.": (
        "closed(door_1) and (first at(robot_1, living_room_1) then closed(door_1))"
    ),
    "Put the book on the table, then put it on the counter, then put it on the couch.": (
        "on(book_1, couch_1) and (first on(book_1, table_1) then on(book_1, counter_1) "
        "then on(book_1, couch_1))"
    ),
    "Wipe the counter, then come to me.": (
        "not dirty(counter_1) and exists ?room: room (at(person_1, ?room) and at(robot_1, ?room)) "
        "and (first not dirty(counter_1) then exists ?room: room (at(person_1, ?room) and "
        "at(robot_1, ?room)))"
    ),
    # in which order
    "Put the apple, the bowl and the vase on the couch in that order.": (
        "on(apple_1, couch_1) and on(bowl_1, couch_1) and on(vase_1, couch_1) and "
        "on(apple_1, couch_1) before on(bowl_1, couch_1) and on(bowl_1, couch_1) before "
        "on(vase_1, couch_1)"
    ),
}

UNREAD = (
    "Go to the living room and stay there for two minutes.",  # from when on?
    "Don't open the fridge more than three times.",
)


@pytest.mark.parametrize("sentence", GOALS)
def test_timing_is_read(sentence, house, reader):
    found = reader.read(sentence, house)
    assert found.status is ReadingStatus.READ, found.message
    best = found.best
    assert best.goal == GOALS[sentence]
    assert all(use.role is not WordRole.UNREAD for use in best.words)


@pytest.mark.parametrize("sentence", UNREAD)
def test_what_no_goal_says_is_not_read(sentence, house, reader):
    assert reader.read(sentence, house).status is ReadingStatus.NOT_UNDERSTOOD
