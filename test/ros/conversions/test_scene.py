# SPDX-License-Identifier: Apache-2.0
"""Scene messages: what goes over the network comes back the same, and nothing wrong gets in."""

from __future__ import annotations

import math
import random
import struct
import tracemalloc
from array import array
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scenes import changes, graphs, updates
from rclpy.serialization import serialize_message
from scene_messages import columns, over_the_wire

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphUpdate, SceneNodes, SceneRelations
from fcp_ros.nodes.conversions import scene
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import SceneUpdate, read_bytes
from fcp_ros.nodes.conversions.scene_columns import (
    PROVENANCES,
    NodeReader,
    nodes_from_ros,
    nodes_to_ros,
    relations_from_ros,
    relations_to_ros,
)
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import (
    Layer,
    Pose,
    Provenance,
    SceneError,
    SceneNode,
    SceneRelation,
)

STAMP = Time(sec=17, nanosec=5)
NAN = math.nan


# --- round trips --------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(updates())
def test_update_round_trip(update):
    assert scene.update_from_ros(over_the_wire(scene.update_to_ros(update))) == update


@settings(max_examples=40, deadline=None)
@given(changes())
def test_change_round_trip(change):
    assert scene.change_from_ros(over_the_wire(scene.change_to_ros(change))) == change


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_graph_round_trip(graph):
    message = over_the_wire(scene.graph_to_ros(graph, STAMP))
    assert message.header.stamp == STAMP
    assert scene.graph_from_ros(message) == graph


# --- beside the obvious form: one node, one relation at a time ----------------------------------


def slow_nodes(message: SceneNodes) -> tuple[SceneNode, ...]:
    """Read the nodes of a good message one by one, as its comments say."""
    nodes = []
    for i, id_ in enumerate(message.ids):
        pose, size = message.poses[7 * i : 7 * i + 7], message.sizes[3 * i : 3 * i + 3]
        corners = [k for k, owner in enumerate(message.corner_nodes) if owner == i]
        node = SceneNode(
            id_,
            Layer(message.layers[i]),
            message.categories[i],
            Pose(tuple(pose[:3]), tuple(pose[3:])) if message.poses_known[i] else None,
            tuple(size) if message.sizes_known[i] else None,
            tuple((message.corners[2 * k], message.corners[2 * k + 1]) for k in corners),
            message.heights[i] or None,
            {
                name: value
                for kind in ("bool", "integer", "float", "string")
                for owner, name, value in zip(
                    getattr(message, f"{kind}_nodes"),
                    getattr(message, f"{kind}_names"),
                    getattr(message, f"{kind}_values"),
                    strict=True,
                )
                if owner == i
            },
            tuple(
                parent
                for owner, parent in zip(message.parent_nodes, message.parents, strict=True)
                if owner == i
            ),
        )
        nodes.append(node)
    return tuple(nodes)


def slow_relations(message: SceneRelations) -> tuple[SceneRelation, ...]:
    back = {number: provenance for provenance, number in PROVENANCES.items()}
    relations, at = [], 0
    for name, count, confidence, provenance in zip(
        message.names, message.element_counts, message.confidences, message.provenances, strict=True
    ):
        elements = tuple(message.elements[at : at + count])
        relations.append(SceneRelation(name, elements, round(confidence, 6), back[provenance]))
        at += count
    return tuple(relations)


@settings(max_examples=40, deadline=None)
@given(updates())
def test_columns_are_what_single_nodes_are(update):
    """Written together or one by one, read together or one by one."""
    together = nodes_to_ros(update.delta.upserted)
    assert slow_nodes(together) == nodes_from_ros(together) == update.delta.upserted
    for node in update.delta.upserted:
        assert slow_nodes(nodes_to_ros([node])) == (node,)
    relations = relations_to_ros(update.delta.added)
    assert slow_relations(relations) == relations_from_ros(relations) == update.delta.added
    for relation in update.delta.added:
        assert slow_relations(relations_to_ros([relation])) == (relation,)


