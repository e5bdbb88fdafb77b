# SPDX-License-Identifier: Apache-2.0
"""Following the scene graph: changes in order, gaps, overtaken graphs, a node started again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message
from scene_steps import Step, delta_step, whole_step

from fcp_ros.binding.label_types import TypeReason
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import facts
from fcp_ros.domain import load_domain
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import change_to_ros, graph_from_ros, graph_to_ros
from fcp_ros.nodes.scene_access import message_queue
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import (
    Layer,
    SceneDelta,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    load_scene,
)


@pytest.fixture(scope="module")
def domain():
    return load_domain(find_domain("household"))


@pytest.fixture(scope="module")
def house():
    """The twin house as it comes out of a message, where outlines have single precision."""
    graph = load_scene(find_scene("twin_house_furnished"))
    return graph_from_ros(graph_to_ros(graph, Time()))


PLACES = ("table_1", "counter_1")


class Sender:
    """What the scene_graph node publishes, without the node."""

    def __init__(self, graph, *, seconds: int = 100) -> None:
        self._clock = seconds
        self.step: Step = whole_step(None, graph, 1, self._now())

    def _now(self) -> Time:
        self._clock += 1
        return Time(sec=self._clock)

    @property
    def graph(self):
        return self.step.graph.graph

    def whole(self) -> bytes:
        return serialize_message(graph_to_ros(self.graph, self.step.graph.stamp))

    def change(self) -> bytes:
        return serialize_message(change_to_ros(self.step.change))

    def move_mug(self) -> bytes:
        """The mug goes to the other place; the change."""
        place, other = PLACES if self.graph.relation("on", "mug_1", PLACES[1]) else PLACES[::-1]
        delta = SceneDelta(
            0,
            added=(SceneRelation("on", ("mug_1", place)),),
            dropped=(SceneRelation("on", ("mug_1", other)),),
        )
        self.step = delta_step(self.graph, delta, self._now())
        return self.change()

    def start_anew(self, graph) -> bytes:
        self.step = whole_step(None, graph, 1, self._now())
        return self.whole()


def same(follower: SceneFollower, domain, sender: Sender) -> bool:
    """Whether the state is what a conversion of the sender's graph gives."""
    state = follower.state(domain)
    expected = scene_to_instance(sender.graph, domain.schema, domain.mapping).instance
    return (
        state.graph.sequence == sender.graph.sequence
        and state.stamp == sender.step.graph.stamp
        and set(state.graph.relations) == set(sender.graph.relations)
        and dict(state.graph.nodes) == dict(sender.graph.nodes)
        and contents(state.instance) == contents(expected)
    )


def contents(instance):
    """Facts, and elements with type and attributes, by name: numbers may differ."""
    elements = {
        (instance.name_of(id_), instance.type_of(id_), tuple(instance.attributes(id_).items()))
        for id_ in instance.all_elements()
    }
    return elements, set(facts(instance))


def test_no_world(domain):
    follower = SceneFollower()
    assert follower.sequence is None
    with pytest.raises(NoSceneError, match="load_scene"):
        follower.state(domain)
    assert not follower.wait_for(lambda: follower.sequence is not None, 0.0)


