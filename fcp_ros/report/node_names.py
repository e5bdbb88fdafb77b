# SPDX-License-Identifier: Apache-2.0
"""Readable names of things, and the nodes of a scene grouped by label."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.binding.label_types import TypeChoice, TypeReason
from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.scene import Layer, SceneGraph

_CODE = re.compile(r"[A-Za-z]?\d+")

_WHY = {
    TypeReason.OVERRIDE: "override of {}",
    TypeReason.LABEL: "label",
    TypeReason.LAST_WORDS: "ends in {}",
    TypeReason.SYNONYM: "synonym of {}",
    TypeReason.KIND: "a kind of {}, by WordNet",
    TypeReason.SIMILAR: "like {}",
    TypeReason.LAYER: "layer",
    TypeReason.PASSAGE: "joins rooms",
    TypeReason.HOLDER: "holds something",
    TypeReason.DEFAULT: "unknown label",
}


def to_words(identifier: str, category: str) -> str:
    """Return an id in words: "mug 1" for ``mug_1``, "table O24" for the code ``O24``.

    A code whose label is a number without a name is a "thing O24".
    """
    if _CODE.fullmatch(identifier):
        return f"{normalise_label(category) if is_named(category) else 'thing'} {identifier}"
    return identifier.replace("_", " ")


@dataclass(frozen=True)
class LabelGroup:
    """Nodes of one layer and label that got their type in the same way."""

    layer: Layer
    category: str
    choice: TypeChoice | None
    ids: tuple[str, ...]


def group_by_label(graph: SceneGraph, typing: Mapping[str, TypeChoice]) -> list[LabelGroup]:
    """Group all nodes by layer (building first), then by label (most frequent first)."""
    groups: dict[tuple[Layer, str, TypeChoice | None], list[str]] = defaultdict(list)
    for node in graph.nodes.values():
        groups[node.layer, node.category, typing.get(node.id)].append(node.id)
    order = list(Layer)
    return sorted(
        (LabelGroup(*key, tuple(ids)) for key, ids in groups.items()),
        key=lambda group: (order.index(group.layer), -len(group.ids), group.category),
    )


def explain_choice(choice: TypeChoice | None) -> str:
    """Explain in a few words how a type was chosen."""
    if choice is None:
        return "layer left out"
    return _WHY[choice.reason].format(choice.matched_label)