@settings(max_examples=60, deadline=None)
@given(updates(), st.randoms())
def test_the_order_within_the_optional_columns_does_not_matter(update, chance):
    """Other senders may list attributes as they like; corners and parents keep their order."""
    message = nodes_to_ros(update.delta.upserted)
    for kind in ("bool", "integer", "float", "string"):
        names = [f"{kind}_{part}" for part in ("nodes", "names", "values")]
        rows = list(zip(*(getattr(message, name) for name in names), strict=True))
        chance.shuffle(rows)
        for name, column in zip(names, zip(*rows, strict=True), strict=False):
            setattr(message, name, list(column))
    assert nodes_from_ros(message) == update.delta.upserted


@settings(max_examples=40, deadline=None)
@given(updates(), st.lists(st.tuples(st.booleans(), st.randoms()), max_size=5))
def test_a_reader_of_many_messages_reads_what_each_one_says(update, others):
    """Poses of some nodes change, or anything; each message is read as if it were the first."""
    reader, nodes = NodeReader(), update.delta.upserted
    for anything, chance in ((False, random.Random(1)), *others):
        if anything and nodes:
            nodes = tuple(chance.sample(nodes, chance.randint(0, len(nodes))))
        nodes = tuple(
            replace(node, pose=chance.choice([node.pose, None, Pose.at(chance.random(), 0.0, 1.0)]))
            if chance.random() < 0.2
            else node
            for node in nodes
        )
        assert reader.read(over_the_wire(nodes_to_ros(nodes))) == nodes


def test_a_reader_keeps_the_nodes_that_a_message_repeats():
    before = house(9).delta.upserted
    after = (*before[:4], replace(before[4], pose=Pose.at(5.0, 5.0, 1.0)), *before[5:])
    reader = NodeReader()
    first = reader.read(over_the_wire(nodes_to_ros(before)))
    second = reader.read(over_the_wire(nodes_to_ros(after)))
    assert second == after
    assert [one is other for one, other in zip(first, second, strict=True)].count(False) == 1
    with pytest.raises(ConversionError):
        reader.read(SceneNodes(ids=["a"]))
    assert reader.read(nodes_to_ros(before)) == before


LISTS = tuple(SceneNodes.get_fields_and_field_types())


@settings(max_examples=120, deadline=None)
@given(updates(), st.sampled_from(LISTS), st.integers(-2, 3), st.randoms())
def test_columns_that_do_not_fit_are_refused_with_a_sentence(update, name, change, chance):
    """Cut a column, or lengthen it: never a value of other nodes, never another exception."""
    message = nodes_to_ros(update.delta.upserted)
    column = list(getattr(message, name))
    longer = column + [chance.choice(column or [0])] * change if change > 0 else column[:change]
    if (
        change == 0
        or len(longer) == len(column)
        or type((longer or [""])[0]) is not type((column or [""])[0])
    ):
        return
    setattr(message, name, longer)
    with pytest.raises(ConversionError, match="don't fit together"):
        nodes_from_ros(message)


@settings(max_examples=80, deadline=None)
@given(
    updates(),
    st.sampled_from([f"{kind}_nodes" for kind in ("corner", "parent", "bool", "string")]),
    st.integers(0, 8) | st.integers(0, 2**32 - 1),
    st.randoms(),
)
def test_indexes_lead_to_nodes(update, name, index, chance):
    message = nodes_to_ros(update.delta.upserted)
    column = list(getattr(message, name))
    if not column:
        return
    column[chance.randrange(len(column))] = index
    setattr(message, name, column)
    if index < len(update.delta.upserted):
        if name in ("corner_nodes", "parent_nodes"):  # else it may have that attribute already
            assert slow_nodes(message) == nodes_from_ros(message)
    else:
        with pytest.raises(ConversionError, match=f"{name} of SceneNodes holds the index"):
            nodes_from_ros(message)


