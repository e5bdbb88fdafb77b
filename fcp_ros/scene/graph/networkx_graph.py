# SPDX-License-Identifier: Apache-2.0
"""Scene graphs for networkx, and GraphML files, which networkx writes.

Nodes are ids. Their data are ``layer``, ``category``, ``attributes`` (a dict), and as far as they
are known ``position`` (m), ``orientation`` (quaternion x, y, z, w), ``size`` (m), ``polygon`` and
``height`` (m). Edges are:

- from a node to each of its parents, with the key ``parent``;
- for each relation, from its first element to its second one (to itself if it has only one), with
  the relation's name as the key, and ``relation``, ``elements``, ``confidence`` and ``provenance``
  as data. Keys of relations with other than two elements are tuples that also hold the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation

PARENT = "parent"  # Key of the edges to parents

_AXES = {"position": "xyz", "orientation": "xyzw", "size": "xyz"}
# A carriage return would be read as a line feed.
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_BITS = 63  # GraphML's type "long"


def to_networkx(
    nodes: Mapping[str, SceneNode], relations: Iterable[SceneRelation], about: Mapping[str, Any]
) -> Any:
    """Return a scene graph as a `networkx.MultiDiGraph`; ``about`` is data of the graph itself."""
    import networkx

    graph = networkx.MultiDiGraph(**about)
    graph.add_nodes_from((id_, dict(_node_data(node))) for id_, node in nodes.items())
    graph.add_edges_from((node.id, up, PARENT) for node in nodes.values() for up in node.parents)
    for relation in relations:
        ends = relation.elements if len(relation.elements) > 1 else relation.elements * 2
        graph.add_edge(
            *ends[:2],
            key=_key_of(relation),
            relation=relation.name,
            elements=relation.elements,
            confidence=relation.confidence,
            provenance=relation.provenance.value,
        )
    return graph


def _key_of(relation: SceneRelation) -> Hashable:
    """Return a key that no other edge between the same two nodes has."""
    if len(relation.elements) == 2 and relation.name != PARENT:
        return relation.name
    return (relation.name, *relation.elements[2:])


def _node_data(node: SceneNode) -> Iterable[tuple[str, Any]]:
    yield "layer", node.layer.value
    yield "category", node.category
    if node.pose is not None:
        yield "position", node.pose.position
        yield "orientation", node.pose.orientation
    if node.size is not None:
        yield "size", node.size
    if node.polygon:
        yield "polygon", node.polygon
    if node.height is not None:
        yield "height", node.height
    yield "attributes", dict(node.attributes)


# ---- GraphML


def write_graphml(graph: Any, path: Path) -> tuple[str, ...]:
    """Write `to_networkx`'s graph as GraphML; return a sentence for each loss.

    GraphML knows numbers, truth values and texts. So coordinates have names of their own
    (``position_x``, ``size_z``, ...), attributes the prefix ``attribute_``, and other lists are
    JSON texts.
    """
    import networkx

    flattening = _Flattening()
    flat = networkx.MultiDiGraph(**flattening.flatten("the graph", graph.graph))
    ids = flattening.clean_ids(graph.nodes)
    for id_, data in graph.nodes(data=True):
        flat.add_node(ids[id_], **flattening.flatten(id_, data))
    for number, (start, end, key, data) in enumerate(graph.edges(keys=True, data=True)):
        about = flattening.flatten(str(key), data or {"relation": PARENT})
        flat.add_edge(ids[start], ids[end], f"e{number}", **about)
    networkx.write_graphml_xml(flat, str(path), prettyprint=True)
    return tuple(
        f"GraphML has no place for {what}: {list_names(places)}"
        for what, places in flattening.losses.items()
    )


class _Flattening:
    """Turns the data of nodes and edges into what GraphML knows; ``losses`` has places by kind."""

    def __init__(self) -> None:
        self.losses: dict[str, list[str]] = {}

    def flatten(self, place: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return data as numbers, truth values and texts by name."""
        flat: dict[str, Any] = {}
        for name, value in data.items():
            if name in _AXES:
                parts = zip(_AXES[name], value, strict=True)
                flat |= {f"{name}_{axis}": part for axis, part in parts}
            elif isinstance(value, Mapping):
                entries = {f"attribute_{self._clean(place, key)}": value[key] for key in value}
                flat |= {key: self._fit(f"{place}.{key}", entries[key]) for key in entries}
            else:
                flat[name] = self._fit(place, value)
        return flat

    def clean_ids(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the ids as XML can hold them, by what they were; still unique."""
        cleaned: dict[str, str] = {}
        taken: set[str] = set()
        for id_ in ids:
            wanted = name = self._clean(id_, id_)
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            taken.add(name)
            cleaned[id_] = name
        return cleaned

    def _fit(self, place: str, value: Any) -> bool | int | float | str:
        if isinstance(value, str):
            return self._clean(place, value)
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            self._lose("whole numbers of more than 64 bits", place)
            return str(value)
        if isinstance(value, bool | int | float):
            return value
        return self._clean(place, json.dumps(value, ensure_ascii=False))

    def _clean(self, place: str, text: str) -> str:
        if _NOT_IN_XML.search(text) is None:
            return text
        self._lose("characters that XML cannot hold", _NOT_IN_XML.sub("?", place))
        return _NOT_IN_XML.sub("?", text)

    def _lose(self, what: str, place: str) -> None:
        places = self.losses.setdefault(what, [])
        if place not in places:
            places.append(place)
