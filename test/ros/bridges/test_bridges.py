# SPDX-License-Identifier: Apache-2.0
"""The bridges with real messages on real topics; `make setup` builds what no wheel brings."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from geometry_msgs.msg import TransformStamped
from std_msgs.msg import Header

from fcp_ros.client import FcpClient
from fcp_ros.msg import SceneGraph
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.runtime import optional_packages
from fcp_ros.nodes.runtime.optional_packages import find_interfaces
from fcp_ros.nodes.scene_graph.hydra import DsgStream
from fcp_ros.nodes.stack import NodeStack, StartError
from fcp_ros.srv import GetSceneGraph

CAMERA = "--frame-id map --child-frame-id camera --x 6.0 --y 2.0 --z 0.8"


def needs(package: str):
    return pytest.mark.skipif(
        find_interfaces(package) is None, reason=f"{package} is not installed"
    )


@pytest.fixture
def start(stack_options, tmp_path, probe):
    """Starts a scene_graph node with parameters; its namespace is new each time."""
    stacks = []

    def make(scene: str = "", **parameters):
        space = f"bridged_{time.monotonic_ns()}"
        options = stack_options(
            tmp_path,
            {"scene_graph": {"static_transforms": [CAMERA], **parameters}},
            nodes=("scene_graph",),
            namespace=space,
            scene=scene,
        )
        stack = NodeStack(options)
        stack.start()
        stacks.append(stack)
        stack.wait_active()
        return stack.nodes["scene_graph"], space

    yield make
    for stack in stacks:
        stack.stop()


@pytest.fixture
def graph_of(probe, until):
    """Waits until a node's graph fits, and returns it."""
    inboxes = []

    def wait(space, fits, what):
        inbox = probe.listen(SceneGraph, f"{space}/scene_graph", latched=True)
        inboxes.append(inbox)
        return graph_from_ros(inbox.wait(lambda m: fits(set(m.nodes.ids))))

    yield wait
    for inbox in inboxes:
        inbox.close()


# --- without the packages -----------------------------------------------------------------------


def test_bridges_are_off_and_say_so(start):
    node, _ = start()
    values = node.diagnose().values
    assert (values["hydra"], values["detections"]) == ("off", "off")


@pytest.mark.parametrize(
    ("parameter", "package"), [("hydra_topic", "hydra_msgs"), ("detections_topic", "vision_msgs")]
)
def test_a_bridge_that_cannot_be_is_refused(start, parameter, package, monkeypatch):
    monkeypatch.setattr(optional_packages, "find_interfaces", lambda _package, _kind: None)
    with pytest.raises(StartError, match=rf"package {package} is not installed .* {parameter}"):
        start(**{parameter: "here"})


# --- Hydra --------------------------------------------------------------------------------------


@pytest.fixture
def hydra(start, probe):
    """A node that follows Hydra; its namespace, and a publisher of updates."""
    from hydra_msgs.msg import DsgUpdate

    node, space = start(hydra_topic="dsg")
    publisher = probe.publisher(DsgUpdate, f"{space}/dsg", latched=True)
    yield node, space, publisher
    probe.node.destroy_publisher(publisher)


@pytest.fixture
def house(repository: Path):
    dsg = pytest.importorskip("spark_dsg", reason="needs spark-dsg")
    file = repository / "test" / "scene" / "data" / "twin_house_spark_v1.1.3.sparkdsg"
    return dsg.DynamicSceneGraph.load(str(file))


def dsg_update(graph, frame="map", **fields):
    from hydra_msgs.msg import DsgUpdate

    message = DsgUpdate(header=Header(frame_id=frame), **fields)
    message.layer_contents = graph.to_binary(False)
    return message


@needs("hydra_msgs")
def test_hydra_becomes_the_scene(hydra, house, graph_of, until):
    node, space, publisher = hydra
    publisher.publish(dsg_update(house, full_update=True))
    graph = graph_of(space, lambda ids: {"O0", "R0"} <= ids, "the house")
    assert graph.nodes["O0"].category == "refrigerator"
    assert graph.relations_named("in_room"), "relations are completed"
    until(lambda: node.diagnose().values["hydra"] == "on dsg, 1 updates taken", "the count")


