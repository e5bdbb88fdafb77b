# SPDX-License-Identifier: Apache-2.0
"""Labelled prims of a USD stage: which are things, parts or groups of things, and their ids.

- Things are prims that have or hold geometry: transforms, shapes and point instancers. Any other
  (a scope, a camera, a light) is one only if there is a thing or geometry below it; so a material,
  a shader, a joint or a collision group is none.
- A prim with the same label as the nearest labelled one above is a part of that one, since Isaac's
  editor labels all parts.
- It stays single if it is of the kind component, of which USD allows none within another, or if the
  one above is a group: a prim without geometry of its own, not of the kind component, below which
  there are two or more things of its label, each an asset of its own (a reference, a payload, an
  instance or a component) or a group. A group is no thing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.identifiers import assign_ids
from fcp_ros.scene.graph.elements import Layer, SceneError
from fcp_ros.scene.graph.roles import find_layer

MODEL = "component"
"""The kind of prims that are assets of their own."""

WHOLES = (MODEL, "subcomponent")
"""Kinds of prims below which there are parts only."""


@dataclass
class PrimRoles:
    """The nodes that labelled prims belong to.

    Attributes:
        nodes_of: For each prim the number of the prim that is its node, itself or one above; -1 if
            there is none.
        parts: Number of prims that are parts of the one above.
        groups: Paths of groups, with the number of things in each.
        left_out: Paths of prims that are no things, with their types.
    """

    nodes_of: list[int] = field(default_factory=list)
    parts: int = 0
    groups: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass
class LabelledPrim:
    """A labelled prim that becomes a node, and the corners of its own geometry (m)."""

    index: int
    prim: Mapping[str, Any]
    layer: Layer
    corners: list[Floats]
    id: str = ""

    @property
    def own(self) -> Mapping[str, Any]:
        """Values that `writer` noted on it."""
        own: Mapping[str, Any] = self.prim["own"]
        return own


def find_roles(prims: Sequence[Mapping[str, Any]], solid: Collection[int]) -> PrimRoles:
    """Find the nodes that prims belong to.

    Args:
        prims: The labelled prims, each after those above it.
        solid: Numbers of the prims that have geometry of their own.
    """
    things = _find_things(prims, solid)
    labels = [normalise_label(choose_category(prim)) for prim in prims]
    members = _find_groups(prims, solid, things, labels)
    roles, opened = PrimRoles(), set[int]()
    for index, prim in enumerate(prims):
        parent = prim["parent"]
        above = roles.nodes_of[parent] if parent >= 0 else -1
        is_alike = above >= 0 and parent not in opened and labels[above] == labels[index]
        is_single = above >= 0 and prim["kind"] == MODEL and prims[above]["kind"] not in WHOLES
        node = above
        if index not in things:
            roles.left_out.append(f"{prim['path']} ({prim['type'] or 'no type'})")
        elif is_alike and not is_single and "layer" not in prim["own"]:
            roles.parts += 1
        elif index in members:
            opened.add(index)
            roles.groups.append(f"{prim['path']} ({members[index]} of {labels[index]})")
        else:
            node = index
        roles.nodes_of.append(node)
    return roles


def _find_things(prims: Sequence[Mapping[str, Any]], solid: Collection[int]) -> set[int]:
    """Return the numbers of the prims that are things, or hold some."""
    things = {index for index, prim in enumerate(prims) if prim["is_body"] or index in solid}
    for index in range(len(prims) - 1, -1, -1):
        if index in things and prims[index]["parent"] >= 0:
            things.add(prims[index]["parent"])
    return things


def _find_groups(
    prims: Sequence[Mapping[str, Any]],
    solid: Collection[int],
    things: Collection[int],
    labels: Sequence[str],
) -> dict[int, int]:
    """Return the numbers of the prims that are groups, each with its number of members."""
    alike: dict[int, list[int]] = defaultdict(list)
    groups: dict[int, int] = {}
    for index in range(len(prims) - 1, -1, -1):
        prim, below = prims[index], alike[index]
        if (
            len(below) >= 2
            and index not in solid
            and "layer" not in prim["own"]
            and prim["kind"] not in WHOLES
            and all(prims[one]["is_asset"] or one in groups for one in below)
        ):
            groups[index] = len(below)
        parent = prim["parent"]
        if parent >= 0 and index in things and labels[parent] == labels[index]:
            alike[parent].append(index)
    return groups


def choose_category(prim: Mapping[str, Any]) -> str:
    """Return a prim's label: of the taxonomy "class", else the first one."""
    labels = prim["labels"]
    for taxonomy, label in labels:
        if taxonomy == "class":
            return str(label)
    if labels:
        return str(labels[0][1])
    return "robot" if prim["is_robot"] else str(prim["own"].get("category") or "unknown")


def choose_layer(prim: Mapping[str, Any]) -> Layer:
    """Return the layer that our writer noted, else the one that the label implies."""
    noted = prim["own"].get("layer")
    if noted in {layer.value for layer in Layer}:
        return Layer(noted)
    return Layer.AGENT if prim["is_robot"] else find_layer(choose_category(prim))


def assign_prim_ids(things: Sequence[LabelledPrim], source: str) -> None:
    """Take the id that our writer noted, the prim's name if it is unique, else the common rule."""
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
    ids = assign_ids(
        (sources[t.index], choose_category(t.prim)) for t in things if t.index in sources
    )
    for thing in things:
        if thing.index in sources:
            wanted = ids[sources[thing.index]]
            thing.id = wanted if wanted not in taken else thing.prim["path"]
            taken.add(thing.id)
