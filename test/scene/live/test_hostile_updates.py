# SPDX-License-Identifier: Apache-2.0
"""Whatever updates hold, each is taken or refused with a sentence, and a sane one is taken next."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcp_ros.scene.graph.delta import SceneChange, SceneDelta, UpdateStatus
from fcp_ros.scene.graph.elements import (
    Layer,
    Pose,
    Provenance,
    SceneError,
    SceneNode,
    SceneRelation,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.live_scene import LiveScene

PLAIN_IDS = ["a", "b", "mug", "robot_1", "room_1", "kitchen", "kitchen_floor"]
HOSTILE_IDS = ["", " ", "\x1b[31m", "a\0b", "../x", "x" * 70_000]
NUMBERS = [0, 1, 2, 7, -1, 2**31, 2**62, 2**62 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 1.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-320, 1e5, 1e6]
RELATIONS = ["on", "inside", "connected", "in_room", "at", "holding", "attached", "near", "", "x"]

numbers = st.one_of(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.sampled_from(FLOATS))
ids = st.one_of(*[st.sampled_from(PLAIN_IDS)] * 6, st.sampled_from(HOSTILE_IDS))
points = st.tuples(numbers, numbers, numbers)
turns = st.one_of(
    *[st.just((0.0, 0.0, 0.0, 1.0))] * 4, st.tuples(numbers, numbers, numbers, numbers)
)
nodes = st.builds(
    SceneNode,
    ids,
    st.sampled_from([*Layer, *[Layer.OBJECT] * 6]),
    st.sampled_from(["mug", "table", "floor", "door", "robot", "person", "room", ""]),
    pose=st.none() | st.builds(Pose, points, turns),
    size=st.none() | points,
    polygon=st.sampled_from([(), ((-5, -5), (5, -5), (5, 5), (-5, 5)), ((0, 0), (1, 1), (0, 0))]),
    height=st.none() | numbers,
    attributes=st.dictionaries(st.sampled_from(["is_open", ""]), st.sampled_from([True, math.nan])),
    parents=st.lists(ids, max_size=1).map(tuple),
)
relations = st.builds(
    SceneRelation,
    st.sampled_from(RELATIONS),
    st.lists(ids, min_size=0, max_size=3).map(tuple),
    st.sampled_from([1.0, 1.0, 0.5, math.nan, 2.0]),
    st.sampled_from(Provenance),
)
SANE = (
    SceneNode("kitchen", Layer.ROOM, "kitchen", polygon=((-5, -5), (5, -5), (5, 5), (-5, 5))),
    SceneNode("a", Layer.OBJECT, "table", pose=Pose.at(1, 1, 0.4), size=(1.0, 1.0, 0.8)),
    SceneNode("mug", Layer.OBJECT, "mug", pose=Pose.at(1, 1, 0.85), size=(0.1, 0.1, 0.1)),
    SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(0, 0, 0)),
)


@dataclass(frozen=True)
class Update:
    """An update; without a number of its own it has the one that comes next."""

    full: bool
    own_number: int | None
    source: str
    time: float | None
    nodes: tuple[SceneNode, ...]
    sane: bool
    removed: tuple[str, ...]
    added: tuple[SceneRelation, ...]
    dropped: tuple[SceneRelation, ...]

    def send(self, scene: LiveScene) -> SceneChange | None:
        """Send it; None if it is refused."""
        following = 1 if scene.graph is None else scene.graph.sequence + 1
        number = following if self.own_number is None else self.own_number
        try:
            if self.full:
                known = SANE if self.sane else ()
                graph = SceneGraph.of([*known, *self.nodes], self.added, sequence=number)
                return scene.take_full(graph, source=self.source, time=self.time)
            delta = SceneDelta(number, self.nodes, self.removed, self.added, self.dropped)
            return scene.take_delta(delta, source=self.source, time=self.time)
        except SceneError:
            return None


updates = st.builds(
    Update,
    st.booleans(),
    st.one_of(st.none(), st.none(), st.none(), st.sampled_from(NUMBERS)),
    st.sampled_from(["", "", "", "camera"]),
    st.sampled_from([None, None, 0.0, 100.0, -2e9, 4e9]),
    st.lists(nodes, max_size=2).map(tuple),
    st.booleans(),
    st.lists(ids, max_size=2).map(tuple),
    st.lists(relations, max_size=1).map(tuple),
    st.lists(relations, max_size=1).map(tuple),
)


LAST_NUMBER = Update(True, 2**63 - 1, "", None, (), True, (), (), ())
ONE_LEG = Update(True, None, "", None, (), True, (), (SceneRelation("connected", ("mug",)),), ())


@settings(max_examples=400, deadline=None)
@example([LAST_NUMBER], "")
@example([ONE_LEG], "")
@given(st.lists(updates, max_size=12), st.sampled_from(["", "camera"]))
def test_after_any_burst_a_sane_full_update_is_the_scene(burst: list[Update], source: str) -> None:
    scene = LiveScene()
    for update in burst:
        before = scene.graph
        change = update.send(scene)
        if change is None:
            assert scene.graph is before, "refused, and nothing has changed"
        assert scene.graph is None or scene.graph.sequence < 2**62 + len(burst) + 1
    change = scene.take_full(SceneGraph.of(SANE, sequence=2), source=source, time=200.0)
    if change.status is UpdateStatus.IGNORED:  # a moment after one of the same source
        change = scene.take_full(SceneGraph.of(SANE, sequence=3), source=source, time=300.0)
    assert change.status in (UpdateStatus.APPLIED, UpdateStatus.UNCHANGED)
    assert change.after is not None
    fresh = LiveScene().take_full(SceneGraph.of(SANE)).after
    assert fresh is not None

    def describe(graph: SceneGraph) -> list[tuple[object, ...]]:
        nodes = graph.nodes.values()
        return sorted((n.layer.value, n.category, n.polygon, n.size) for n in nodes)

    assert describe(change.after) == describe(fresh)
