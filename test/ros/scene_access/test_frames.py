# SPDX-License-Identifier: Apache-2.0
"""Poses in other frames: the parameter static_transforms, tf2, refusals."""

from __future__ import annotations

import math

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from scene_updates import full_update_to_ros
from std_msgs.msg import Header

from fcp_ros.client import FcpClient
from fcp_ros.msg import SceneGraph, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import delta_to_ros, graph_from_ros
from fcp_ros.nodes.scene_access.frames import (
    FoundTransform,
    Frames,
    StaticTransforms,
    make_frames,
    parse_static_transform,
    parse_static_transforms,
)
from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.scene import Layer, Pose, SceneDelta, SceneError, SceneNode
from fcp_ros.scene import SceneGraph as Graph
from fcp_ros.scene.graph.transforms import Transform
from fcp_ros.scene.loading import save_scene

MAP_ODOM = "--frame-id map --child-frame-id odom --x 10 --yaw 1.5707963267948966"
ODOM_BASE = "--frame-id odom --child-frame-id base --z 0.5"

# --- the parameter ------------------------------------------------------------------------------


def test_arguments_of_a_static_transform_publisher():
    link = parse_static_transform(
        "--frame-id /map --child-frame-id odom --y -2 --qz 1 --qx 0 --qy 0 --qw 0"
    )
    assert (link.parent, link.child) == ("map", "odom")
    assert link.transform == Transform((0.0, -2.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    turned = parse_static_transform(MAP_ODOM).transform
    assert turned.transform_point((1.0, 0.0, 0.0)) == pytest.approx((10.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("map odom 1 0 0 0 0 0 1", "argument 'map'"),
        ("--frame-id map", "no --child-frame-id"),
        ("--frame-id map --child-frame-id odom --x", "no value for '--x'"),
        ("--frame-id map --child-frame-id odom --x one", "'one' for --x"),
        ("--frame-id map --child-frame-id odom --x nan", "'nan' for --x"),
        ("--frame-id map --child-frame-id odom --x 1 --x 2", "--x twice"),
        ("--frame-id map --child-frame-id odom --qw 1", "part of the quaternion"),
        ("--frame-id map --child-frame-id odom --qx 0 --qy 0 --qz 0 --qw 2", "of length 2"),
        ("--frame-id map --child-frame-id odom --yaw 1 --qw 1", "angles and a quaternion"),
    ],
)
def test_wrong_arguments(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse_static_transform(text)


# --- the way into the graph's frame -------------------------------------------------------------


@pytest.fixture
def frames():
    links = parse_static_transforms([MAP_ODOM, ODOM_BASE, ""])
    return Frames("map", StaticTransforms(links), "Tell me.")


def mug_in(frame: str) -> Graph:
    mug = SceneNode("mug", Layer.OBJECT, "mug", pose=Pose.at(1.0, 2.0, 0.0))
    return Graph.of([mug], frame_id=frame, source="camera")


def test_chains_into_the_graph(frames):
    moved = frames.transform_graph(mug_in("base"), Time())
    assert moved.frame_id == "map"
    assert moved.nodes["mug"].pose.position == pytest.approx((8.0, 1.0, 0.5))
    assert moved.nodes["mug"].pose.yaw == pytest.approx(math.pi / 2)
    assert frames.transform_graph(mug_in("map"), Time()) == mug_in("map")


def test_an_inverse_into_the_graph():
    frames = Frames("base", StaticTransforms(parse_static_transforms([MAP_ODOM, ODOM_BASE])), "")
    moved = frames.transform_graph(mug_in("map"), Time())
    assert moved.nodes["mug"].pose.position == pytest.approx((2.0, 9.0, -0.5))


def test_an_unknown_frame_is_refused(frames):
    with pytest.raises(SceneError) as refused:
        frames.transform_graph(mug_in("moon"), Time())
    sentence = str(refused.value)
    assert "'moon'" in sentence
    assert "known frames: base, map, odom" in sentence
    assert sentence.endswith("Tell me.")


def test_what_was_assumed_becomes_a_note():
    class Old:
        def find(self, source, target, stamp):
            return FoundTransform(Transform((1.0, 0.0, 0.0)), "it is old")

        def list_frames(self):
            return ()

        def close(self):
            pass

    moved = Frames("map", Old(), "").transform_graph(mug_in("odom"), Time())
    assert moved.notes == ("it is old",)


def test_what_has_no_frame_is_in_the_graph_s(frames):
    nodes = tuple(mug_in("").nodes.values())
    assert frames.find_transform("", Time(), "update").move(nodes) == nodes
    moved = frames.find_transform("odom", Time(), "update").move(nodes)
    assert moved[0].pose.position == pytest.approx((8.0, 1.0, 0.0))


# --- the node -----------------------------------------------------------------------------------


@pytest.fixture
def node(live, tmp_path, probe):
    """A scene_graph node with two static transforms; a client, and a publisher of updates."""
    with live(
        tmp_path,
        {"scene_graph": {"static_transforms": [MAP_ODOM, ODOM_BASE], "transform_timeout": 0.1}},
        nodes=("scene_graph",),
        namespace="frames",
        scene="",
    ) as (stack, client):
        publisher = probe.publisher(SceneGraphUpdate, "frames/scene_graph_update")
        yield stack.nodes["scene_graph"], client, publisher
        probe.node.destroy_publisher(publisher)


def position(graph: SceneGraph, id_: str) -> tuple:
    return graph_from_ros(graph).nodes[id_].pose.position


def test_updates_in_other_frames(node, probe):
    _, _, updates = node
    graphs = probe.listen(SceneGraph, "frames/scene_graph", latched=True)
    updates.publish(full_update_to_ros(mug_in("odom"), Time()))
    graph = graphs.wait(lambda m: m.nodes.ids)
    assert graph.header.frame_id == "map"
    assert position(graph, "mug") == pytest.approx((8.0, 1.0, 0.0))
    delta = SceneDelta(graph.sequence_number + 1, upserted=tuple(mug_in("").nodes.values()))
    updates.publish(delta_to_ros(delta, "base", Time()))
    graph = graphs.wait(lambda m: m.sequence_number == delta.sequence)
    assert position(graph, "mug") == pytest.approx((8.0, 1.0, 0.5))
    graphs.close()


def test_contradicting_transforms_are_refused_at_the_start(stack_options, tmp_path):
    transforms = [MAP_ODOM, "--frame-id odom --child-frame-id map"]
    options = stack_options(
        tmp_path,
        {"scene_graph": {"static_transforms": transforms}},
        nodes=("scene_graph",),
        namespace="circle",
    )
    with NodeStack(options) as stack, pytest.raises(StartError, match="cycle"):
        stack.wait_active()


# --- tf2 ----------------------------------------------------------------------------------------


def broadcast(probe, x: float, stamp: Time, child: str = "camera"):
    """A publisher of /tf that sends where the camera is, x metres from base."""
    from tf2_msgs.msg import TFMessage

    moved = TransformStamped(header=Header(stamp=stamp, frame_id="base"), child_frame_id=child)
    moved.transform.translation.x = x
    return TFMessage(transforms=[moved])


@pytest.fixture
def transforms(tf2, probe):
    from tf2_msgs.msg import TFMessage

    publisher = probe.node.create_publisher(TFMessage, "/tf", 100)
    yield publisher
    probe.node.destroy_publisher(publisher)


def test_the_transform_at_the_time_of_the_message(tf2, node, probe, transforms, until):
    """Between two transforms, and together with those of the parameter."""
    _, _, updates = node
    graphs = probe.listen(SceneGraph, "frames/scene_graph", latched=True)

    def send(stamp: Time):
        for second, x in ((100, 1.0), (102, 3.0)):
            transforms.publish(broadcast(probe, x, Time(sec=second)))
        updates.publish(full_update_to_ros(mug_in("camera"), stamp))
        return graphs.messages

    until(lambda: send(Time(sec=101)), "a graph", timeout=20.0)
    # camera (1, 2) + 2 ahead is (3, 2) in base and odom; a quarter turn, then 10 ahead.
    assert position(graphs.messages[-1], "mug") == pytest.approx((8.0, 3.0, 0.5))
    graphs.close()


def test_the_newest_transform_with_a_note(tf2, node, transforms, probe, until):
    frames = make_frames(node[0])
    transforms_of = lambda: transforms.publish(broadcast(probe, 2.0, Time(sec=100)))  # noqa: E731

    def moved():
        transforms_of()
        try:
            return frames.transform_graph(mug_in("camera"), Time(sec=103))
        except SceneError:
            return None

    graph = until(moved, "a transform")
    assert graph.nodes["mug"].pose.position == pytest.approx((8.0, 3.0, 0.5))
    assert "3.00 s older" in graph.notes[-1]
    frames.close()


def test_a_frame_that_tf2_does_not_know(tf2, node):
    frames = make_frames(node[0])
    with pytest.raises(SceneError, match=r"'moon'.*known frames: base, map, odom.*/tf"):
        frames.transform_graph(mug_in("moon"), Time())
    frames.close()


def test_what_waits_in_the_only_thread_does_not_keep_the_transforms_out(
    tf2, stack_options, tmp_path, transforms, until, monkeypatch
):
    """A scene file in another frame is loaded while the node is configured, in a callback."""
    scene = tmp_path / "in_camera.json"
    save_scene(mug_in("camera"), scene)
    options = stack_options(
        tmp_path,
        {"scene_graph": {"static_transforms": [MAP_ODOM, ODOM_BASE]}},
        nodes=("scene_graph",),
        namespace="waiting",
        scene=str(scene),
    )
    monkeypatch.setattr("fcp_ros.nodes.scene_access.frames.FIRST_WAIT", 60.0)
    with NodeStack(options) as stack, FcpClient(namespace="waiting") as client:
        until(lambda: transforms.get_subscription_count() or None, "the listener")
        transforms.publish(broadcast(None, 2.0, Time(sec=100)))
        stack.wait_active()
        assert position(client.scene(), "mug") == pytest.approx((8.0, 3.0, 0.5))
