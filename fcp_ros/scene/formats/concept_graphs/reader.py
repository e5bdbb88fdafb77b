# SPDX-License-Identifier: Apache-2.0
"""Reader of ConceptGraphs' JSON files, of either branch, with the relations beside them.

- ``scene_graph.json`` with ``cfslam_object_relations.json`` (branch main), numbers rounded to
  0.1 m; ``obj_json_<run>.json`` with ``edge_json_<run>.json`` (ali-dev), rounded to 0.01 m. What
  is derived from geometry can't be more exact than that; a note says so.
- Frame: that of the camera poses, which the files do not name: taken as REP-103.
- Boxes: extents along the box's own axes, whose turn the files drop: taken as the map's axes.
- Ids: ``mug_5``. The relations of branch main number objects by their place in the list, and not
  by the objects' ``id`` (which has gaps where segments were dropped): tag and box are compared.
- Relations are a language model's: a second place of a thing, or one that closes a circle, is left
  out and noted. How often an edge was seen only says which one counts.
- Pickles (``.pkl.gz``) are refused: reading one can run code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.concept_graphs.model import MapObject
from fcp_ros.scene.formats.concept_graphs.relations import (
    ADVICE,
    Edge,
    consistent,
    edges_beside,
    relations_beside,
)
from fcp_ros.scene.formats.frames import REP_103
from fcp_ros.scene.formats.identifiers import PlainIds, plain_ids
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.validation import refuse_repeated_keys, validated
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

_PICKLES = (b"\x1f\x8b", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""How gzip archives and binary pickles begin."""

_UNKNOWN_TAGS = ("fail", "invalid")


def is_concept_graphs(file: SceneFile) -> bool:
    """Whether it is one of the four JSON files, or a pickle such as ConceptGraphs writes."""
    return _is_pickle(file) or _first_keys(file) is not None


def read_concept_graphs(file: SceneFile) -> SceneGraph:
    """The graph of a file of objects; raises SceneError, also for the other files."""
    if _is_pickle(file):
        raise SceneError(
            "it is a pickle, which can run code when it is read",
            source=file.name,
            advice="Of ConceptGraphs, read scene_graph.json (--mode generate-scenegraph-json) or "
            "obj_json_<run>.json instead.",
        )
    file.limits.check_nodes(len(file.document), file.name)
    if "object_tag" not in (_first_keys(file) or ()):
        wanted = "scene_graph.json" if isinstance(file.document, list) else "obj_json_<run>.json"
        raise SceneError(
            "it has the relations only", source=file.name, advice=f"Read {wanted} beside it."
        )
    if isinstance(file.document, list):
        objects = validated(list[MapObject], file.document, file.name, ADVICE)
        ids = plain_ids((thing.id, _category(thing)) for thing in objects)
        edges, notes = relations_beside(file, objects)
    else:
        refuse_repeated_keys(file, ADVICE)
        table = validated(dict[str, MapObject], file.document, file.name, ADVICE)
        objects = list(table.values())
        ids = plain_ids((thing.id, _category(thing)) for thing in objects)
        _check_volumes(objects)
        edges, notes = edges_beside(file, objects)
    return _graph(file.name, objects, ids, edges, notes)


def _is_pickle(file: SceneFile) -> bool:
    return file.syntax is Syntax.BINARY and file.content.startswith(_PICKLES)


def _first_keys(file: SceneFile) -> frozenset[str] | None:
    """Keys of the first entry, where they are those of one of the four files."""
    document = file.document
    if file.syntax is not Syntax.JSON or not document or not isinstance(document, list | dict):
        return None
    first = document[0] if isinstance(document, list) else next(iter(document.values()))
    if not isinstance(first, dict):
        return None
    keys = frozenset(first)
    if isinstance(document, list):
        known = ({"object_tag", "bbox_center"}, {"object1", "object2", "object_relation"})
    else:
        known = ({"object_tag", "bbox_center"}, {"object_1_id", "object_2_id", "relationship"})
    return keys if any(wanted <= keys for wanted in known) else None


def _check_volumes(objects: Iterable[MapObject]) -> None:
    """Extents and volume are rounded each on their own, but must be of one box."""
    for thing in objects:
        if thing.bbox_volume is None:
            continue
        least = math.prod(max(0.0, extent - 0.006) for extent in thing.bbox_extent)
        most = math.prod(extent + 0.006 for extent in thing.bbox_extent)
        if not least - 0.006 <= thing.bbox_volume <= most + 0.006:
            raise SceneError(
                f"bbox_volume {thing.bbox_volume} is not that of bbox_extent {thing.bbox_extent}",
                element=f"object {thing.id}",
                advice=ADVICE,
            )


def _graph(
    source: str,
    objects: Sequence[MapObject],
    ids: PlainIds,
    edges: Sequence[Edge],
    notes: Sequence[str],
) -> SceneGraph:
    names = [ids[thing.id] for thing in objects]
    nodes = [
        SceneNode(
            ids[thing.id],
            Layer.OBJECT,
            _category(thing),
            pose=Pose(REP_103.point(thing.bbox_center)),
            size=REP_103.extents(thing.bbox_extent),
            attributes={**ids.attributes(thing.id), **_caption(thing)},
        )
        for thing in objects
    ]
    relations, left_out = consistent(edges, names)
    every_note = [
        *ids.notes,
        *notes,
        "how boxes are turned is not in the file: extents are taken along the map's axes",
    ]
    untagged = [ids[thing.id] for thing in objects if thing.object_tag.lower() in _UNKNOWN_TAGS]
    if untagged:
        every_note.append(f"the tag of {list_names(untagged)} failed: taken as unknown")
    if left_out:
        every_note.append(
            f"left out, because the thing has a place already or they hold each other: "
            f"{list_names(left_out)}"
        )
    return SceneGraph.of(nodes, relations, source=source, notes=every_note)


def _category(thing: MapObject) -> str:
    return "unknown" if thing.object_tag.lower() in _UNKNOWN_TAGS else thing.object_tag


def _caption(thing: MapObject) -> Mapping[str, AttributeValue]:
    caption = thing.caption or thing.object_caption
    return {"caption": caption} if caption else {}
