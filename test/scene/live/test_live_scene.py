# SPDX-License-Identifier: Apache-2.0
"""The live scene: updates in order, identities that stay, relations that follow."""

import math
import re
from dataclasses import replace

import pytest
from circles import find_circle, find_parent_circle
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import (
    Layer,
    LiveOptions,
    LiveScene,
    Pose,
    Provenance,
    Renaming,
    SceneChange,
    SceneDelta,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    UpdateStatus,
    apply_delta,
    complete_relations,
)

KITCHEN = SceneNode(
    "kitchen",
    Layer.ROOM,
    "kitchen",
    pose=Pose.at(5, 5, 1.25),
    polygon=((0, 0), (10, 0), (10, 10), (0, 10)),
    height=2.5,
)


def thing(id_: str, x: float, y: float = 0.0, category: str = "mug", **more: object) -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, category, pose=Pose.at(x, y, 0.5), **more)  # type: ignore[arg-type]


def full(
    *nodes: SceneNode, number: int = 1, relations: tuple[SceneRelation, ...] = ()
) -> SceneGraph:
    return SceneGraph.of([KITCHEN, *nodes], relations, sequence=number)


def plain() -> LiveScene:
    return LiveScene(relations=None)


def ids(change: SceneChange) -> set[str]:
    assert change.after is not None
    return set(change.after.nodes)


def test_the_first_graph() -> None:
    scene = plain()
    assert scene.graph is None
    change = scene.take_full(full(thing("a", 1), number=40), source="camera")
    assert change.status is UpdateStatus.APPLIED
    assert change.before is None
    assert change.added == ("kitchen", "a")
    assert change.after is scene.graph
    assert scene.graph.sequence == 1  # ours, not the camera's
    assert change.changed == ("kitchen", "a")


def test_a_nameless_full_update_may_bring_its_own_number() -> None:
    scene = plain()
    assert scene.take_full(full(number=40)).after.sequence == 40  # type: ignore[union-attr]
    assert scene.take_full(full(number=3)).after.sequence == 41  # type: ignore[union-attr]


def test_gaps_duplicates_and_late_ones() -> None:
    scene = plain()
    answer = scene.take_delta(SceneDelta(1), source="camera")
    assert (answer.status, answer.reason) == (UpdateStatus.NEED_FULL, "there is no graph yet")
    scene.take_full(full(thing("a", 1), number=7), source="camera")
    moved = SceneDelta(8, upserted=(thing("a", 2),))
    assert scene.take_delta(moved, source="camera").moved == ("a",)
    present = scene.graph
    again = scene.take_delta(moved, source="camera")
    assert again.status is UpdateStatus.IGNORED
    assert again.delta.is_empty
    gap = scene.take_delta(SceneDelta(10, upserted=(thing("a", 3),)), source="camera")
    assert gap.status is UpdateStatus.NEED_FULL
    assert "number 10 came after number 8" in gap.reason
    # The missing one is no help now: what it was followed by was not taken.
    late = scene.take_delta(SceneDelta(9, upserted=(thing("a", 2.5),)), source="camera")
    assert late.status is UpdateStatus.NEED_FULL
    assert scene.graph is present
    assert scene.take_full(full(thing("a", 3), number=12), source="camera").moved == ("a",)
    assert scene.take_delta(SceneDelta(13), source="camera").status is UpdateStatus.UNCHANGED


def test_a_source_that_is_started_again() -> None:
    scene = plain()
    scene.take_full(full(thing("o1", 1), thing("o2", 5), number=500), source="camera", time=10.0)
    missed = scene.take_delta(SceneDelta(2), source="camera", time=20.0)
    assert missed.status is UpdateStatus.NEED_FULL
    # It counts its objects from 1 again, in another order: places tell which is which.
    change = scene.take_full(
        full(thing("o1", 5.02), thing("o2", 1.02), number=1), source="camera", time=21.0
    )
    assert change.renamed == (Renaming("o2", "o2", "o1"), Renaming("o1", "o1", "o2"))
    assert (change.added, change.removed) == ((), ())
    assert scene.graph is not None
    assert scene.graph.nodes["o1"].pose == Pose.at(1.02, 0, 0.5)
    late = scene.take_full(full(number=490), source="camera", time=9.0)
    assert late.status is UpdateStatus.IGNORED
    # From now on, what the camera calls o1 is our o2.
    moved = scene.take_delta(SceneDelta(2, upserted=(thing("o1", 8),)), source="camera", time=22.0)
    assert moved.moved == ("o2",)


