# SPDX-License-Identifier: Apache-2.0
"""Detected objects as changes of a graph: identity, trembling, forgetting; plain values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.nodes.scene_graph.sightings import SCORE, Sighting, SightingOptions, Sightings
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation, apply_delta

MUG_SIZE = (0.08, 0.08, 0.1)
MAP = SceneGraph.of(
    [
        SceneNode("table", Layer.OBJECT, "table", pose=Pose.at(2, 2, 0.4), size=(1.0, 1.0, 0.8)),
        SceneNode("mug_1", Layer.OBJECT, "Mug", pose=Pose.at(2, 2, 0.85), size=MUG_SIZE),
        SceneNode("vase", Layer.OBJECT, "vase"),
    ],
    [SceneRelation("on", ("mug_1", "table")), SceneRelation("dirty", ("mug_1",))],
)


def seen(x: float, y: float = 2.0, *, category: str = "mug", track: str = "", score: float = 0.9):
    return Sighting(track, category, score, Pose.at(x, y, 0.85), MUG_SIZE)


class World:
    """A graph that follows one detector."""

    def __init__(self, graph: SceneGraph = MAP, **options: float) -> None:
        self.graph = graph
        self.sightings = Sightings(SightingOptions(**options))
        self.delta = None

    def see(self, *sightings: Sighting, now: float = 0.0) -> World:
        self.delta = self.sightings.compute_delta(self.graph, sightings, now)
        if self.delta is not None:
            self.graph = apply_delta(self.graph, self.delta)
        return self

    def new(self) -> set[str]:
        return set(self.graph.nodes) - set(MAP.nodes)


def test_the_nearest_of_the_category_is_meant():
    world = World().see(seen(2.3))
    assert not world.new()
    mug = world.graph.nodes["mug_1"]
    assert mug.pose.position == (2.3, 2.0, 0.85)
    assert mug.category == "Mug", "the map's word for it stays"
    assert mug.attributes[SCORE] == 0.9
    assert not world.graph.relations_named("on"), "it need not be on the table any more"
    assert world.graph.relations_named("dirty")


def test_too_far_or_of_another_category_is_new():
    world = World().see(seen(3.0), seen(2.0, category="cup"))
    assert world.new() == {"mug_2", "cup_1"}
    assert world.graph.nodes["mug_1"] == MAP.nodes["mug_1"]
    assert world.graph.nodes["mug_2"].size == MUG_SIZE


def test_two_sightings_are_two_objects():
    world = World().see(seen(2.01), seen(2.1))
    assert world.new() == {"mug_2"}
    assert world.graph.nodes["mug_2"].pose.position[0] == 2.1


def test_trembling_changes_nothing():
    world = World().see(seen(2.04)).see(seen(1.97, score=0.6))
    assert world.delta is None
    assert world.graph == MAP
    assert World(tolerance=0.01).see(seen(2.04)).delta is not None


def test_turns_and_sizes_count_as_changes():
    turned = replace(seen(2.0), pose=Pose.at(2.0, 2.0, 0.85, yaw=0.5))
    assert World().see(turned).delta is not None
    assert World().see(replace(seen(2.0), size=(0.08, 0.08, 0.2))).delta is not None
    unsized = World().see(replace(seen(2.0), size=None))
    assert unsized.delta is None, "an unknown size says nothing against a known one"


def test_doubtful_sightings_are_nothing():
    assert World().see(seen(5.0, score=0.49)).delta is None
    assert World(min_score=0.3).see(seen(5.0, score=0.49)).new() == {"mug_2"}


def test_a_track_stays_an_object_wherever_it_goes():
    world = World().see(seen(5.0, track="17")).see(seen(9.0, track="17", category="cup"))
    assert world.new() == {"mug_17"}
    assert world.graph.nodes["mug_17"].category == "cup"
    assert world.graph.nodes["mug_17"].pose.position[0] == 9.0


def test_a_track_that_is_a_name_of_the_graph():
    world = World().see(seen(7.0, track="mug_1"))
    assert not world.new()
    assert world.graph.nodes["mug_1"].pose.position[0] == 7.0
    assert World().see(seen(7.0, track="red mug!")).new() == {"red_mug"}


def test_a_new_track_of_a_lost_object_takes_it_over():
    world = World().see(seen(5.0, track="17")).see().see(seen(5.1, track="18"))
    assert world.new() == {"mug_17"}
    world.see(seen(5.1, track="18"), seen(6.0, track="17"))
    assert len(world.new()) == 2, "both at once are two objects"


def test_nothing_is_forgotten_by_default():
    assert World().see(seen(5.0)).see(now=1e9).new() == {"mug_2"}


def test_only_what_came_from_sightings_is_forgotten():
    world = World(forget_after=10.0).see(seen(2.0), seen(5.0), now=100.0)
    assert world.see(now=110.0).new() == {"mug_2"}
    world.see(seen(5.0), now=111.0).see(now=121.0)
    assert world.new() == {"mug_2"}, "seen again in between"
    world.see(now=122.0)
    assert not world.new()
    assert "mug_1" in world.graph.nodes


def test_what_others_removed_is_new_when_it_is_seen_again():
    world = World(forget_after=10.0).see(seen(5.0, track="17"))
    world.graph = MAP
    assert world.see(now=100.0).delta is None, "nothing to forget"
    assert world.see(seen(5.0, track="17"), now=101.0).new() == {"mug_17"}


sightings = st.builds(
    seen,
    st.floats(0.0, 4.0),
    st.floats(0.0, 4.0),
    category=st.sampled_from(["mug", "Mugs", "table", "cup"]),
    track=st.sampled_from(["", "", "1", "2", "mug_1", "a b"]),
    score=st.floats(0.0, 1.0),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(sightings, max_size=5), max_size=6), st.sampled_from([0.0, 1.5]))
def test_whatever_is_seen_gives_a_valid_graph(moments, forget_after):
    world = World(forget_after=forget_after)
    for now, moment in enumerate(moments):
        before = world.graph
        world.see(*moment, now=float(now))
        sure = [s for s in moment if s.score >= 0.5]
        changed = world.delta.upserted if world.delta else ()
        assert len({node.id for node in changed}) == len(changed) <= len(sure)
        again = world.sightings.compute_delta(world.graph, moment, float(now))
        assert again is None or world.graph != before, "seeing the same twice settles"


@pytest.mark.parametrize("score", [0.2, 0.99])
def test_scores_alone_change_nothing(score):
    world = World().see(seen(5.0), now=0.0)
    assert World(world.graph).see(seen(5.0, score=score)).delta is None