# --- wrong values -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (columns("a", layer="attic"), "'a' has the layer 'attic': give one of building, floor"),
        (columns("a", float_nodes=[0], float_names=["k"], float_values=[NAN]), "'a'.*'k' is nan"),
        (
            columns("a", "b", bool_nodes=[1, 1], bool_names=["k"] * 2, bool_values=[True] * 2),
            "'b': the attribute 'k' is given twice",
        ),
        (
            columns(
                "a",
                bool_nodes=[0],
                bool_names=["k"],
                bool_values=[True],
                string_nodes=[0],
                string_names=["k"],
                string_values=["v"],
            ),
            "'a': the attribute 'k' is given twice",
        ),
        (columns("a", "b", layers=["room"]), "2 ids, but 1 entries in layers; give one for each"),
        (columns("a", poses=[0.0] * 6), "1 ids, but 6 entries in poses; give 7 numbers for each"),
        (columns("a", sizes=[]), "1 ids, but 0 entries in sizes; give 3 numbers for each"),
        (columns("a", parents=["b"]), "0 parent_nodes, but 1 entries in parents"),
        (columns(parent_nodes=[0], parents=["b"]), "the index 0, but there are 0 ids"),
        (columns("a", corner_nodes=[0], corners=[1.0]), "1 corner_nodes, but 1 entries in corners"),
    ],
)
def test_bad_nodes_are_named(message, words):
    with pytest.raises(ConversionError, match=words):
        nodes_from_ros(over_the_wire(message))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            SceneRelations(
                names=["on"],
                element_counts=[2],
                confidences=[1.0],
                provenances=[9],
                elements=["a", "b"],
            ),
            r"on\(a, b\) has the provenance 9",
        ),
        (SceneRelations(names=["on"]), "1 names, but 0 entries in element_counts"),
        (
            SceneRelations(names=["on"], element_counts=[2], confidences=[1.0], provenances=[1]),
            "sum 2, but 0 entries in elements",
        ),
        (SceneRelations(elements=["a"]), "sum 0, but 1 entries in elements"),
    ],
)
def test_bad_relations_are_named(message, words):
    with pytest.raises(ConversionError, match=words):
        relations_from_ros(over_the_wire(message))


def test_a_graph_that_is_no_graph():
    with pytest.raises(SceneError, match="two nodes"):
        scene.graph_from_ros(SceneGraphMessage(nodes=columns("a", "a")))
    dangling = relations_to_ros([SceneRelation("on", ("a",))])
    with pytest.raises(SceneError, match="not in the graph"):
        scene.graph_from_ros(SceneGraphMessage(relations=dangling))
    with pytest.raises(SceneError, match="empty"):
        scene.graph_from_ros(SceneGraphMessage(nodes=columns("")))


def test_renames_that_do_not_pair():
    with pytest.raises(ConversionError, match="1 ids are renamed, but 0"):
        scene.change_from_ros(SceneGraphChange(renamed_from=["a"]))


def house(count: int) -> SceneUpdate:
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
    return SceneUpdate(STAMP, "map", True, SceneDelta(1, (hall, *nodes), (), relations), "camera")


