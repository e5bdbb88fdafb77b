# SPDX-License-Identifier: Apache-2.0
"""Scenes whose names are replaced by words that the household domain does not have.

The words were written for these scenes before any of them was aligned. A word may be one that the
sentence model knows, or made of random syllables, so that only structure tells its meaning.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fcp_ros.domain.scene_names import AttributeReading, RelationReading
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

LABEL_WORDS: Mapping[str, tuple[str, ...]] = {
    "door": ("portal", "entryway"),
    "refrigerator": ("icebox", "larder cooler"),
    "counter": ("prep surface", "kitchen top"),
    "dining table": ("eating board", "banquet top"),
    "couch": ("settee", "davenport", "divan"),
    "apple": ("braeburn", "pippin"),
    "mug": ("tankard", "stein"),
    "milk": ("dairy", "semi skimmed"),
    "book": ("paperback", "tome"),
    "drinking glass": ("highball", "snifter"),
    "bowl": ("tureen", "ramekin"),
    "vase": ("urn", "bud holder"),
    "sponge": ("scourer", "loofah"),
    "laptop": ("ultrabook", "chromebook"),
    "tv stand": ("media console", "credenza"),
    "television": ("telly", "flatscreen"),
}
RELATION_WORDS: Mapping[str, tuple[str, ...]] = {
    "on": ("rests_upon", "lies_atop", "placed_on"),
    "inside": ("within", "enclosed_by", "stored_in"),
    "in_room": ("located_in", "situated_in", "belongs_to_room"),
    "at": ("stays_in", "occupies", "positioned_in"),
    "connected": ("links", "joins", "leads_between"),
    "dirty": ("unclean", "soiled", "grimy"),
}
INVERSE_WORDS: Mapping[str, tuple[str, ...]] = {
    "on": ("supports", "carries", "bears"),
    "inside": ("contains", "holds_within", "encloses"),
    "in_room": ("houses", "room_of", "comprises"),
    "at": ("hosts", "occupied_by", "accommodates"),
}
ATTRIBUTE_WORDS: Mapping[str, tuple[str, ...]] = {"is_open": ("opened", "ajar", "unlatched")}
DENIED_WORDS: Mapping[str, tuple[str, ...]] = {"is_open": ("shut", "sealed")}
_SYLLABLES = ("zor", "blax", "quim", "fep", "drok", "vun", "plee", "gath", "mib", "skarn", "oth")


@dataclass(frozen=True)
class RenamedScene:
    """A scene in other words, and what they mean.

    Attributes:
        graph: the scene in other words, with ids that say nothing.
        world: the same scene in its own words, with the same ids.
        labels: new label -> own label, of those that were changed.
        relations: new name -> its reading.
        attributes: new name -> its reading.
    """

    graph: SceneGraph
    world: SceneGraph
    labels: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, RelationReading] = field(default_factory=dict)
    attributes: Mapping[str, AttributeReading] = field(default_factory=dict)


def rename_at_random(
    scene: SceneGraph, seed: int, share: float = 0.4, nonsense: bool = False, places: bool = True
) -> RenamedScene:
    """Replace a share of a scene's names.

    Args:
        scene: as its source gives it.
        seed: of the choice.
        share: of the names of things, relations and attributes.
        nonsense: take random syllables instead of words.
        places: keep positions and sizes.
    """
    draw = random.Random(seed)
    world = _hide_ids(scene, draw, places)
    objects = {normalise_label(n.category) for n in world.nodes.values() if n.layer is Layer.OBJECT}
    given = [one for one in world.relations if one.provenance is Provenance.GIVEN]
    arity = {one.name: len(one.elements) for one in given}
    attributes = {
        name
        for node in world.nodes.values()
        for name, value in node.attributes.items()
        if isinstance(value, bool)
    }
    names = [
        *(("label", one) for one in sorted(objects) if nonsense or one in LABEL_WORDS),
        *(("relation", one) for one in sorted(arity) if nonsense or one in RELATION_WORDS),
        *(("attribute", one) for one in sorted(attributes) if nonsense or one in ATTRIBUTE_WORDS),
    ]
    count = max(1, round(share * (len(objects) + len(arity) + len(attributes))))
    chosen = draw.sample(names, min(count, len(names)))
    taken: set[str] = set()
    labels: dict[str, str] = {}
    relations: dict[str, RelationReading] = {}
    new_attributes: dict[str, AttributeReading] = {}
    for kind, name in chosen:
        if kind == "label":
            labels[_draw_word(draw, LABEL_WORDS, name, nonsense, taken)] = name
        elif kind == "relation":
            turned = arity[name] == 2 and draw.random() < 0.5
            words = INVERSE_WORDS if turned else RELATION_WORDS
            places_of = (1, 0) if turned else tuple(range(arity[name]))
            word = _draw_word(draw, words, name, nonsense, taken)
            relations[word] = RelationReading(name, places_of)
        else:
            denied = draw.random() < 0.5
            words = DENIED_WORDS if denied else ATTRIBUTE_WORDS
            word = _draw_word(draw, words, name, nonsense, taken)
            new_attributes[word] = AttributeReading(name, denied)
    graph = _rename(world, labels, relations, new_attributes)
    return RenamedScene(graph, world, labels, relations, new_attributes)


def _draw_word(
    draw: random.Random,
    words: Mapping[str, tuple[str, ...]],
    name: str,
    nonsense: bool,
    taken: set[str],
) -> str:
    while True:
        word = "".join(draw.sample(_SYLLABLES, 3)) if nonsense else draw.choice(words[name])
        if word not in taken:
            taken.add(word)
            return word


def _hide_ids(scene: SceneGraph, draw: random.Random, places: bool) -> SceneGraph:
    """Give ids that say nothing, in random order, and keep the source's relations only."""
    ids = list(scene.nodes)
    draw.shuffle(ids)
    new = {id_: f"n{number}" for number, id_ in enumerate(ids)}
    nodes = []
    for id_ in ids:
        node = scene.nodes[id_]
        node = replace(node, id=new[id_], parents=tuple(new[one] for one in node.parents))
        if not places:
            node = replace(node, pose=None, size=None, polygon=(), height=None, parents=())
        nodes.append(node)
    relations = [
        replace(one, elements=tuple(new[id_] for id_ in one.elements))
        for one in scene.relations
        if one.provenance is Provenance.GIVEN
    ]
    return SceneGraph.of(nodes, relations)


