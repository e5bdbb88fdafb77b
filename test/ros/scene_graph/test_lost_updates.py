# SPDX-License-Identifier: Apache-2.0
"""Deltas that name a node twice, and deltas that are lost: nothing is silently wrong."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_interfaces.msg import Time

from fcp_ros.client import FcpClient
from fcp_ros.msg import SceneGraphRequest, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import SceneUpdate, update_to_ros
from fcp_ros.nodes.scene_graph import intake as scene_intake
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode


def mug(name: str, x: float = 1.0) -> SceneNode:
    return SceneNode(name, Layer.OBJECT, "mug", Pose.at(x, 1.0, 0.8), (0.08, 0.08, 0.1))


def update(number: int, *nodes: SceneNode, full: bool = False, source: str = "camera") -> Any:
    return update_to_ros(SceneUpdate(Time(), "map", full, SceneDelta(number, nodes), source))


@pytest.fixture
def watcher(live: Any, tmp_path: Any, probe: Any, until: Any) -> Any:
    """A scene_graph node of its own with one mug: (node, client, publisher, requests)."""
    with live(tmp_path, nodes=("scene_graph",), namespace="watcher", scene="") as (stack, client):
        requests = probe.listen(SceneGraphRequest, "watcher/scene_graph_request")
        publisher = probe.publisher(SceneGraphUpdate, "watcher/scene_graph_update")
        node = stack.nodes["scene_graph"]
        until(lambda: knows_listener(node), "the node to know who listens to its requests")
        publisher.publish(update(1, mug("zz"), full=True))
        yield node, client, publisher, requests
        requests.close()


def knows_listener(node: Any) -> bool:
    """Whether a request would reach somebody: it is sent once, and not kept for those who come."""
    return any(
        publisher.topic_name.endswith("scene_graph_request") and publisher.get_subscription_count()
        for publisher in node.publishers
    )


def ids(client: FcpClient) -> list[str]:
    found = client.scene()
    return [] if found is None else list(found.nodes.ids)


def test_a_delta_that_names_a_node_twice_is_refused_by_name(watcher: Any, until: Any) -> None:
    node, client, publisher, requests = watcher
    until(lambda: "zz" in ids(client), "the first graph")
    before = ids(client)
    for number in range(2, 5):
        publisher.publish(update(number, mug("yy", 2.0), mug("yy", 3.0)))
    until(lambda: node.diagnose().values["refused_updates"] == 3, "three refusals")
    assert ids(client) == before
    asked = requests.wait(lambda message: "twice" in message.reason)
    assert asked.source == "camera"
    assert "yy" in asked.reason
    publisher.publish(update(7, mug("zz"), mug("yy", 2.0), full=True))
    until(lambda: "yy" in ids(client), "the full graph that was asked for")
    assert not node.diagnose().message


@pytest.mark.parametrize("source", ["camera", ""])
def test_lost_updates_are_counted_and_a_full_one_is_asked_for(
    watcher: Any, until: Any, monkeypatch: Any, source: str
) -> None:
    node, client, publisher, requests = watcher
    until(lambda: "zz" in ids(client), "the first graph")
    monkeypatch.setattr(scene_intake, "MOST_WAITING", 3)
    with node._holder._lock:  # an update that takes long is being worked in
        for number in range(2, 42):
            publisher.publish(update(number if source else 0, mug(f"m{number}"), source=source))
        until(lambda: node.diagnose().values["dropped_updates"] >= 30, "updates that don't fit")
    asked = requests.wait(lambda message: message.source == source and "lost" in message.reason)
    assert "come faster" in asked.reason
    until(lambda: node.diagnose().values["waiting_updates"] == 0, "an idle node")
    monkeypatch.undo()
    publisher.publish(update(99, *(mug(f"m{n}", n / 9) for n in range(2, 42)), full=True))
    until(lambda: len(ids(client)) >= 40, "all of them")  # one may be called zz, where that was
    until(lambda: not node.diagnose().values["full_updates_awaited"], "no more requests")


def test_updates_that_never_arrive_are_counted_by_their_numbers(watcher: Any, until: Any) -> None:
    node, client, publisher, requests = watcher
    until(lambda: "zz" in ids(client), "the first graph")
    publisher.publish(update(5, mug("m5")))  # 2, 3 and 4 were lost
    until(lambda: node.diagnose().values["missed_updates"] == 3, "three missed")
    asked = requests.wait(lambda message: message.source == "camera")
    assert asked.last_sequence_number == 1
    publisher.publish(update(9, mug("zz"), mug("m5", 2.0), full=True))  # may begin anywhere
    publisher.publish(update(10, mug("m10", 3.0)))
    until(lambda: "m10" in ids(client), "the next delta")
    publisher.publish(update(12, mug("m12", 4.0)))
    until(lambda: node.diagnose().values["missed_updates"] == 4, "one more")
    assert "m12" not in ids(client)