def test_kinds_of_attributes_are_told_apart():
    """True, 1 and 1.0 are equal in Python, and yet other values of the message."""
    for value in (True, 1, 1.0, False, 0, 0.0):
        node = replace(house(1).delta.upserted[1], attributes={"a": value})
        read = nodes_from_ros(over_the_wire(nodes_to_ros([node])))[0]
        assert type(read.attributes["a"]) is type(value)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"id": "a\0b"}, "holds a zero"),
        ({"category": "\udc80"}, "surrogates"),
        ({"attributes": {"n": 2**63}}, "64 bits"),
        ({"attributes": {"n": None}}, "'mug_0' can't be sent: an attribute is None"),
        ({"polygon": ((1e39, 0.0), (0.0, 0.0), (1.0, 0.0))}, "'mug_0' can't be sent.*32 bits"),
        ({"size": (1.0, "x", 1.0)}, "'mug_0' can't be sent"),
    ],
)
def test_what_does_not_fit_is_not_written(wrong, words):
    update = house(1)
    hall, mug = update.delta.upserted
    nodes = (hall, replace(mug, **wrong))
    bad = replace(update, delta=replace(update.delta, upserted=nodes))
    with pytest.raises(ConversionError, match=words):
        scene.update_to_ros(bad)


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (SceneRelation("on\0", ("a",)), "holds a zero"),
        (SceneRelation("on", ("a",) * 256), "256 elements, more than 255"),
        (SceneRelation("on", ("a",), 1e300), "32 bits"),
    ],
)
def test_relations_that_do_not_fit_are_not_written(relation, words):
    with pytest.raises(ConversionError, match=words):
        relations_to_ros([SceneRelation("on", ("a", "b")), relation])


def test_ids_that_do_not_fit_are_not_written():
    with pytest.raises(ConversionError, match="holds a zero"):
        scene.update_to_ros(replace(house(0), delta=SceneDelta(1, removed=("a\0",))))


# --- bad bytes ----------------------------------------------------------------------------------


def read_or_refuse(data: bytes) -> SceneUpdate | None:
    """Nothing but a value or a sentence."""
    try:
        return scene.update_from_ros(read_bytes(data, SceneGraphUpdate))
    except ConversionError:
        return None


def test_truncated_anywhere():
    data = serialize_message(scene.update_to_ros(house(2)))
    for length in range(len(data) - 3):  # the last bytes may be padding
        assert read_or_refuse(data[:length]) is None


@pytest.mark.parametrize("lie", [2**32 - 1, 2**31, 2**24, 1000])
def test_lying_lengths_allocate_nothing(lie):
    data = serialize_message(scene.update_to_ros(house(2)))
    tracemalloc.start()
    for at in range(4, len(data) - 3, 4):
        read_or_refuse(data[:at] + struct.pack("<I", lie) + data[at + 4 :])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20


def test_flipped_bits():
    data = serialize_message(scene.update_to_ros(house(3)))
    rng = random.Random(5)
    refused = 0
    for _ in range(2000):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 1, 3))):
            damaged[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
        refused += read_or_refuse(bytes(damaged)) is None
    assert refused > 500
    assert read_or_refuse(data) == house(3)


def test_garbage():
    rng = random.Random(6)
    for length in range(300):
        body = rng.randbytes(length)
        read_or_refuse(b"\x00\x01\x00\x00" + body)
    for body in (b"", b"\x00", b"\x07\x01\x00\x00", rng.randbytes(3)):
        with pytest.raises(ConversionError, match="damaged"):
            read_bytes(body, SceneGraphUpdate)


def test_another_byte_order_is_read_too():
    header = struct.pack(">iII", 17, 5, 4) + b"map\0"
    numbers = b"\1" + bytes(7) + struct.pack(">q", -9) + struct.pack(">I", 2) + b"c\0\0\0"
    nothing = bytes(4)
    nodes = nothing * len(SceneNodes.get_fields_and_field_types())
    removed = struct.pack(">II", 1, 3) + b"ab\0\0"
    relations = nothing * len(SceneRelations.get_fields_and_field_types())
    data = b"\0\0\0\0" + header + numbers + nodes + removed + 2 * relations
    assert read_or_refuse(data) == SceneUpdate(
        STAMP, "map", True, SceneDelta(-9, removed=("ab",)), "c"
    )


def test_plain_lists_are_written_as_arrays():
    """Other senders in Python may fill in lists; what is read is the same."""
    message = nodes_to_ros(house(2).delta.upserted)
    assert isinstance(message.poses, array)
    for name in ("poses", "sizes", "heights", "corners", "corner_nodes", "integer_values"):
        setattr(message, name, list(getattr(message, name)))
    assert nodes_from_ros(message) == house(2).delta.upserted
