# SPDX-License-Identifier: Apache-2.0
"""Reader of ConceptGraphs' JSON files, of either branch, with the relations beside them.

- ``scene_graph.json`` with ``cfslam_object_relations.json`` (branch main), numbers rounded to
  0.1 m; ``obj_json_<run>.json`` with ``edge_json_<run>.json`` (ali-dev), rounded to 0.01 m. A note
  gives this accuracy, which derived relations share.
- Frame: that of the camera poses, which the files do not name: taken as REP-103.
- Boxes: extents along the box's own axes, whose rotation the files drop: taken as the map's axes.
- Ids: ``mug_5``. The relations of branch main number objects by their place in the list, and not
  by the objects' ``id`` (which has gaps where segments were dropped): tag and box are compared.
- A language model wrote the relations: a second place of a thing, or one that closes a cycle, is
  left out with a note. Of conflicting edges the one with more detections counts.
- Pickles (``.pkl.gz``) are refused: reading one can run code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import REP_103
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.source_graph import (
    PlainIds,
    assign_ids,
    build_source_graph,
    is_too_small,
    to_identifier,
)
from fcp_ros.scene.formats.validation import (
    Extent,
    Extents,
    Name,
    Number,
    Position,
    ToolModel,
    keys_of_first,
    refuse_repeated_keys,
    validate,
)
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    RelationKey,
    SceneError,
    SceneNode,
    SceneRelation,
)
from fcp_ros.scene.graph.graph import SceneGraph


class MapObject(ToolModel):
    """An object, of either kind of file; extents along the axes of its own, unknown, box."""

    id: Number
    object_tag: Name
    bbox_center: Position
    bbox_extent: Extents
    bbox_volume: Extent | None = None
    caption: str | None = None
    object_caption: str | None = None


class RelatedObject(ToolModel):
    """One side of a relation: the object's number, and values that identify it as well."""

    id: Number
    object_tag: Name
    bbox_center: Position
    bbox_extent: Extents


class MapRelation(ToolModel):
    """One entry of ``cfslam_object_relations.json``."""

    object1: RelatedObject
    object2: RelatedObject
    object_relation: str


class MapEdge(ToolModel):
    """One entry of ``edge_json_*.json``."""

    object_1_id: Number
    object_1_tag: Name
    object_2_id: Number
    object_2_tag: Name
    relationship: Name
    num_detections: Number = Field(default=1)


_RELATIONS_FILE = "cfslam_object_relations.json"
_OBJECTS, _EDGES = "obj_json_", "edge_json_"

_VERBATIM = {
    "a on b": ("on", False),
    "b on a": ("on", True),
    "a in b": ("inside", False),
    "b in a": ("inside", True),
}
"""Relation of branch main -> ours, and True if its two objects change places."""

_NOTHING = "none of these"
_WORDS = {
    "on": "on",
    "on top of": "on",
    "in": "inside",
    "inside": "inside",
    "inside of": "inside",
    "underneath": "under",
    "below": "under",
    "next to": "near",
    "beside": "near",
}
"""Relation of branch ali-dev -> ours; others keep their words."""

_PLACES = ("on", "inside")

