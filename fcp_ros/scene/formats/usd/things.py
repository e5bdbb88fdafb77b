# SPDX-License-Identifier: Apache-2.0
"""What the labelled prims of a USD stage are in a scene: category, layer, parts, id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.formats.identifiers import plain_ids
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.roles import PEOPLE

Floats = NDArray[np.float64]

ROOMS = frozenset(
    {"room", "kitchen", "bathroom", "bedroom", "hallway", "hall", "corridor", "lobby", "office"}
    | {"garage", "toilet", "pantry", "staircase", "balcony", "terrace", "warehouse"}
)
"""Last words of labels that mean a room."""

BUILDINGS = frozenset({"building", "house", "apartment", "flat"})


def category_of(prim: Mapping[str, Any]) -> str:
    """A prim's label: of the taxonomy "class", else the first there is."""
    labels = prim["labels"]
    for taxonomy, label in labels:
        if taxonomy == "class":
            return str(label)
    if labels:
        return str(labels[0][1])
    return "robot" if prim["is_robot"] else str(prim["own"].get("category") or "unknown")


def merged_parts(prims: Sequence[Mapping[str, Any]]) -> list[int]:
    """By prim the one that is the node: itself, or the one above with the same label."""
    nodes_of: list[int] = []
    for index, prim in enumerate(prims):
        above = nodes_of[prim["parent"]] if prim["parent"] >= 0 else -1
        is_part = (
            above >= 0
            and "layer" not in prim["own"]
            and normalise_label(category_of(prims[above])) == normalise_label(category_of(prim))
        )
        nodes_of.append(above if is_part else index)
    return nodes_of


def layer_of(prim: Mapping[str, Any]) -> Layer:
    """What our writer noted, else what the label means."""
    said = prim["own"].get("layer")
    if said in {layer.value for layer in Layer}:
        return Layer(said)
    label = normalise_label(category_of(prim))
    if prim["is_robot"] or label == "robot" or label in PEOPLE:
        return Layer.AGENT
    if label in BUILDINGS:
        return Layer.BUILDING
    return Layer.ROOM if label.rpartition(" ")[2] in ROOMS else Layer.OBJECT


@dataclass
class Thing:
    """A labelled prim that becomes a node, and the corners of its own geometry (m)."""

    index: int
    prim: Mapping[str, Any]
    layer: Layer
    corners: list[Floats]
    id: str = ""

    @property
    def own(self) -> Mapping[str, Any]:
        """What `writer` noted about it."""
        own: Mapping[str, Any] = self.prim["own"]
        return own


def name_things(things: Sequence[Thing], source: str) -> None:
    """Ids: what our writer noted, the prim's name where it is unique, else by the common rule."""
    names = Counter(thing.prim["name"] for thing in things)
    sources: dict[int, str] = {}
    taken: set[str] = set()
    for thing in things:
        noted = thing.own.get("id")
        if isinstance(noted, str) and noted.strip() and noted == noted.strip():
            if noted in taken:
                raise SceneError(
                    "two prims are noted to have this id",
                    source=source,
                    element=noted,
                    advice="Change scene:id on one of them.",
                )
            thing.id = noted
            taken.add(noted)
        else:
            name, path = thing.prim["name"], thing.prim["path"]
            sources[thing.index] = name if names[name] == 1 and name not in taken else path
    ids = plain_ids((sources[t.index], category_of(t.prim)) for t in things if t.index in sources)
    for thing in things:
        if thing.index in sources:
            wanted = ids[sources[thing.index]]
            thing.id = wanted if wanted not in taken else thing.prim["path"]
            taken.add(thing.id)
