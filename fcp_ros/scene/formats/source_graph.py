# SPDX-License-Identifier: Apache-2.0
"""The graph of what a source states: plain ids, and no places that cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Provenance,
    SceneError,
    SceneNode,
    SceneRelation,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.supports import (
    MUCH_SMALLER,
    find_circles,
    find_circular,
    leads_back,
)

SOURCE_ID = "source_id"  # Attribute that holds the source's id

SourceId = str | int

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ODD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class PlainIds:
    """Our ids of the elements of a file."""

    by_source: Mapping[SourceId, str]  # Our id by the source's id; one to one
    notes: tuple[str, ...] = ()  # Changes beyond the rule

    def __getitem__(self, source: SourceId) -> str:
        return self.by_source[source]

    def __contains__(self, source: object) -> bool:
        return source in self.by_source

    def attributes(self, source: SourceId) -> dict[str, AttributeValue]:
        """Return ``source_id`` as an attribute if the id was changed."""
        return {} if self.by_source[source] == source else {SOURCE_ID: source}


def assign_ids(elements: Iterable[tuple[SourceId, str]]) -> PlainIds:
    """Give each element (source id, category) an id; SceneError for an empty or repeated one."""
    categories: dict[SourceId, str] = {}
    for source, category in elements:
        if source == "":
            raise SceneError("an element has an empty id", advice="Export the scene again.")
        if source in categories:
            raise SceneError(
                "this id is given to two elements",
                element=str(source),
                advice="Ids must be unique in the file: export the scene again.",
            )
        categories[source] = category
    taken: dict[str, str] = {}
    named: dict[SourceId, str] = {}
    clashing = []
    for source in categories:
        if isinstance(source, str) and _PLAIN.fullmatch(source):
            if source.lower() in taken:
                clashing.append(f"{taken[source.lower()]} and {source}")
            else:
                taken[source.lower()] = named[source] = source
    counts: dict[str, int] = {}
    for source, category in categories.items():
        if source not in named:
            id_ = _number_id(source, to_identifier(category), taken, counts)
            taken[id_.lower()] = named[source] = id_
    notes = []
    if clashing:
        notes.append(
            f"ids that differ in case only: {list_names(clashing)}; the second of each was renamed"
        )
    return PlainIds({source: named[source] for source in categories}, tuple(notes))


def _number_id(
    source: SourceId, word: str, taken: Mapping[str, str], counts: dict[str, int]
) -> str:
    if isinstance(source, int) and source >= 0 and f"{word}_{source}" not in taken:
        return f"{word}_{source}"
    number = counts.get(word, 0) + 1
    while f"{word}_{number}" in taken:
        number += 1
    counts[word] = number
    return f"{word}_{number}"


def to_identifier(category: str) -> str:
    """Convert a category to a plain identifier: ``DiningTable`` to ``dining_table``."""
    word = _ODD.sub("_", normalise_label(category)).strip("_")
    return word if _PLAIN.fullmatch(word) else f"thing_{word}".rstrip("_")


# --- the graph of what a source states, without the places that cannot be ---

LARGEST_CIRCLE = 300
"""Most relations of circles of which the worst are chosen; of more, all are left out."""

_ATTACHED = "attached"
_PLACING = ("on", "inside", _ATTACHED)
_FLAT = 0.005  # Least extent (m) of a thing in the comparison of volumes


def build_source_graph(
    nodes: Iterable[SceneNode],
    relations: Iterable[SceneRelation] = (),
    *,
    frame_id: str = "map",
    sequence: int = 0,
    source: str = "",
    notes: Iterable[str] = (),
) -> SceneGraph:
    """Build a graph as ``SceneGraph.of``, without impossible places; notes name those."""
    nodes, relations = list(nodes), list(relations)
    by_id = {node.id: node for node in nodes}
    placing = [r for r in relations if r.name in _PLACING and len(r.elements) == 2 and _is_given(r)]
    impossible = {r.key: r for r in placing if is_too_small(r, by_id)}
    circular = _choose_in_circles([r for r in placing if r.key not in impossible], by_id)
    added = [
        f"{what}, so this is left out: {list_names(map(str, left_out))}"
        for what, left_out in (
            ("a thing is not on or in one of a tenth of its size", impossible.values()),
            ("nothing is on, in or attached to itself, however indirectly", circular),
        )
        if left_out
    ]
    if added:
        dropped = {*impossible, *(relation.key for relation in circular)}
        relations = [relation for relation in relations if relation.key not in dropped]
    return SceneGraph.of(
        nodes,
        relations,
        frame_id=frame_id,
        sequence=sequence,
        source=source,
        notes=(*notes, *added),
    )


def _is_given(relation: SceneRelation) -> bool:
    return relation.provenance is Provenance.GIVEN


def is_too_small(relation: SceneRelation, nodes: Mapping[str, SceneNode]) -> bool:
    """Return True if the holder is far too small for the thing, as far as sizes are known."""
    if relation.name == _ATTACHED:
        return False
    sizes = [nodes[id_].size for id_ in relation.elements if id_ in nodes]
    if len(sizes) < 2 or sizes[0] is None or sizes[1] is None:
        return False
    (x, y, z), (a, b, c) = ([max(extent, _FLAT) for extent in size] for size in sizes if size)
    return a * b < MUCH_SMALLER * x * y and a * b * c < MUCH_SMALLER * x * y * z


def _choose_in_circles(
    relations: list[SceneRelation], nodes: Mapping[str, SceneNode]
) -> list[SceneRelation]:
    """Choose the relations that have to be left out, so that no circle is left."""
    holders: dict[str, list[SceneRelation]] = {}
    for relation in relations:
        holders.setdefault(relation.elements[0], []).append(relation)
    chosen = [own for own in relations if own.elements[0] == own.elements[1]]
    for own in chosen:
        holders[own.elements[0]].remove(own)

    def find_holders(id_: str) -> list[str]:
        return [relation.elements[1] for relation in holders.get(id_, ())]

    for circle in find_circles(holders, find_holders):
        inner = [r for id_ in sorted(circle) for r in holders[id_] if r.elements[1] in circle]
        large = len(inner) > LARGEST_CIRCLE
        chosen += inner if large else _open_circle(inner, nodes)
    return chosen


def _open_circle(
    relations: list[SceneRelation], nodes: Mapping[str, SceneNode]
) -> list[SceneRelation]:
    """Choose the relations to leave out of one circle, or of circles that share things."""
    left = list(relations)

    def find_edges(id_: str) -> list[tuple[str, bool]]:
        return [(r.elements[1], r.name != _ATTACHED) for r in left if r.elements[0] == id_]

    def find_firm_holders(id_: str) -> list[str]:
        return [above for above, is_firm in find_edges(id_) if is_firm]

    for relation in relations:
        item, holder = relation.elements
        if relation.name == _ATTACHED and leads_back(holder, item, find_edges):
            left.remove(relation)
    while circular := find_circular([r.elements[0] for r in left], find_firm_holders):
        inner = [r for r in left if r.name != _ATTACHED and circular.issuperset(r.elements)]
        left.remove(max(inner, key=lambda r: (_compare_sizes(r, nodes), -r.confidence, r.key)))
    return [relation for relation in relations if relation not in left]


def _compare_sizes(relation: SceneRelation, nodes: Mapping[str, SceneNode]) -> float:
    """Return the volume of a thing by that of its holder; 0 if one of them is not known."""
    volumes = []
    for id_ in relation.elements:
        size = nodes[id_].size if id_ in nodes else None
        if size is None:
            return 0.0
        volumes.append(max(size[0], _FLAT) * max(size[1], _FLAT) * max(size[2], _FLAT))
    return volumes[0] / volumes[1]