@needs("hydra_msgs")
def test_incremental_updates_and_gaps(hydra, house, graph_of, until):
    import spark_dsg as dsg

    node, space, publisher = hydra
    publisher.publish(dsg_update(house, full_update=True, sequence_number=1))
    graph_of(space, lambda ids: "O0" in ids, "the house")
    nothing = dsg.DynamicSceneGraph()
    gone = [dsg.NodeSymbol("O", 0).value]
    publisher.publish(dsg_update(nothing, sequence_number=2, deleted_nodes=gone))
    graph_of(space, lambda ids: ids and "O0" not in ids, "the deletion")
    publisher.publish(dsg_update(nothing, sequence_number=9))
    until(lambda: "update 9 came after update 2" in node.diagnose().message, "the refusal")
    publisher.publish(dsg_update(house, full_update=True, sequence_number=10))
    graph_of(space, lambda ids: "O0" in ids, "the house again")
    assert "refused" not in node.diagnose().message


@needs("hydra_msgs")
def test_hydra_in_another_frame_and_damaged(hydra, house, graph_of, until):
    node, space, publisher = hydra
    publisher.publish(dsg_update(house, frame="odom", full_update=True))
    until(lambda: "'odom'" in node.diagnose().message, "the refusal")
    damaged = dsg_update(house, full_update=True)
    damaged.layer_contents = bytes(damaged.layer_contents)[:-100]
    publisher.publish(damaged)
    until(lambda: "'odom'" not in node.diagnose().message, "the other refusal")
    publisher.publish(dsg_update(house, frame="camera", full_update=True))
    graph = graph_of(space, lambda ids: "O0" in ids, "the house")
    assert graph.frame_id == "map"
    assert graph.nodes["O0"].pose.position == pytest.approx((6.5, 2.5, 1.7), abs=1e-6)


# --- detections ---------------------------------------------------------------------------------


def detections(*found, frame="camera"):
    """(class, x, id) of each; 0.8 m above the floor where the table is 0.75 m high."""
    from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

    message = Detection3DArray(header=Header(frame_id=frame))
    for class_id, x, track in found:
        one = Detection3D(id=track)
        best = ObjectHypothesisWithPose()
        best.hypothesis.class_id, best.hypothesis.score = class_id, 0.9
        one.results = [best]
        one.bbox.center.position.x = x
        one.bbox.size.x = one.bbox.size.y = one.bbox.size.z = 0.1
        message.detections.append(one)
    return message


@pytest.fixture
def detector(probe):
    """Makes publishers of detections, as drivers have them: best effort."""
    from rclpy.qos import qos_profile_sensor_data
    from vision_msgs.msg import Detection3DArray

    made = []

    def make(space):
        publisher = probe.node.create_publisher(
            Detection3DArray, f"{space}/seen", qos_profile_sensor_data
        )
        made.append(publisher)
        return publisher

    yield make
    for publisher in made:
        probe.node.destroy_publisher(publisher)


def seeing(until, publisher, message, fits):
    """Sends again and again, as a detector does, until something holds."""

    def look():
        publisher.publish(message)
        time.sleep(0.05)
        return fits()

    return until(look, "the detections' effect")


@needs("vision_msgs")
def test_detections_change_the_scene(start, detector, graph_of, until):
    node, space = start(
        "twin_house_furnished", detections_topic="seen", detection_classes=["3:mug", "4:bottle"]
    )
    publisher = detector(space)
    seen = detections(("3", 0.25, ""), ("4", 0.5, "7"), ("", 0.0, ""))
    with FcpClient(namespace=space) as client:
        before = graph_from_ros(client.scene())

        def ids():
            return set(client.scene().nodes.ids)

        seeing(until, publisher, seen, lambda: "bottle_7" in ids())
        graph = graph_from_ros(client.scene())
        assert set(graph.nodes) == {*before.nodes, "bottle_7"}
        assert graph.nodes["mug_1"].pose.position == pytest.approx((6.25, 2.0, 0.8))
        on = {
            relation.elements[0]: relation.elements[1] for relation in graph.relations_named("on")
        }
        assert on["bottle_7"] == on["mug_1"] == "table_1", "relations follow"
        sequence = client.scene().sequence_number
        for _ in range(5):
            publisher.publish(seen)
            time.sleep(0.05)
        assert client.scene().sequence_number == sequence, "nothing new, nothing published"

        def room_of_bottle():
            graph = graph_from_ros(client.scene())
            return dict(r.elements for r in graph.relations_named("in_room")).get("bottle_7")

        assert room_of_bottle() == "living_room_1"
        elsewhere = detections(("4", -4.0, "7"))
        seeing(until, publisher, elsewhere, lambda: room_of_bottle() == "kitchen_1")
    assert "no class" in node.diagnose().values["detections"]