_PICKLES = (b"\x1f\x8b", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""The first bytes of gzip archives and binary pickles."""

_UNKNOWN_TAGS = ("fail", "invalid")


def is_concept_graphs(file: SceneFile) -> bool:
    """Return True for one of the four JSON files, or a pickle such as ConceptGraphs writes."""
    return _is_pickle(file) or _first_keys(file) is not None


def read_concept_graphs(file: SceneFile) -> SceneGraph:
    """Read a file of objects; raises SceneError, also for the other files."""
    if _is_pickle(file):
        raise SceneError(
            "it is a pickle, which can run code when it is read",
            advice="Of ConceptGraphs, read scene_graph.json (--mode generate-scenegraph-json) or "
            "obj_json_<run>.json instead.",
        )
    file.limits.check_nodes(len(file.document), file.name)
    if "object_tag" not in (_first_keys(file) or ()):
        wanted = "scene_graph.json" if isinstance(file.document, list) else "obj_json_<run>.json"
        raise SceneError("it has the relations only", advice=f"Read {wanted} beside it.")
    if isinstance(file.document, list):
        objects = validate(list[MapObject], file.document)
        ids = assign_ids((thing.id, _choose_category(thing)) for thing in objects)
        edges, notes = _read_relations(file, objects, ids)
    else:
        refuse_repeated_keys(file)
        table = validate(dict[str, MapObject], file.document)
        objects = list(table.values())
        ids = assign_ids((thing.id, _choose_category(thing)) for thing in objects)
        _check_volumes(objects)
        edges, notes = _read_edges(file, objects, ids)
    return _build_graph(file.name, objects, ids, edges, notes)


def _is_pickle(file: SceneFile) -> bool:
    return file.syntax is Syntax.BINARY and file.content.startswith(_PICKLES)


def _first_keys(file: SceneFile) -> frozenset[str] | None:
    """Return the keys of the first entry if they are those of one of the four files."""
    keys = keys_of_first(file.document if file.syntax is Syntax.JSON else None)
    if isinstance(file.document, list):
        known = ({"object_tag", "bbox_center"}, {"object1", "object2", "object_relation"})
    else:
        known = ({"object_tag", "bbox_center"}, {"object_1_id", "object_2_id", "relationship"})
    return keys if any(wanted <= keys for wanted in known) else None


def _check_volumes(objects: Iterable[MapObject]) -> None:
    """Raise SceneError if extents and volume, rounded separately, are not of one box."""
    for thing in objects:
        if thing.bbox_volume is None:
            continue
        least = math.prod(max(0.0, extent - 0.006) for extent in thing.bbox_extent)
        most = math.prod(extent + 0.006 for extent in thing.bbox_extent)
        if not least - 0.006 <= thing.bbox_volume <= most + 0.006:
            raise SceneError(
                f"bbox_volume {thing.bbox_volume} is not that of bbox_extent {thing.bbox_extent}",
                element=f"object {thing.id}",
            )


def _build_graph(
    source: str,
    objects: Sequence[MapObject],
    ids: PlainIds,
    edges: Sequence[SceneRelation],
    notes: Sequence[str],
) -> SceneGraph:
    nodes = [
        SceneNode(
            ids[thing.id],
            Layer.OBJECT,
            _choose_category(thing),
            pose=Pose(REP_103.to_point(thing.bbox_center)),
            size=REP_103.to_extents(thing.bbox_extent),
            attributes={**ids.attributes(thing.id), **_choose_caption(thing)},
        )
        for thing in objects
    ]
    by_id = {node.id: node for node in nodes}
    impossible = [edge for edge in edges if is_too_small(edge, by_id)]
    relations, left_out = select_consistent([e for e in edges if e not in impossible])
    relations += dict.fromkeys(impossible)  # left out below, with a note
    every_note = [
        *ids.notes,
        *notes,
        "the file has no orientations of boxes: extents are taken along the map's axes",
    ]
    untagged = [ids[thing.id] for thing in objects if thing.object_tag.lower() in _UNKNOWN_TAGS]
    if untagged:
        every_note.append(f"the tag of {list_names(untagged)} failed: taken as unknown")
    if left_out:
        every_note.append(
            f"left out, because the thing has a place already or they hold each other: "
            f"{list_names(left_out)}"
        )
    return build_source_graph(nodes, relations, source=source, notes=every_note)


def _choose_category(thing: MapObject) -> str:
    return "unknown" if thing.object_tag.lower() in _UNKNOWN_TAGS else thing.object_tag


def _choose_caption(thing: MapObject) -> Mapping[str, AttributeValue]:
    caption = thing.caption or thing.object_caption
    return {"caption": caption} if caption else {}


def _open_beside(file: SceneFile, name: str) -> SceneFile | None:
    return file.open_beside(name) if (file.path.parent / name).is_file() else None


# ---- branch main --------------------------------------------------------------------------------


def _read_relations(
    file: SceneFile, objects: Sequence[MapObject], ids: PlainIds
) -> tuple[list[SceneRelation], list[str]]:
    """Read the relations of branch main, and notes; raises SceneError if they do not fit."""
    notes = ["positions and sizes are rounded to 0.1 m, so derived relations are no more accurate"]
    beside = _open_beside(file, _RELATIONS_FILE)
    if beside is None:
        return [], [*notes, f"there is no {_RELATIONS_FILE} beside it: relations are derived"]
    relations = validate(list[MapRelation], beside.document, beside.name)
    numbered = {thing.id: place for place, thing in enumerate(objects)}
    edges, failed, unknown = [], 0, []
    for number, relation in enumerate(relations):
        place = f"[{number}]"
        first = _find_place(relation.object1, objects, numbered)
        second = _find_place(relation.object2, objects, numbered)
        for side, found in ((relation.object1, first), (relation.object2, second)):
            if found is None:
                raise SceneError(
                    f"it names object {side.id} ({side.object_tag}), but no object of that number "
                    "has its tag and box",
                    source=beside.name,
                    element=place,
                )
        assert first is not None
        assert second is not None
        if relation.object_relation in _VERBATIM:
            name, swapped = _VERBATIM[relation.object_relation]
            legs = (ids[objects[first].id], ids[objects[second].id])
            edges.append(SceneRelation(name, legs[::-1] if swapped else legs))
        elif relation.object_relation == "FAIL":
            failed += 1
        elif relation.object_relation != _NOTHING:
            unknown.append(repr(relation.object_relation[:40]))
    if failed:
        notes.append(f"for {failed} pairs of objects the language model failed (FAIL)")
    if unknown:
        notes.append(f"relations of no known kind were left out: {list_names(unknown)}")
    return edges, notes


def _find_place(
    side: RelatedObject, objects: Sequence[MapObject], numbered: Mapping[int, int]
) -> int | None:
    """Find the object's place in the list: its number is the place, or else an object's id."""
    for place in (side.id, numbered.get(side.id, -1)):
        if 0 <= place < len(objects) and _is_same(side, objects[place]):
            return place
    return None


def _is_same(side: RelatedObject, thing: MapObject) -> bool:
    return (
        normalise_label(side.object_tag) == normalise_label(thing.object_tag)
        and side.bbox_center == thing.bbox_center
        and side.bbox_extent == thing.bbox_extent
    )


# ---- branch ali-dev -----------------------------------------------------------------------------


def _read_edges(
    file: SceneFile, objects: Sequence[MapObject], ids: PlainIds
) -> tuple[list[SceneRelation], list[str]]:
    """Read the relations of branch ali-dev, most detections first, and notes."""
    notes = ["positions and sizes are rounded to 0.01 m"]
    name = file.path.name
    beside = None
    if name.startswith(_OBJECTS):
        beside = _open_beside(file, _EDGES + name.removeprefix(_OBJECTS))
    if beside is None:
        return [], [
            *notes,
            "there is no edge_json file of its run beside it: relations are derived",
        ]
    refuse_repeated_keys(beside)
    table = validate(dict[str, MapEdge], beside.document, beside.name)
    by_id = {thing.id: thing for thing in objects}
    edges = []
    for key, edge in sorted(table.items(), key=lambda entry: -entry[1].num_detections):
        ends = []
        for id_, tag in (
            (edge.object_1_id, edge.object_1_tag),
            (edge.object_2_id, edge.object_2_tag),
        ):
            if id_ not in by_id:
                state = "is not listed"
            elif normalise_label(by_id[id_].object_tag) != normalise_label(tag):
                state = "has another tag"
            else:
                ends.append(ids[id_])
                continue
            raise SceneError(
                f"it names object {id_} ({tag}), which {state}", source=beside.name, element=key
            )
        word = " ".join(edge.relationship.lower().split())
        edges.append(SceneRelation(_WORDS.get(word, to_identifier(word)), tuple(ends)))
    return edges, notes


def select_consistent(edges: Iterable[SceneRelation]) -> tuple[list[SceneRelation], list[str]]:
    """Select relations with each thing in one place and without cycles; list the others."""
    above: dict[str, str] = {}
    kept: dict[RelationKey, SceneRelation] = {}
    left_out = []
    for edge in edges:
        if edge.name in _PLACES and edge.key not in kept:
            item, holder = edge.elements
            if item in above or _find_lowest_holder(holder, above) == item:
                left_out.append(str(edge))
                continue
            above[item] = holder
        kept.setdefault(edge.key, edge)
    return list(kept.values()), left_out


def _find_lowest_holder(thing: str, above: dict[str, str]) -> str:
    """Return the end of a thing's chain of holders, and shorten the chain (path compression)."""
    while thing in above:
        following = above[thing]
        above[thing] = above.get(following, following)
        thing = following
    return thing
