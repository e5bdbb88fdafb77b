# SPDX-License-Identifier: Apache-2.0
"""``on``, ``inside`` and ``under``, beside forms that look at every pair, one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from slow_relations import Box, as_node, crowds, slow_places, slow_under

from fcp_ros.scene import Layer, Pose, RelationOptions, SceneGraph, SceneNode, complete_relations
from fcp_ros.scene.relations.supports import find_supports
from fcp_ros.scene.shapes.boxes import build_boxes

WITH_UNDER = RelationOptions(also=frozenset({"under"}))


Size = tuple[float, float, float]


def box(id_: str, x: float, y: float, z: float, size: Size, yaw: float = 0.0, label: str = "thing"):
    half = (size[0] / 2, size[1] / 2, size[2] / 2)
    return Box(id_, (x, y, z), half, yaw, label)


def placed(boxes: list[Box], options: RelationOptions = WITH_UNDER) -> dict[str, dict[str, tuple]]:
    arrays = build_boxes(map(as_node, boxes))
    found = find_supports(arrays, options)
    return {
        name: {
            arrays.ids[a]: (arrays.ids[b], sure)
            for a, b, sure in zip(
                found[name].item.tolist(),
                found[name].other.tolist(),
                found[name].confidence.tolist(),
                strict=True,
            )
        }
        if name in found
        else {}
        for name in ("on", "inside", "under")
    }


def same(found: dict[str, tuple[str, float]], slow: dict[str, tuple[str, float]]) -> bool:
    return {a: b for a, (b, _) in found.items()} == {a: b for a, (b, _) in slow.items()} and all(
        sure == pytest.approx(slow[a][1], abs=1e-6) for a, (_, sure) in found.items()
    )


@given(crowds())
@settings(max_examples=300, deadline=None)
def test_the_same_as_over_all_pairs(boxes: list[Box]) -> None:
    found = placed(boxes)
    on, inside = slow_places(boxes, 0.05, 0.05)
    assert same(found["on"], on)
    assert same(found["inside"], inside)
    assert same(found["under"], slow_under(boxes, 0.05, 0.05, 1.0))


@given(crowds())
@settings(max_examples=50, deadline=None)
def test_nothing_rests_on_itself_however_far_down(boxes: list[Box]) -> None:
    below = placed(boxes, RelationOptions(resting=0.3))["on"]
    height = {each.id: each.centre[2] for each in boxes}
    for start, (current, _) in below.items():
        assert height[current] < height[start]


def test_the_order_of_the_boxes_means_nothing() -> None:
    table, mug = box("t", 0, 0, 0.5, (1, 1, 1)), box("m", 0, 0, 1.05, (0.1, 0.1, 0.1))
    twin = box("s", 0, 0, 0.5, (1, 1, 1))
    for boxes in ([table, twin, mug], [mug, twin, table]):
        assert placed(boxes)["on"]["m"][0] == "s", "the lesser id"


def test_of_equal_volumes_the_lesser_id_counts_whichever_side_is_the_longest() -> None:
    # 8 * 0.05 * 0.1 * 0.15 is 0.006 or, in this order, the next number above it.
    item = box("m", 0, 0, 0, (0.02, 0.02, 0.02))
    boxes = [item, box("a", 0, 0, 0, (0.1, 0.2, 0.3)), box("b", 0, 0, 0, (0.3, 0.2, 0.1))]
    assert boxes[1].volume > boxes[2].volume
    assert placed(boxes)["inside"]["m"][0] == "a"


def test_many_tables() -> None:
    tables = [box(f"t{i}", 3.0 * i, 0, 0.5, (1, 1, 1)) for i in range(600)]
    mugs = [box(f"m{i}", 3.0 * i + 0.2, 0.1, 1.05, (0.1, 0.1, 0.1)) for i in range(600)]
    found = placed([*tables, *mugs])["on"]
    assert {a: b for a, (b, _) in found.items()} == {f"m{i}": f"t{i}" for i in range(600)}


def test_a_crowd_in_one_spot_stays_bounded() -> None:
    boxes = [box(f"b{i}", 0, 0, 0.5 + 1e-6 * i, (0.3, 0.3, 0.02)) for i in range(2_000)]
    found = placed(boxes)
    assert len(found["on"]) == 1_999


# --- The places that a person would give to everyday things, and how sure they would be


PLACES = ("on", "inside", "attached")
DATA = yaml.safe_load((Path(__file__).parents[1] / "data" / "everyday_places.yaml").read_text())


@dataclass(frozen=True)
class Thing:
    """A box, tilted about its own x axis and then turned about the vertical; see the data."""

    label: str
    at: list[float]
    size: list[float]
    yaw: float = 0.0
    tilt: float = 0.0
    id: str = ""

    def to_node(self) -> SceneNode:
        pitch, yaw = math.radians(self.tilt) / 2, math.radians(self.yaw) / 2
        turn = (
            math.sin(pitch) * math.cos(yaw),
            math.sin(pitch) * math.sin(yaw),
            math.cos(pitch) * math.sin(yaw),
            math.cos(pitch) * math.cos(yaw),
        )
        name = self.id or self.label.replace(" ", "_")
        return SceneNode(
            name, Layer.OBJECT, self.label, Pose(tuple(self.at), turn), tuple(self.size)
        )


def make_room(things) -> SceneGraph:
    corners = ((0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0))
    room = SceneNode("room", Layer.ROOM, "room", Pose.at(3, 3, 1.3), polygon=corners, height=2.6)
    robot = SceneNode("robot", Layer.AGENT, "robot", Pose.at(0.5, 0.5, 0.0))
    boxes = [DATA["furniture"][one] if isinstance(one, str) else one for one in things]
    return SceneGraph.of([room, robot, *(Thing(**box).to_node() for box in boxes)])


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["case"].replace(" ", "_"))
def test_a_place_is_as_a_person_would_say(case) -> None:
    said, nowhere = case.get("said", {}), case.get("nowhere", ())
    graph = complete_relations(make_room(case["things"]))
    sure = {str(r): r.confidence for r in graph.relations}
    items = {text.split("(")[1].split(",")[0] for text in said} | set(nowhere)
    places = {str(r) for r in graph.relations if r.name in PLACES and r.elements[0] in items}
    for text, sureness in said.items():
        least, greatest = DATA["sureness"].get(sureness) if isinstance(sureness, str) else sureness
        found = [option for option in text.split(" or ") if option in sure]
        assert len(found) == 1 or (least == 0.0 and not found), f"{text}: found {places}"
        for option in found:
            assert least <= sure[option] <= greatest, f"{option}: {sure[option]:.2f}"
            places.discard(option)
    assert not places, "places that nobody would give"