def test_names_of_elements_stay_ours() -> None:
    scene = plain()
    on = SceneRelation("on", ("mug_1", "table"))
    table = thing("table", 3, category="table")
    scene.take_full(full(thing("mug_1", 3), table, relations=(on,)), source="camera")
    child = thing("spoon", 3, category="spoon", parents=("mug_9",))
    renamed = full(
        thing("mug_9", 3.1),
        table,
        child,
        relations=(replace(on, elements=("mug_9", "table")),),
        number=2,
    )
    change = scene.take_full(renamed, source="camera")
    assert change.renamed == (Renaming("mug_1", "mug_1", "mug_9"),)
    assert change.added == ("spoon",)
    assert change.moved == ("mug_1",)
    assert change.after is not None
    assert change.after.relations == (on,)
    assert change.after.nodes["spoon"].parents == ("mug_1",)
    # A new thing under the old name is not ours of that name.
    another = scene.take_delta(SceneDelta(3, upserted=(thing("mug_1", 9),)), source="camera")
    assert another.added == ("mug_1_2",)
    gone = scene.take_delta(SceneDelta(4, removed=("mug_9",)), source="camera")
    assert gone.removed == ("mug_1",)
    assert gone.changed == ("mug_1", "spoon", "table")
    assert gone.altered == ("spoon",)
    # And when the camera sees it again, it is the same one.
    back = scene.take_delta(SceneDelta(5, upserted=(thing("mug_9", 4),)), source="camera")
    assert back.added == ("mug_1",)


def test_a_delta_that_renames() -> None:
    scene = plain()
    near = SceneRelation("near", ("a", "b"))
    start = full(thing("a", 1), thing("b", 2), relations=(near,))
    scene.take_full(start, source="camera")
    delta = SceneDelta(2, upserted=(thing("c", 1.05, attributes={"full": True}),), removed=("a",))
    change = scene.take_delta(delta, source="camera")
    assert change.renamed == (Renaming("a", "a", "c"),)
    assert (change.added, change.removed, change.altered) == ((), (), ("a",))
    assert change.after is not None
    assert change.after.relations == ()  # it was stated of the one that the camera gave up


def test_an_id_that_is_used_for_quite_another_thing() -> None:
    scene = plain()
    scene.take_full(full(thing("o1", 1, category="mug")), source="camera")
    change = scene.take_full(full(thing("o1", 8, category="sofa"), number=2), source="camera")
    assert (change.removed, change.added) == (("o1",), ("o1_2",))
    relabelled = scene.take_full(full(thing("o1", 8, category="couch"), number=3), source="camera")
    assert relabelled.altered == ("o1_2",)


def test_jitter_is_no_change_but_drift_is() -> None:
    scene = LiveScene(LiveOptions(still=0.01, still_turn=0.02), relations=None)
    scene.take_full(full(thing("a", 1.0)), source="camera")
    statuses = []
    for step in range(1, 8):
        node = thing("a", 1.0 + step * 0.004)
        change = scene.take_delta(SceneDelta(step + 1, upserted=(node,)), source="camera")
        statuses.append(change.status is UpdateStatus.APPLIED)
    assert statuses == [False, False, True, False, False, True, False]
    assert scene.graph is not None
    assert scene.graph.nodes["a"].pose == Pose.at(1.024, 0, 0.5)
    turned = replace(thing("a", 1.024), pose=Pose.at(1.024, 0, 0.5, yaw=0.03))
    assert scene.take_delta(SceneDelta(9, upserted=(turned,)), source="camera").moved == ("a",)
    opened = replace(turned, attributes={"is_open": True}, pose=Pose.at(1.03, 0, 0.5, yaw=0.03))
    change = scene.take_delta(SceneDelta(10, upserted=(opened,)), source="camera")
    assert (change.moved, change.altered) == ((), ("a",))
    assert scene.graph.nodes["a"].pose == turned.pose


@pytest.mark.parametrize(
    "delta",
    [
        SceneDelta(2, removed=("z",)),
        SceneDelta(2, upserted=(thing("b", math.nan),)),
        SceneDelta(2, added=(SceneRelation("on", ("a", "z")),)),
        SceneDelta(2, dropped=(SceneRelation("on", ("a", "kitchen")),)),
    ],
)
@pytest.mark.parametrize("derive", [False, True])
def test_a_delta_that_does_not_fit_changes_nothing(delta: SceneDelta, derive: bool) -> None:
    scene = LiveScene() if derive else plain()
    scene.take_full(full(thing("a", 1)), source="camera")
    present = scene.graph
    with pytest.raises(SceneError):
        scene.take_delta(delta, source="camera")
    assert scene.graph is present
    assert scene.take_delta(SceneDelta(3), source="camera").status is UpdateStatus.NEED_FULL
    with pytest.raises(SceneError, match="without any node"):
        scene.take_full(SceneGraph({}, sequence=4), source="camera")


