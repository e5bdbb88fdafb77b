# SPDX-License-Identifier: Apache-2.0
"""The places that a person would give to everyday things, and how sure they would be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, complete_relations

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
