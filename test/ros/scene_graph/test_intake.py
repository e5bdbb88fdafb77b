# SPDX-License-Identifier: Apache-2.0
"""The intake of updates alone: which are worked in, and which give way."""

from __future__ import annotations

import threading

from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message

from fcp_ros.nodes.conversions.scene import SceneUpdate, update_to_ros
from fcp_ros.nodes.scene_graph import intake as scene_intake
from fcp_ros.nodes.scene_graph.intake import SceneIntake
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import SceneDelta

LIMITS = SceneLimits(max_nodes=10)


def test_a_full_update_is_not_worked_in_when_a_newer_one_waits(until):
    """The intake alone: its receiver holds the first update until all others have come."""
    taken, go_on = [], threading.Event()

    def take(update):
        taken.append((update.source, update.delta.sequence, update.is_full))
        go_on.wait(10.0)

    def data(source, number, full):
        update = SceneUpdate(Time(), "map", full, SceneDelta(number), source)
        return serialize_message(update_to_ros(update))

    intake = SceneIntake(LIMITS, take, lambda sentence: taken.append(sentence), print)
    intake.put(data("a", 1, True))
    until(lambda: taken, "the first")
    for source, number, full in (
        ("a", 2, True),
        ("a", 3, False),
        ("", 7, False),
        ("b", 1, True),
        ("a", 4, True),
        ("a", 5, False),
    ):
        intake.put(data(source, number, full))
    assert intake.values()["superseded_updates"] == 2
    assert intake.values()["waiting_updates"] == 4
    intake.put(b"\x00\x01\x00\x00garbage")
    go_on.set()
    until(lambda: len(taken) == 6, "the others")
    expected = [("", 7, False), ("b", 1, True), ("a", 4, True), ("a", 5, False)]
    assert taken[1:5] == expected
    assert "damaged" in taken[5]
    intake.close()


def test_what_waits_is_bounded(until, monkeypatch):
    monkeypatch.setattr(scene_intake, "MOST_WAITING", 3)
    taken, go_on = [], threading.Event()
    lost = []
    intake = SceneIntake(
        LIMITS,
        lambda update: (taken.append(update.delta.sequence), go_on.wait(10.0)),
        str,
        lambda source, sentence: lost.append((source, sentence)),
    )
    empty = [update_to_ros(SceneUpdate(Time(), "", False, SceneDelta(n), "a")) for n in range(9)]
    data = [serialize_message(message) for message in empty]
    intake.put(data[0])
    until(lambda: taken, "the first")
    for one in data[1:]:
        intake.put(one)
    assert intake.values() == {
        "waiting_updates": 3,
        "superseded_updates": 0,
        "dropped_updates": 5,
        "missed_updates": 0,
    }
    go_on.set()
    until(lambda: taken == [0, 1, 2, 3], "those that fitted")
    ((source, sentence),) = lost
    assert source == "a"
    assert sentence.startswith("5 updates were lost")
    intake.close()
