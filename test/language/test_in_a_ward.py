# SPDX-License-Identifier: Apache-2.0
"""Sentences in a ward with a store: plans, as the person who asked would have them."""

from contextlib import closing

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.grounding import make_grounder
from fcp_ros.language.reader import ReadingContext
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.relaxation.plan_instruction import plan_instruction

WARD = """
format: fcp_ros/scene
version: 1
frame_id: map
nodes:
  - {id: ward, layer: room, category: room}
  - {id: store, layer: room, category: room}
  - {id: door_1, layer: object, category: door, attributes: {is_open: false}}
  - {id: table_1, layer: object, category: table}
  - {id: shelf_1, layer: object, category: shelf}
  - {id: bin_1, layer: object, category: trash can}
  - {id: tv_1, layer: object, category: television, attributes: {is_on: true}}
  - {id: lamp_1, layer: object, category: desk lamp, attributes: {is_on: true}}
  - {id: box_1, layer: object, category: box}
  - {id: cup_1, layer: object, category: cup}
  - {id: book_1, layer: object, category: book}
  - {id: scissors_1, layer: object, category: scissors}
  - {id: nurse_1, layer: agent, category: woman}
  - {id: emma, layer: agent, category: girl}
  - {id: robot_1, layer: agent, category: robot}
relations:
  - [connected, ward, store, door_1]
  - [at, robot_1, ward]
  - [at, nurse_1, ward]
  - [at, emma, ward]
  - [in_room, table_1, ward]
  - [in_room, bin_1, ward]
  - [in_room, tv_1, ward]
  - [in_room, shelf_1, store]
  - [on, lamp_1, table_1]
  - [on, box_1, table_1]
  - [inside, cup_1, box_1]
  - [on, book_1, shelf_1]
  - [on, scissors_1, shelf_1]
"""


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    file = tmp_path_factory.mktemp("ward") / "ward.yaml"
    file.write_text(WARD, encoding="utf-8")
    session = open_session("household", str(file))
    return ReadingContext(session.domain, session.state.instance, speaker="nurse_1")


@pytest.fixture(scope="module")
def obey(ward, reader):
    """The result for an instruction, with a plan."""
    with closing(make_grounder(ward.domain)) as grounder:

        def run(sentence):
            options = PlanningOptions(time_limit=120.0)
            request = PlanningRequest(ward.domain, ward.instance, "", options, grounder)
            answer = plan_instruction(request, sentence, reader, ward)
            assert answer.result.plan is not None, answer.result.message
            return answer.result

        yield run


@pytest.fixture(scope="module")
def plan(obey):
    """The steps of the plan for an instruction."""
    return lambda sentence: [str(step) for step in obey(sentence).plan.steps]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("bring Emma the scissors", "Scissors_1 is safe for the girl emma only to 0.00. Shall I"),
        ("bring Emma the book", ""),
        ("bring me the scissors", ""),  # who speaks decides
        ("put the scissors on the table", ""),  # nobody is named
    ],
)
def test_what_is_not_safe_for_somebody_is_asked_about(sentence, question, obey):
    """The scissors were brought to the child, without a word."""
    result = obey(sentence)
    assert result.confirmation.startswith(question)
    assert bool(result.confirmation) is bool(question)


def test_everything_in_a_room_is_also_what_stands_on_something(plan):
    """The lamp, which is an item, was passed over in silence: no item is `in_room`."""
    steps = plan("turn off everything in the ward")
    assert sorted(step.split("(")[0] for step in steps) == ["switch_off", "switch_off_movable"]


def test_nothing_is_set_down_in_the_rubbish_on_the_way(plan):
    """The bin was the nearest place to free the hand for the door that is closed again."""
    steps = plan("bring me the book")
    assert any(step.startswith("close_door") for step in steps)
    assert not any("bin_1" in step for step in steps)


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        (
            "put the box on the shelf with everything in it",
            "forall ?x1: item (not initially (inside(?x1, box_1)) or inside(?x1, box_1))",
        ),
        ("put the box on the shelf with all doors closed", "forall ?x1: door (closed(?x1))"),
        ("put the box on the shelf with the book in it", "inside(book_1, box_1)"),
    ],
)
def test_what_is_in_it_goes_along(said, goal, ward, reader):
    """All things of the place were to be put into the box."""
    assert reader.read(said, ward).best.goal == f"on(box_1, shelf_1) and {goal}"