def test_two_sources() -> None:
    scene = plain()
    scene.take_full(full(thing("a", 1), number=10), source="camera")
    scene.take_delta(SceneDelta(1, upserted=(thing("g", 2),)), source="gripper")
    change = scene.take_delta(SceneDelta(11, removed=("a",)), source="camera")
    assert ids(change) == {"kitchen", "g"}
    assert scene.graph is not None
    assert scene.graph.sequence == 3


def test_derived_nodes_come_and_go_with_what_they_follow_from() -> None:
    scene = LiveScene()
    mug = thing("mug", 1, 1, size=(0.1, 0.1, 0.1))
    change = scene.take_full(full(mug), source="camera")
    assert {"kitchen_floor", "robot_1"} <= ids(change)
    assert scene.take_full(full(mug, number=2), source="camera").status is UpdateStatus.UNCHANGED
    hall = replace(
        KITCHEN,
        id="hall",
        pose=Pose.at(5, 15, 1.25),
        polygon=((0, 10), (10, 10), (10, 20), (0, 20)),
    )
    change = scene.take_delta(SceneDelta(3, upserted=(hall,)), source="camera")
    assert "hall_floor" in change.added
    change = scene.take_delta(SceneDelta(4, removed=("hall",)), source="camera")
    assert "hall_floor" in change.removed
    robot = SceneNode("spot", Layer.AGENT, "robot", pose=Pose.at(2, 2, 0))
    change = scene.take_delta(SceneDelta(5, upserted=(robot,)), source="camera")
    assert change.removed == ("robot_1",)
    # What a source says of a node that completion made, makes it a given one.
    resting = SceneRelation("on", ("mug", "kitchen_floor"))
    change = scene.take_delta(SceneDelta(6, added=(resting,)), source="camera")
    assert resting in change.after.relations  # type: ignore[union-attr]


CATEGORIES = ["mug", "table"]


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, SceneNode]:
    """Nodes by the name that a source has for them now."""
    names = draw(st.lists(st.sampled_from([f"n{i}" for i in range(8)]), max_size=5, unique=True))
    return {
        name: thing(
            name,
            draw(st.integers(1, 9)),
            draw(st.integers(1, 9)),
            draw(st.sampled_from(CATEGORIES)),
            size=(0.3, 0.3, 0.3),
        )
        for name in names
    }


def content(graph: SceneGraph) -> tuple[dict[str, SceneNode], set[SceneRelation]]:
    return dict(graph.nodes), set(graph.relations)


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans())
def test_whoever_applies_the_deltas_has_the_graph(data: st.DataObject, derive: bool) -> None:
    """A follower's graph, the derived relations, and the things themselves agree at all times."""
    scene = LiveScene() if derive else plain()
    world = data.draw(worlds())
    start = scene.take_full(full(*world.values()), source="s")
    assert start.after is not None
    mirror = start.after
    number = 1
    for _ in range(data.draw(st.integers(1, 5))):
        older, world = world, data.draw(worlds())
        number += 1
        if data.draw(st.booleans()):
            change = scene.take_full(full(*world.values(), number=number), source="s")
        else:
            delta = SceneDelta(
                number,
                tuple(node for name, node in world.items() if older.get(name) != node),
                tuple(name for name in older if name not in world),
            )
            change = scene.take_delta(delta, source="s")
        assert change.after is scene.graph
        mirror = apply_delta(mirror, change.delta)
        assert scene.graph is not None
        assert scene.graph.with_notes(()) == mirror.with_notes(())
        # The things are those of the world, whatever they are called.
        given = [n for n in scene.graph.nodes.values() if n.category in CATEGORIES]
        assert sorted((n.category, str(n.pose)) for n in given) == sorted(
            (n.category, str(n.pose)) for n in world.values()
        )
        if derive:
            bare = SceneGraph.of([KITCHEN, *given])
            assert content(complete_relations(bare)) == content(scene.graph)
        touched = set(change.changed)
        assert change.before is not None
        for id_ in {*change.before.nodes, *scene.graph.nodes} - touched:
            assert change.before.nodes[id_] == scene.graph.nodes[id_]
            assert set(change.before.relations_of(id_)) == set(scene.graph.relations_of(id_))