def _rename(
    world: SceneGraph,
    labels: Mapping[str, str],
    relations: Mapping[str, RelationReading],
    attributes: Mapping[str, AttributeReading],
) -> SceneGraph:
    word_of = {own: word for word, own in labels.items()}
    name_of = {reading.name: name for name, reading in relations.items()}
    attribute_of = {reading.name: (name, reading) for name, reading in attributes.items()}
    nodes = []
    for node in world.nodes.values():
        if node.layer is Layer.OBJECT:
            own = normalise_label(node.category)
            node = replace(node, category=word_of.get(own, node.category))
        values = {}
        for name, value in node.attributes.items():
            if name in attribute_of:
                name, reading = attribute_of[name]
                value = (not value) if reading.negated else value
            values[name] = value
        nodes.append(replace(node, attributes=values))
    turned = [_turn(one, name_of, relations) for one in world.relations]
    return SceneGraph.of(nodes, turned)


def _turn(
    relation: SceneRelation, name_of: Mapping[str, str], relations: Mapping[str, RelationReading]
) -> SceneRelation:
    name = name_of.get(relation.name)
    if name is None:
        return relation
    places = relations[name].places
    elements = [""] * len(places)
    for position, place in enumerate(places):
        elements[place] = relation.elements[position]
    return replace(relation, name=name, elements=tuple(elements))
