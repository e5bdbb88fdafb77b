# SPDX-License-Identifier: Apache-2.0
"""Scene messages as bytes: the fast codec says what rclpy and the plain conversions say."""

from __future__ import annotations

import random
import struct
import tracemalloc
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from random_scenes import changes, graphs, updates
from rclpy.serialization import deserialize_message, serialize_message

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions import scene
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene_values import PublishedGraph, SceneUpdate
from fcp_ros.nodes.conversions.scene_wire_read import SPARE, SceneReader
from fcp_ros.nodes.conversions.scene_wire_write import SceneWriter
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

STAMP = Time(sec=17, nanosec=5)
MOST = 1000

# One of each for all examples: their memories must not mix anything up.
READER = SceneReader(MOST)
WRITER = SceneWriter()


def same_bytes(ours: bytes, theirs: bytes) -> bool:
    """Whether bytes are equal but for gaps: we leave zeros there, rclpy what was in its memory."""
    return len(ours) == len(theirs) and all(
        one in (other, 0) for one, other in zip(ours, theirs, strict=True)
    )


@settings(max_examples=150, deadline=None)
@given(updates())
def test_update_is_what_rclpy_says(update):
    message = scene.update_to_ros(update)
    slow = serialize_message(message)
    fast = WRITER.update(update)
    assert READER.update(slow) == update == READER.update(fast)
    assert scene.update_from_ros(deserialize_message(fast, SceneGraphUpdate)) == update
    assert same_bytes(fast, slow)


@settings(max_examples=80, deadline=None)
@given(changes())
def test_change_is_what_rclpy_says(change):
    slow = serialize_message(scene.change_to_ros(change))
    fast = WRITER.change(change)
    assert same_bytes(fast, slow)
    assert READER.change(slow) == change == READER.change(fast)
    assert scene.change_from_ros(deserialize_message(fast, SceneGraphChange)) == change


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_graph_is_what_rclpy_says(graph):
    slow = serialize_message(scene.graph_to_ros(graph, STAMP))
    fast = WRITER.graph(PublishedGraph(STAMP, graph))
    assert same_bytes(fast, slow)
    assert READER.graph(slow) == PublishedGraph(STAMP, graph) == READER.graph(fast)
    assert scene.graph_from_ros(deserialize_message(fast, SceneGraphMessage)) == graph


# --- memory -------------------------------------------------------------------------------------


def house(count: int, **more) -> SceneUpdate:
    nodes = tuple(
        SceneNode(
            f"mug_{number}",
            Layer.OBJECT,
            "mug",
            Pose.at(float(number), 0.0, 1.0),
            (0.1, 0.1, 0.1),
            attributes={"is_open": False, "weight": 0.3, "count": number, "colour": "blue"},
            parents=("hall",),
        )
        for number in range(count)
    )
    hall = SceneNode("hall", Layer.ROOM, "hall", None, None, ((0, 0), (1, 0), (1, 1)), 2.5)
    relations = tuple(
        SceneRelation("in_room", (node.id, "hall"), 0.5, Provenance.INFERRED) for node in nodes
    )
    return SceneUpdate(STAMP, "map", True, 1, "camera", (hall, *nodes), (), relations, **more)


def moved(update: SceneUpdate, number: int) -> SceneUpdate:
    nodes = list(update.nodes)
    nodes[number] = replace(nodes[number], pose=Pose.at(0.0, 0.0, 7.0))
    return replace(update, nodes=tuple(nodes))


def test_what_did_not_change_stays_the_same_object():
    reader, update = SceneReader(MOST), house(50)
    # rclpy leaves other bytes in the gaps each time.
    first = reader.update(serialize_message(scene.update_to_ros(update)))
    second = reader.update(serialize_message(scene.update_to_ros(moved(update, 3))))
    assert second == moved(update, 3)
    kept = [a is b for a, b in zip(first.nodes, second.nodes, strict=True)]
    assert kept == [number != 3 for number in range(51)]
    assert all(a is b for a, b in zip(first.relations, second.relations, strict=True))


def test_nodes_that_move_within_the_message_are_written_right():
    """A longer node before others shifts where they begin: other gaps, the same nodes."""
    writer, update = SceneWriter(), house(20)
    for length in range(12):
        first = replace(update.nodes[0], category="h" * (length + 1))
        shifted = replace(update, nodes=(first, *update.nodes[1:]))
        assert SceneReader(MOST).update(writer.update(shifted)) == shifted