@needs("vision_msgs")
def test_detections_alone_make_a_scene_and_are_forgotten(start, detector, probe, until):
    _, space = start(detections_topic="seen", detection_forget_after=0.5)
    graphs = probe.listen(SceneGraph, f"{space}/scene_graph", latched=True)
    publisher = detector(space)

    def seen(message):
        return dict(zip(message.nodes.categories, message.nodes.layers, strict=True))

    cup = detections(("cup", 0.25, ""), frame="map")
    seeing(until, publisher, cup, lambda: any("cup" in seen(m) for m in graphs.messages))
    first = next(seen(m) for m in graphs.messages if "cup" in seen(m))
    assert {"room", "agent"} <= set(first.values()), "a scene that can be planned in"
    until(lambda: "cup" not in seen(graphs.messages[-1]), "the cup to be forgotten")
    graphs.close()


@needs("vision_msgs")
@pytest.mark.parametrize(("frame", "words"), [("moon", "'moon'"), ("", "without a frame")])
def test_detections_without_a_known_frame(start, detector, until, frame, words):
    node, space = start("twin_house_furnished", detections_topic="seen")
    publisher = detector(space)
    message = detections(("cup", 0.25, ""), frame=frame)
    seeing(until, publisher, message, lambda: words in node.diagnose().message)


@needs("vision_msgs")
def test_detections_in_a_moving_frame(tf2, start, detector, probe, until, monkeypatch):
    """The node answers while a transform is waited for, which is then taken at its time."""
    from tf2_msgs.msg import TFMessage

    monkeypatch.setattr("fcp_ros.nodes.scene_access.frames.FIRST_WAIT", 60.0)
    node, space = start("twin_house_furnished", detections_topic="seen")
    publisher = detector(space)
    seen = detections(("cup", 0.25, ""), frame="head")
    seen.header.stamp.sec = 101
    moving = probe.node.create_publisher(TFMessage, "/tf", 100)
    seeing(until, publisher, seen, moving.get_subscription_count)
    with FcpClient(namespace=space) as client:
        assert "cup_1" not in client.scene().nodes.ids
        assert "0 taken, 0 left out" in node.diagnose().values["detections"], "it waits"
        moving.publish(TFMessage(transforms=[head(100, 5.0), head(102, 7.0)]))
        cup = until(lambda: graph_from_ros(client.scene()).nodes.get("cup_1"), "the cup")
    assert cup.pose.position == pytest.approx((6.25, 2.0, 0.8))
    assert node.diagnose().values["refused_updates"] == 0
    probe.node.destroy_publisher(moving)


def head(second: int, x: float) -> TransformStamped:
    """The transform of a head that moves along x."""
    link = TransformStamped(child_frame_id="head")
    link.header.frame_id, link.header.stamp.sec = "map", second
    place = link.transform.translation
    place.x, place.y, place.z = x, 2.0, 0.8
    return link


@needs("hydra_msgs")
def test_a_graph_that_is_worked_in_holds_up_no_request(hydra, house, probe, until, monkeypatch):
    node, space, publisher = hydra
    begun, held = threading.Event(), threading.Event()
    take = DsgStream.take

    def wait(stream, message):
        begun.set()
        assert held.wait(60.0)
        return take(stream, message)

    monkeypatch.setattr(DsgStream, "take", wait)
    publisher.publish(dsg_update(house, full_update=True))
    assert begun.wait(60.0)
    assert probe.ask(GetSceneGraph, f"{space}/get_scene_graph").message.startswith("There is no")
    held.set()
    until(lambda: node.diagnose().values["hydra"] == "on dsg, 1 updates taken", "the graph")
