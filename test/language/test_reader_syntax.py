# SPDX-License-Identifier: Apache-2.0
"""Requests found by their syntax: frames, questions, states that are waited for."""

import pytest

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.reading import ReadingStatus, WordRole
from fcp_ros.language.syntax import parse_segments
from fcp_ros.language.syntax.units import find_units

COUNTER = "on(mug_1, counter_1)"
FRAMES = (
    "I was wondering whether you could {}.",
    "Do you reckon you might be able to {}?",
    "Your next job is to {}.",
    "It'd make my day if you'd {}.",
    "Be a dear and {}.",
    "Since you're up anyway, {}.",
    "My back hurts today, so please {}.",
    "Sorry to bother you, but could you {}?",
    "You couldn't {}, could you?",
    "If it is no bother, {}.",
    "When you get a minute, {}.",
)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("command", "goal"),
    [
        ("put the mug on the counter", COUNTER),
        ("take the apple and put it on the table", "on(apple_1, table_1)"),
    ],
)
def test_frames(reader, house, frame, command, goal) -> None:
    answer = reader.read(frame.format(command), house)
    assert answer.best is not None, answer.message
    assert answer.best.goal == goal
    assert answer.best.degree > 0.8


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("Would you mind putting the mug on the counter?", COUNTER),
        ("How about putting the mug on the counter?", COUNTER),
        ("I don't want you to open the fridge.", "always closed(fridge_1)"),
        ("You must not open the fridge.", "always closed(fridge_1)"),
        ("If possible, put the mug on the counter.", f"prefer 0.5: {COUNTER}"),
        (
            "When the door is closed, open the fridge.",
            "not closed(fridge_1) and closed(door_1) before not closed(fridge_1)",
        ),
        ("Putting the mug on the counter.", COUNTER),
        (
            "In case the fridge is open, close it.",
            "not initially (not closed(fridge_1)) or closed(fridge_1)",
        ),
        (
            "If the glass is on the counter, put it on the table, "
            "otherwise put the mug on the couch.",
            "(not initially (on(drinking_glass_1, counter_1)) or on(drinking_glass_1, table_1)) "
            "and (not initially (not on(drinking_glass_1, counter_1)) or on(mug_1, couch_1))",
        ),
        (
            "My meeting is in the living room, so don't go in there.",
            "never at(robot_1, living_room_1)",
        ),
        ("put mug on counter", COUNTER),
        ("To put the mug on the counter.", COUNTER),
        ("Is it possible to put the mug on the counter?", COUNTER),
        ("Why don't you put the mug on the counter?", COUNTER),
        ("It's drafty in here, can you shut the door?", "closed(door_1)"),
    ],
)
def test_goals(reader, house, sentence, goal) -> None:
    answer = reader.read(sentence, house)
    assert answer.best is not None, answer.message
    assert answer.best.goal.startswith(goal)


@pytest.mark.parametrize(
    "sentence",
    [
        "Who opened the fridge?",
        "Should the fridge be open?",
        "Is the fridge closed?",
        "Did you close the door?",
        "Where is the mug?",
    ],
)
def test_a_question_is_not_executed(reader, house, sentence) -> None:
    answer = reader.read(sentence, house)
    assert answer.status is ReadingStatus.REFUSED
    assert "question" in answer.message
    assert not answer.readings


@pytest.mark.parametrize("word", ["tonight", "today", "slowly", "carefully"])
def test_how_and_when_are_not_dropped(reader, house, word) -> None:
    answer = reader.read(f"Put the mug on the counter {word}.", house)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    assert f'"{word}"' in answer.message


@pytest.mark.parametrize(
    "sentence",
    [
        "You don't have to close the door.",
        "I told you to wipe the counter. Close the door.",
        "Could you paint the fence? Close the door.",
    ],
)
def test_what_is_no_clear_request_is_not_planned(reader, house, sentence) -> None:
    best = reader.read(sentence, house).best
    assert best is None or best.level is not Confidence.PLAIN


def test_a_frame_with_things_of_the_domain_is_no_frame(reader, house) -> None:
    """What is set aside names nothing that the robot knows."""
    for sentence in (
        "If the fridge is open you could close it.",
        "Since the table is dirty you should wipe it.",
    ):
        for reading in reader.read(sentence, house).readings:
            fillers = [w for w in reading.words if w.role is WordRole.FILLER]
            said = " ".join(sentence[w.start : w.end] for w in fillers)
            assert "fridge" not in said
            assert "dirty" not in said


def test_every_word_has_its_use(reader, house) -> None:
    text = "I'd really  appreciate it if you would put the mug on the counter."
    best = reader.read(text, house).best
    assert best is not None
    covered = {i for word in best.words for i in range(word.start, word.end)}
    assert all(i in covered for i, letter in enumerate(text) if letter.isalnum())


@pytest.mark.parametrize(
    "sentence", ["Take that thing off the table.", "Switch that thing on.", "Put the thing away."]
)
def test_that_thing_is_asked_about(reader, house, sentence) -> None:
    assert reader.read(sentence, house).status is not ReadingStatus.READ


def test_clauses_side_by_side_are_cut_apart() -> None:
    (segment,) = parse_segments(tokenise("it is drafty and my hands are full, could you close it"))
    roots = [(unit.tree.root.text, unit.start, unit.end) for unit in find_units(segment.tree)]
    assert roots == [("is", 0, 3), ("are", 4, 8), ("close", 9, 13)]


def test_clauses_within_a_clause_stay() -> None:
    for sentence in ("could you put the mug that I bought there", "I think that the mug is dirty"):
        (segment,) = parse_segments(tokenise(sentence))
        assert len(find_units(segment.tree)) == 1