def test_nothing_grows_for_ever() -> None:
    scene = plain()
    scene.take_full(full(thing("start", 1)), source="s")
    for number in range(2, 3000):
        # Each time under another name, and every tenth time somewhere else.
        node = thing(f"name_{number}", 1 + (number // 10) % 7)
        scene.take_full(full(node, number=number), source=f"s{number % 100}")
    assert scene.graph is not None
    assert len(scene.graph.nodes) == 2
    sizes = [len(identity) for identity in scene._identities.values()]
    assert len(sizes) <= 65
    assert max(sizes) < 40


def test_numbers_go_on_from_those_of_the_scene_before() -> None:
    live = LiveScene(number=41)
    change = live.take_full(SceneGraph.of([SceneNode("hall", Layer.ROOM, "hall")]))
    assert change.after is not None
    assert change.after.sequence == 42
    missed = LiveScene(number=41).take_delta(SceneDelta(1))
    assert (missed.status, missed.delta.sequence) == (UpdateStatus.NEED_FULL, 41)


# ---- circles -------------------------------------------------------------------------------------

THINGS = ("a", "b", "c", "d")


def on(item: str, holder: str, name: str = "on") -> SceneRelation:
    return SceneRelation(name, (item, holder))


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (SceneDelta(2, added=(on("c", "a"),)), "c: it lies on or in itself (c > a > b > c)"),
        (SceneDelta(2, added=(on("d", "d"),)), "d: it lies on or in itself (d > d)"),
        (
            SceneDelta(2, (thing("a", 0, parents=("b",)), thing("b", 1, parents=("a",)))),
            "a: its parents lead back to itself (a > b > a)",
        ),
    ],
)
@pytest.mark.parametrize("derive", [False, True])
def test_a_delta_that_closes_a_circle_is_refused_by_name(
    delta: SceneDelta, words: str, derive: bool
) -> None:
    scene = LiveScene() if derive else plain()
    things = [thing(id_, number) for number, id_ in enumerate(THINGS)]
    scene.take_full(full(*things, relations=(on("a", "b"), on("b", "c", "inside"))), source="s")
    present = scene.graph
    with pytest.raises(SceneError, match=re.escape(words)):
        scene.take_delta(delta, source="s")
    assert scene.graph is present


def test_a_place_may_be_turned_round() -> None:
    scene = plain()
    scene.take_full(full(*map(thing, "ab", (1, 2)), relations=(on("a", "b"),)), source="s")
    turned = SceneDelta(2, added=(on("b", "a"),), dropped=(on("a", "b"),))
    change = scene.take_delta(turned, source="s")
    assert change.after is not None
    assert [str(relation) for relation in change.after.relations] == ["on(b, a)"]


def is_taken(scene: LiveScene, delta: SceneDelta) -> bool:
    """Apply a delta, or see that it is refused for a circle."""
    try:
        assert scene.take_delta(delta).status is not UpdateStatus.NEED_FULL
    except SceneError as error:
        if "itself" not in str(error):
            raise
        return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.data(), st.booleans())
def test_no_delta_leaves_a_circle(data: st.DataObject, derive: bool) -> None:
    """Things that are also drawn on one another, so that given places contradict derived ones."""
    scene = LiveScene() if derive else plain()
    size = {"size": (0.4, 0.4, 0.2)}
    spots = st.builds(
        lambda id_, x, z, above: replace(
            thing(id_, 2 + 0.2 * x, 2, **size),
            pose=Pose.at(2 + 0.2 * x, 2, 0.1 + 0.2 * z),
            parents=(above,) if above else (),
        ),
        st.sampled_from(THINGS),
        st.integers(0, 1),
        st.integers(0, 3),
        st.sampled_from(("", "", "", *THINGS)),
    )
    places = st.builds(on, *[st.sampled_from(THINGS)] * 2, st.sampled_from(("on", "on", "inside")))
    scene.take_full(full(*(thing(id_, 2, 2, **size) for id_ in THINGS)))
    for _ in range(8):
        assert scene.graph is not None
        present = scene.graph
        nodes = {node.id: node for node in data.draw(st.lists(spots, max_size=2))}
        given = [r for r in present.relations if r.provenance is Provenance.GIVEN]
        dropped = [r for r in given if r.name in ("on", "inside") and data.draw(st.booleans())]
        keys = {relation.key for relation in dropped}
        added = {r.key: r for r in data.draw(st.lists(places, max_size=2)) if r.key not in keys}
        delta = SceneDelta(
            present.sequence + 1, tuple(nodes.values()), (), tuple(added.values()), tuple(dropped)
        )
        if not is_taken(scene, delta):
            assert scene.graph is present
            return
        assert find_circle(scene.graph) == []
        assert find_parent_circle(scene.graph) == []
        if derive:
            kept = [r for r in scene.graph.relations if r.provenance is Provenance.GIVEN]
            bare = [KITCHEN, *(scene.graph.nodes[id_] for id_ in THINGS)]
            again = complete_relations(SceneGraph.of(bare, kept))
            assert content(again) == content(scene.graph)