def test_kinds_of_attributes_are_told_apart():
    """True, 1 and 1.0 are equal in Python, and yet other values of the message."""
    writer, update = SceneWriter(), house(1)
    for value in (True, 1, 1.0, False, 0, 0.0):
        node = replace(update.nodes[1], attributes={"a": value})
        read = SceneReader(MOST).update(writer.update(replace(update, nodes=(node,)))).nodes[0]
        assert type(read.attributes["a"]) is type(value)


def test_memory_is_bounded():
    reader, writer = SceneReader(MOST), SceneWriter()
    for number in range(40):
        update = house(200)
        fresh = tuple(replace(node, id=f"{node.id}_{number}") for node in update.nodes)
        relations = tuple(SceneRelation("near", (node.id, "hall")) for node in fresh)
        reader.update(writer.update(replace(update, nodes=fresh, relations=relations)))
        for memory in (reader._nodes, reader._relations, writer._nodes, writer._relations):
            assert len(memory) <= 3 * 201 + SPARE


# --- bad bytes ----------------------------------------------------------------------------------


def read_or_refuse(reader: SceneReader, data: bytes) -> SceneUpdate | None:
    """Nothing but a value or a sentence; what is read is what rclpy reads."""
    try:
        read = reader.update(data)
    except ConversionError:
        return None
    slow = scene.update_from_ros(deserialize_message(data, SceneGraphUpdate))
    # Not a number is not equal to itself; its text is.
    assert repr(read) == repr(slow)
    return read


def test_truncated_anywhere():
    data = WRITER.update(house(2))
    for length in range(len(data)):
        assert read_or_refuse(READER, data[:length]) is None


@pytest.mark.parametrize("lie", [2**32 - 1, 2**31, 2**24, 1000])
def test_lying_lengths_allocate_nothing(lie):
    data = WRITER.update(house(2))
    tracemalloc.start()
    for at in range(4, len(data) - 3, 4):
        read_or_refuse(READER, data[:at] + struct.pack("<I", lie) + data[at + 4 :])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20


def test_flipped_bits():
    data = WRITER.update(house(3))
    rng = random.Random(5)
    refused = 0
    for _ in range(2000):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 3))):
            damaged[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
        refused += read_or_refuse(READER, bytes(damaged)) is None
    assert refused > 500
    # Nothing of all that was remembered.
    assert READER.update(data) == house(3)


def test_garbage():
    rng = random.Random(6)
    for length in range(300):
        body = rng.randbytes(length)
        assert read_or_refuse(READER, b"\x00\x01\x00\x00" + body) is None
        with pytest.raises(ConversionError):
            READER.update(body)
    with pytest.raises(ConversionError, match="5 bytes follow"):
        READER.update(WRITER.update(replace(house(0), relations=())) + bytes(5))


def test_too_many_nodes():
    data = WRITER.update(house(30))
    with pytest.raises(ConversionError, match=r"31 nodes, and 30 are allowed.*max_nodes"):
        SceneReader(30).update(data)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"id": "a\0b"}, "holds a zero"),
        ({"category": "\udc80"}, "surrogates"),
        ({"attributes": {"n": 2**63}}, "64 bits"),
        ({"polygon": ((1e39, 0.0), (0.0, 0.0), (1.0, 0.0))}, "footprint of 'mug_0'"),
        ({"size": (1.0, "x", 1.0)}, "'mug_0' can't be sent"),
    ],
)
def test_what_does_not_fit_is_not_written(wrong, words):
    update = house(1)
    bad = replace(update, nodes=(replace(update.nodes[1], **wrong),))
    with pytest.raises(ConversionError, match=words):
        SceneWriter().update(bad)


def test_another_byte_order_is_read_too():
    header = struct.pack(">iII", 17, 5, 4) + b"map\0"
    numbers = b"\1" + bytes(7) + struct.pack(">q", -9) + struct.pack(">I", 2) + b"c\0\0\0"
    removed = struct.pack(">III", 0, 1, 3) + b"ab\0\0"
    data = b"\0\0\0\0" + header + numbers + removed + struct.pack(">II", 0, 0)
    assert READER.update(data) == SceneUpdate(STAMP, "map", True, -9, "c", removed=("ab",))


def test_a_graph_that_is_no_graph():
    twice = SceneGraph.of([house(1).nodes[0]])
    data = WRITER.graph(PublishedGraph(STAMP, twice))
    message = deserialize_message(data, SceneGraphMessage)
    message.nodes *= 2
    with pytest.raises(SceneError, match="two nodes"):
        READER.graph(serialize_message(message))


def test_renames_that_do_not_pair():
    data = serialize_message(SceneGraphChange(renamed_from=["a"]))
    with pytest.raises(ConversionError, match="1 ids are renamed, but 0"):
        READER.change(data)