def test_changes_are_followed(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    assert follower.receive_graph(sender.whole())
    assert same(follower, domain, sender)
    for number in range(2, 12):
        assert follower.receive_change(sender.move_mug())
        assert follower.sequence == number
        assert same(follower, domain, sender)
    assert follower.gaps == 0


def test_many_changes_at_once(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    for _ in range(150):
        follower.receive_change(sender.move_mug())
    assert same(follower, domain, sender)


def test_a_change_before_any_graph_waits_for_one(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    assert not follower.receive_change(sender.move_mug())
    assert follower.sequence is None
    assert follower.receive_graph(sender.whole())
    assert same(follower, domain, sender)


def test_an_overtaken_graph_is_left_alone(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    first = sender.whole()
    follower.receive_graph(first)
    follower.receive_change(sender.move_mug())
    late = sender.whole()
    follower.receive_change(sender.move_mug())
    assert not follower.receive_graph(late)
    assert not follower.receive_graph(first)
    assert same(follower, domain, sender)


def test_a_graph_that_overtakes_its_change(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    change = sender.move_mug()
    assert follower.receive_graph(sender.whole())
    assert follower.find_changed_since(1) is None, "what changed is not known yet"
    assert not follower.receive_change(change)
    assert follower.find_changed_since(1) == {"mug_1", *PLACES}
    assert same(follower, domain, sender)


def test_after_a_gap_the_next_graph_is_waited_for(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    follower.state(domain)
    sender.move_mug()  # lost
    assert not follower.receive_change(sender.move_mug())
    assert not follower.receive_change(sender.move_mug())
    assert follower.gaps == 1
    assert follower.state(domain).graph.sequence == 1, "the last one that is known for certain"
    assert follower.receive_graph(sender.whole())
    assert follower.receive_change(sender.move_mug())
    assert same(follower, domain, sender)
    assert follower.find_changed_since(1) is None


def test_a_scene_graph_node_that_is_started_again(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    for _ in range(5):
        follower.receive_change(sender.move_mug())
    assert follower.receive_graph(sender.start_anew(house))
    assert follower.sequence == 1
    assert follower.find_changed_since(1) == frozenset()
    assert follower.receive_change(sender.move_mug())
    assert same(follower, domain, sender)


def test_what_changed(house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    follower.receive_change(sender.move_mug())
    node = replace(sender.graph.nodes["fridge_1"], category="freezer")
    sender.step = delta_step(sender.graph, SceneDelta(0, upserted=(node,)), Time(sec=900))
    follower.receive_change(sender.change())
    assert follower.find_changed_since(3) == frozenset()
    assert follower.find_changed_since(2) == {"fridge_1"}
    assert follower.find_changed_since(1) == {"fridge_1", "mug_1", *PLACES}
    assert follower.find_changed_since(0) is None
    assert follower.find_changed_since(4) is None


def test_a_change_that_does_not_fit_is_healed_by_the_next_graph(domain, house):
    follower, sender, other = SceneFollower(), Sender(house), Sender(house)
    follower.receive_graph(sender.whole())
    lost = SceneDelta(2, removed=("ghost",))
    wrong = change_to_ros(replace(sender.step.change, previous=1, is_full=False, delta=lost))
    follower.receive_change(serialize_message(wrong))
    with pytest.raises(NoSceneError, match="ghost"):
        follower.state(domain)
    other.move_mug()
    assert follower.receive_graph(other.whole())
    assert same(follower, domain, other)


def test_damaged_messages_change_nothing(domain, house):
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    change = sender.move_mug()
    for data in (change[: len(change) // 2], b"", b"\x00\x01\x00\x00"):
        with pytest.raises(ConversionError):
            follower.receive_change(data)
        with pytest.raises(ConversionError):
            follower.receive_graph(data[:10])
    assert follower.receive_change(change)
    assert same(follower, domain, sender)


def test_memory_is_bounded(domain, house, monkeypatch):
    monkeypatch.setattr(message_queue, "LONGEST_HISTORY", 20)
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    for number in range(2000):
        follower.receive_change(sender.move_mug())
        if number % 100 == 99:
            follower.receive_graph(sender.whole())
        queue = follower._queue
        assert len(queue._waiting) <= message_queue.MOST_WAITING + 101
        assert len(queue._history) <= 20
        assert queue._ids <= 60
    assert same(follower, domain, sender)
    assert follower.find_changed_since(1980) is None
    assert follower.find_changed_since(1995) == {"mug_1", *PLACES}


def test_too_much_that_waits_is_dropped(domain, house, monkeypatch):
    monkeypatch.setattr(message_queue, "MOST_BYTES", 2000)
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    follower.state(domain)
    while follower.receive_change(sender.move_mug()):
        pass
    assert follower.gaps == 1
    assert follower.receive_graph(sender.whole())
    assert same(follower, domain, sender)


def test_any_order_of_the_two_topics_ends_in_the_newest_state(domain, house):
    """Each topic keeps its order, and nothing else is certain; some changes are lost."""
    rng = random.Random(3)
    for _ in range(25):
        sender, follower = Sender(house), SceneFollower()
        changes, wholes = [sender.change()], [sender.whole()]
        for _ in range(12):
            changes.append(sender.move_mug())
            if rng.random() < 0.3:
                wholes.append(sender.whole())
        wholes.append(sender.whole())
        changes = [change for change in changes if rng.random() < 0.8]
        while changes or wholes:
            if changes and (not wholes or rng.random() < 0.7):
                follower.receive_change(changes.pop(0))
            else:
                follower.receive_graph(wholes.pop(0))
            if follower.sequence is not None and rng.random() < 0.2:
                follower.state(domain)
        assert same(follower, domain, sender)


def test_a_graph_without_a_time_is_the_same_graph(domain, house):
    follower = SceneFollower()
    data = serialize_message(graph_to_ros(house.with_sequence(7), Time()))
    assert follower.receive_graph(data)
    assert not follower.receive_graph(data)
    assert follower.sequence == 7


def test_any_changes_give_what_a_conversion_of_the_whole_gives(domain, house):
    """Twin: the state is advanced step by step, or converted from the whole graph."""
    rng = random.Random(8)
    follower, sender = SceneFollower(), Sender(house)
    follower.receive_graph(sender.whole())
    for number in range(120):
        graph = sender.graph
        objects = [node for node in graph.nodes.values() if node.layer is Layer.OBJECT]
        node = rng.choice(objects)
        robot = graph.in_layer(Layer.AGENT)[0]
        delta = rng.choice(
            [
                SceneDelta(0, upserted=(replace(node, category=rng.choice(("mug", "table"))),)),
                SceneDelta(0, upserted=(replace(node, attributes={"is_open": number % 2 == 0}),)),
                SceneDelta(0, upserted=(replace(node, id=f"new_{number}"),)),
                SceneDelta(0, removed=(node.id,)),
                SceneDelta(0, added=(SceneRelation("on", (node.id, rng.choice(objects).id)),)),
                SceneDelta(0, dropped=graph.relations[:1]),
                SceneDelta(
                    0, upserted=(replace(robot, attributes={"battery": rng.uniform(10.0, 100.0)}),)
                ),
            ]
        )
        try:
            sender.step = delta_step(graph, delta, sender._now())
        except SceneError:  # it closes a circle
            continue
        follower.receive_change(sender.change())
        if rng.random() < 0.4:
            assert same(follower, domain, sender), delta
            fresh = SceneFollower()
            fresh.receive_graph(sender.whole())
            assert follower.state(domain).resources == fresh.state(domain).resources
    assert same(follower, domain, sender)


def test_unknown_labels_are_compared_where_the_domain_says_so(domain, house):
    """In the first graph and in a change."""
    sneaker, blouse = (
        SceneNode(f"shoe_{i}", Layer.OBJECT, label, parents=("kitchen_1",))
        for i, label in enumerate(("sneakerz", "blousey"))
    )
    nodes = (*house.nodes.values(), sneaker)
    sender = Sender(SceneGraph.of(nodes, house.relations))
    told = replace(domain, mapping=replace(domain.mapping, similar_threshold=0.3))
    follower = SceneFollower()
    follower.receive_graph(sender.whole())
    assert follower.state(domain).scene.typing["shoe_0"].reason is not TypeReason.SIMILAR
    choice = follower.state(told).scene.typing["shoe_0"]
    assert (choice.type, choice.reason) == ("clothing", TypeReason.SIMILAR)
    sender.step = delta_step(sender.graph, SceneDelta(0, upserted=(blouse,)), sender._now())
    follower.receive_change(sender.change())
    choice = follower.state(told).scene.typing["shoe_1"]
    assert (choice.type, choice.reason) == ("clothing", TypeReason.SIMILAR)
