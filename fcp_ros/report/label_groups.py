# SPDX-License-Identifier: Apache-2.0
"""A scene's nodes by label, with the type that a domain gives them and why: for people to read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.binding.label_types import TypeChoice, TypeReason
from fcp_ros.scene import Layer, SceneGraph

_WHY = {
    TypeReason.OVERRIDE: "override of {}",
    TypeReason.LABEL: "label",
    TypeReason.LAST_WORDS: "ends in {}",
    TypeReason.SYNONYM: "synonym of {}",
    TypeReason.SIMILAR: "like {}",
    TypeReason.LAYER: "layer",
    TypeReason.PASSAGE: "joins rooms",
    TypeReason.DEFAULT: "unknown label",
}


@dataclass(frozen=True)
class LabelGroup:
    """The nodes of one layer and label that got their type in the same way."""

    layer: Layer
    category: str
    choice: TypeChoice | None
    ids: tuple[str, ...]


def label_groups(graph: SceneGraph, typing: Mapping[str, TypeChoice]) -> list[LabelGroup]:
    """All nodes, by layer (building first), then the most frequent label first."""
    groups: dict[tuple[Layer, str, TypeChoice | None], list[str]] = defaultdict(list)
    for node in graph.nodes.values():
        groups[node.layer, node.category, typing.get(node.id)].append(node.id)
    order = list(Layer)
    return sorted(
        (LabelGroup(*key, tuple(ids)) for key, ids in groups.items()),
        key=lambda group: (order.index(group.layer), -len(group.ids), group.category),
    )


def why(choice: TypeChoice | None) -> str:
    """What decided on a type, in a few words."""
    if choice is None:
        return "layer left out"
    return _WHY[choice.reason].format(choice.matched_label)
