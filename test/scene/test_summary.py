# SPDX-License-Identifier: Apache-2.0
"""The summary counts what is there."""

from fcp_ros.scene import SceneGraph, summarise


def test_the_summary_of_the_twin_house(house: SceneGraph) -> None:
    summary = summarise(house)
    assert summary.layers == {
        "building": 0,
        "floor": 0,
        "room": 2,
        "place": 0,
        "object": 11,
        "agent": 1,
    }
    assert summary.categories["floor"] == 2
    assert summary.categories["mug"] == 1
    assert summary.rooms == (("kitchen_1", "kitchen", 5), ("living_room_1", "living_room", 5))
    assert summary.agents == (("robot_1", "robot", "kitchen_1"),)
    assert summary.relations["connected"] == {"given": 2}
    assert summary.relations["on"] == {"given": 3, "geometric": 4}
    assert summary.extent == (0.0, 0.0, 9.4, 4.0)
    assert summary.notes == house.notes
