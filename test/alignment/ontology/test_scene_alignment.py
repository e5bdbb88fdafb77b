# SPDX-License-Identifier: Apache-2.0
"""Names of a scene against the household domain: proposed, tried, kept or refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from renamed_scenes import RenamedScene, rename_at_random

from fcp_ros.alignment.answer import AlignmentStatus
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim
from fcp_ros.alignment.ontology.scene_alignment import (
    SceneAlignment,
    SceneAlignmentOptions,
    align_scene,
)
from fcp_ros.alignment.simulator import DomainSimulator, GroundAction, Observation
from fcp_ros.binding.label_types import type_of_label
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.scene_names import AttributeReading, RelationReading
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import SceneGraph, complete_relations, read_scene
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation

KITCHEN = SceneNode(
    "r", Layer.ROOM, "kitchen", polygon=((0, 0), (4, 0), (4, 3), (0, 3)), height=2.5
)
SLAB = SceneNode("n1", Layer.OBJECT, "zorblax", Pose.at(2, 0.35, 0.45), (1.6, 0.6, 0.9))
APPLE = SceneNode("n2", Layer.OBJECT, "apple", Pose.at(1.8, 0.35, 0.94), (0.08, 0.08, 0.08))
MUG = SceneNode("n3", Layer.OBJECT, "mug", Pose.at(2.2, 0.35, 0.95), (0.08, 0.08, 0.1))
ROBOT = SceneNode("a", Layer.AGENT, "robot", Pose.at(1, 2, 0.2))


@pytest.fixture(scope="module")
def household() -> Domain:
    return load_domain(find_domain("household"))


@pytest.fixture(scope="module")
def house() -> SceneGraph:
    return read_scene(find_scene("twin_house_furnished"))


def make_world(scene: SceneGraph, domain: Domain) -> DomainSimulator:
    state = scene_to_instance(complete_relations(scene), domain.schema, domain.mapping)
    return DomainSimulator(domain, state.instance)


def rename(
    scene: SceneGraph, nodes: dict[str, str], relations: Sequence[SceneRelation]
) -> SceneGraph:
    """Return the scene in its own words: other labels by id, and other relations."""
    own = [replace(n, category=nodes.get(n.id, n.category)) for n in scene.nodes.values()]
    return SceneGraph.of(own, relations)


def find(result: SceneAlignment, name: str) -> NameClaim:
    (claim,) = (
        one
        for one in result.claims
        if one.name == name and one.standing is not ClaimStanding.REFUTED
    )
    return claim


def list_wrong(renamed: RenamedScene, result: SceneAlignment, domain: Domain) -> list[str]:
    """List the overrides that are wrong; a type above the right one is right."""
    names, wrong = result.names, []
    for label, meaning in names.labels.items():
        own = type_of_label(renamed.labels.get(label, label), domain.mapping)
        type_ = domain.mapping.labels.get(meaning, meaning)
        assert own is not None
        if label not in renamed.labels or not domain.schema.is_subtype(own, type_):
            wrong.append(f"{label}: {meaning}")
    wrong += [
        f"{name}: {one}"
        for name, one in names.relations.items()
        if (renamed.relations.get(name),) != one
    ]
    wrong += [
        f"{name}: {one}"
        for name, one in names.attributes.items()
        if renamed.attributes.get(name) != one
    ]
    return wrong


def test_structure_alone_tells_relation_direction_and_type(household: Domain) -> None:
    facts = [SceneRelation("vun", ("n1", "n2")), SceneRelation("vun", ("n1", "n3"))]
    scene = SceneGraph.of((KITCHEN, SLAB, APPLE, MUG, ROBOT), facts)
    result = align_scene(scene, household)
    assert result.status is AlignmentStatus.ALIGNED
    assert find(result, "vun").meaning == RelationReading("on", (1, 0))
    assert find(result, "vun").standing is ClaimStanding.PROPOSED
    assert "geometry finds 100% of them" in find(result, "vun").reasons
    assert result.names.labels["zorblax"] in ("support", "surface")


@pytest.mark.parametrize("nonsense", [False, True])
@pytest.mark.parametrize("places", [False, True])
def test_renamed_house_is_read_and_nothing_wrong_is_kept(
    household: Domain, house: SceneGraph, nonsense: bool, places: bool
) -> None:
    renamed = rename_at_random(house, 2, nonsense=nonsense, places=places)
    result = align_scene(renamed.graph, household, make_world(renamed.world, household))
    assert result.status is AlignmentStatus.ALIGNED, result.message
    assert list_wrong(renamed, result, household) == []
    changed = len(renamed.labels) + len(renamed.relations) + len(renamed.attributes)
    written = result.names
    found = len(written.labels) + len(written.relations) + len(written.attributes)
    assert found == changed
    proven = (ClaimStanding.KEPT, ClaimStanding.KNOWN)
    assert all(claim.standing in proven for claim in result.claims if claim.succeeded)


def rename_one(
    household: Domain, label: str, own: SceneRelation, perceived: SceneRelation
) -> tuple[SceneGraph, DomainSimulator]:
    """Make a kitchen without positions in which one thing has a name that means nothing.

    Args:
        household: the domain.
        label: of the thing in the world.
        own: a relation of the thing in the world.
        perceived: the same in the scene.
    """
    things = (
        SceneNode("r", Layer.ROOM, "kitchen"),
        SceneNode("n1", Layer.OBJECT, "counter"),
        SceneNode("f", Layer.OBJECT, "fridge", attributes={"is_open": False}),
        SceneNode("a", Layer.AGENT, "robot"),
    )
    facts = [SceneRelation("at", ("a", "r"))]
    facts += [SceneRelation("in_room", (id_, "r")) for id_ in ("n1", "f", "n4")]
    world = SceneGraph.of((*things, SceneNode("n4", Layer.OBJECT, label)), [*facts, own])
    odd = SceneNode("n4", Layer.OBJECT, "skarnquimvun")
    return SceneGraph.of((*things, odd), [*facts, perceived]), make_world(world, household)


def test_unread_relation_is_tried_together_with_its_unread_thing(household: Domain) -> None:
    """Neither can be tried alone: nothing is inside something unless it is an item."""
    own, perceived = SceneRelation("inside", ("n4", "f")), SceneRelation("fepplee", ("f", "n4"))
    scene, world = rename_one(household, "milk", own, perceived)
    before = align_scene(scene, household)
    assert not before.names.relations
    result = align_scene(scene, household, world)
    relation, label = find(result, "fepplee"), find(result, "skarnquimvun")
    assert (relation.meaning, relation.standing) == (
        RelationReading("inside", (1, 0)),
        ClaimStanding.KEPT,
    )
    assert (label.meaning, label.standing) == ("item", ClaimStanding.KEPT)
    assert list(result.names.labels) == ["skarnquimvun"]


def test_thing_that_is_not_what_structure_says_is_tried_as_something_else(
    household: Domain,
) -> None:
    """A television stands on something, as only items do in this domain."""
    standing = SceneRelation("on", ("n4", "n1"))
    scene, world = rename_one(household, "television", standing, standing)
    assert align_scene(scene, household).names.labels == {"skarnquimvun": "item"}
    result = align_scene(scene, household, world)
    refuted = [one.meaning for one in result.list_standing(ClaimStanding.REFUTED)]
    assert "item" in refuted
    label = find(result, "skarnquimvun")
    assert label.standing is ClaimStanding.KEPT
    assert label.meaning is not None
    own = household.mapping.labels.get(str(label.meaning), str(label.meaning))
    assert household.schema.is_subtype("screen", own)
    assert household.schema.is_subtype(own, "fixed_device")


def test_polarity_of_an_attribute_is_tried_and_the_opposite_refuted(
    household: Domain, house: SceneGraph
) -> None:
    renamed = rename_at_random(house, 2, nonsense=True)
    ((name, reading),) = renamed.attributes.items()
    before = find(align_scene(renamed.graph, household), name)
    assert before.standing is ClaimStanding.DOUBTFUL  # nothing but a trial tells
    after = align_scene(renamed.graph, household, make_world(renamed.world, household))
    assert find(after, name).meaning == reading
    opposite = AttributeReading(reading.name, not reading.negated)
    refuted = after.list_standing(ClaimStanding.REFUTED)
    assert [one.meaning for one in refuted if one.name == name] == [opposite]


def test_equal_name_with_another_meaning_is_reported(household: Domain) -> None:
    """A `glass` that stands 1.2 m high and carries things is none to drink from."""
    glass = SceneNode("n1", Layer.OBJECT, "glass", Pose.at(2, 0.35, 0.6), (1.6, 0.6, 1.2))
    facts = [SceneRelation("on", (id_, "n1")) for id_ in ("n2", "n3")]
    facts += [SceneRelation("in_room", ("n1", "r"))]
    scene = SceneGraph.of((KITCHEN, glass, APPLE, MUG, ROBOT), facts)
    world = make_world(rename(scene, {"n1": "counter"}, facts), household)
    result = align_scene(scene, household, world)
    assert "the domain means something else by glass" in result.notes
    claim = find(result, "glass")
    assert claim.standing is ClaimStanding.KEPT
    assert claim.meaning in ("support", "surface")


def test_scene_without_anything_in_common_says_so_with_the_closest(household: Domain) -> None:
    things = [
        SceneNode(f"n{i}", Layer.OBJECT, f"{word}") for i, word in enumerate(("qwrt", "zzgh"))
    ]
    scene = SceneGraph.of(things, [SceneRelation("frob", ("n0", "n1"))])
    result = align_scene(scene, household)
    assert result.status is AlignmentStatus.NOTHING_IN_COMMON
    assert not result.names
    claim = find(result, "frob")
    assert claim.meaning is None
    assert claim.rivals, "the closest are named"


def test_scene_in_the_words_of_the_domain_needs_nothing(
    household: Domain, house: SceneGraph
) -> None:
    result = align_scene(house, household)
    assert result.status is AlignmentStatus.NOTHING_TO_ALIGN
    assert not result.names


class _Dice:
    """A world in which actions fail and succeed by turns."""

    def __init__(self) -> None:
        self._runs = 0

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        self._runs += 1
        return Observation(len(actions) if self._runs % 2 else 0, self._runs % 2 == 1)


class _Refusal:
    """A world in which nothing can be done."""

    def run(self, _actions: Sequence[GroundAction]) -> Observation:
        return Observation(0, False, "no")


def test_simulator_that_contradicts_itself_is_reported(
    household: Domain, house: SceneGraph
) -> None:
    renamed = rename_at_random(house, 2)
    result = align_scene(renamed.graph, household, _Dice())
    assert result.status is AlignmentStatus.UNRELIABLE_SIMULATOR
    assert not result.status.is_success


def test_simulator_that_refuses_everything_confirms_nothing(
    household: Domain, house: SceneGraph
) -> None:
    renamed = rename_at_random(house, 2)
    options = SceneAlignmentOptions(most_trials=8)
    result = align_scene(renamed.graph, household, _Refusal(), options=options)
    assert not result.list_standing(ClaimStanding.KEPT)
    assert any("no more than 8 plans" in note for note in result.notes)
    assert all(claim.probability < 1.0 for claim in result.claims)


def test_limits_end_a_request(household: Domain, house: SceneGraph) -> None:
    limits = SceneAlignmentOptions(time_limit=1e-9)
    assert align_scene(house, household, options=limits).status is AlignmentStatus.TIMEOUT
    result = align_scene(house, household, cancelled=lambda: True)
    assert result.status is AlignmentStatus.CANCELLED
    assert result.message


class _Alike:
    """Finds everything as alike as anything else."""

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(labels), len(known)), 0.3, np.float32)


def test_relation_with_two_meanings_gets_both_readings(household: Domain) -> None:
    fridge = SceneNode("f", Layer.OBJECT, "fridge", Pose.at(0.5, 2.5, 0.9), (0.7, 0.7, 1.8))
    milk = SceneNode("n4", Layer.OBJECT, "milk", Pose.at(0.5, 2.5, 1.0), (0.1, 0.1, 0.25))
    egg = SceneNode("n5", Layer.OBJECT, "egg", Pose.at(0.6, 2.5, 1.3), (0.05, 0.05, 0.05))
    counter = SceneNode("n1", Layer.OBJECT, "counter", SLAB.pose, SLAB.size)
    pairs = (("r", "n1"), ("r", "f"), ("f", "n4"), ("f", "n5"))
    facts = [SceneRelation("comprises", pair) for pair in pairs]
    facts.append(SceneRelation("near", ("n1", "f")))
    scene = SceneGraph.of((KITCHEN, counter, fridge, milk, egg, ROBOT), facts)
    result = align_scene(scene, household)
    readings = {str(one) for one in result.names.relations["comprises"]}
    assert readings == {"inside(2, 1)", "in_room(2, 1)"}
    near = find(result, "near")  # a word of scenes, for which this domain has no use
    assert (near.meaning, near.standing) == (None, ClaimStanding.UNKNOWN)


def test_domain_without_labels_still_has_relations() -> None:
    domain = load_domain(find_domain("tiny"))
    facts = [SceneRelation("vun", ("n1", "n2")), SceneRelation("vun", ("n1", "n3"))]
    scene = SceneGraph.of((KITCHEN, SLAB, APPLE, MUG, ROBOT), facts)
    result = align_scene(scene, domain, similarity=_Alike())
    assert result.status.is_success


def test_label_of_the_domain_is_not_overruled_without_a_trial(household: Domain) -> None:
    glass = SceneNode("n1", Layer.OBJECT, "glass", Pose.at(2, 0.35, 0.6), (1.6, 0.6, 1.2))
    facts = [SceneRelation("on", (id_, "n1")) for id_ in ("n2", "n3")]
    facts.append(SceneRelation("in_room", ("n1", "r")))
    scene = SceneGraph.of((KITCHEN, glass, APPLE, MUG, ROBOT), facts)
    result = align_scene(scene, household)
    assert "glass" not in result.names.labels
    assert find(result, "glass").standing is not ClaimStanding.KEPT


@pytest.mark.parametrize("tried", [False, True])
@pytest.mark.parametrize("attribute", [{"geschlossen": True}, {}])
@pytest.mark.parametrize("contents", ["inside", "auf_oder_in"])
def test_a_wide_type_that_would_hide_contents_or_a_door_is_not_written(
    household: Domain, house: SceneGraph, tried: bool, attribute: dict[str, bool], contents: str
) -> None:
    """Read as a surface, a closed fridge would be emptied without opening it (issue 28)."""

    def perceive(node: SceneNode) -> SceneNode:
        if node.id != "fridge_1":
            return node
        return replace(node, category="kuehlschrank", attributes=attribute)

    names = {"on": contents, "inside": contents} if contents != "inside" else {}
    facts = [replace(one, name=names.get(one.name, one.name)) for one in house.relations]
    scene = SceneGraph.of([perceive(node) for node in house.nodes.values()], facts)
    world = make_world(house, household) if tried else None
    result = align_scene(scene, household, world)
    claim = find(result, "kuehlschrank")
    meaning = result.names.labels.get("kuehlschrank")
    assert meaning is None or household.schema.is_subtype(
        household.mapping.labels.get(meaning, meaning), "openable_container"
    )
    if claim.meaning == "surface":
        assert claim.reasons[0].startswith("surface would hide that it has ")


@pytest.mark.parametrize("count", [1, 2])
def test_an_agent_of_an_unknown_kind_is_the_robot_if_it_is_the_only_one(
    household: Domain, house: SceneGraph, count: int
) -> None:
    """Two may be a robot and a visitor: that is for somebody to say."""
    nodes = [
        replace(node, category="mobile_base") if node.category == "robot" else node
        for node in house.nodes.values()
    ]
    if count == 2:
        nodes.append(SceneNode("a2", Layer.AGENT, "mobile_base", Pose.at(1, 2, 0.2)))
    result = align_scene(SceneGraph.of(nodes, house.relations), household)
    claim = find(result, "mobile base")
    assert claim.meaning == "robot"
    assert result.names.labels == ({"mobile base": "robot"} if count == 1 else {})
    assert claim.standing is (ClaimStanding.PROPOSED if count == 1 else ClaimStanding.DOUBTFUL)
