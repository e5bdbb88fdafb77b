# SPDX-License-Identifier: Apache-2.0
"""ConceptGraphs' relations: the files beside those of the objects, checked against these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.concept_graphs.model import (
    MapEdge,
    MapObject,
    MapRelation,
    RelatedObject,
)
from fcp_ros.scene.formats.identifiers import identifier
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.validation import refuse_repeated_keys, validated
from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.errors import SceneError

RELATIONS_FILE = "cfslam_object_relations.json"
ADVICE = "Let ConceptGraphs write both files again, in one run."
_OBJECTS, _EDGES = "obj_json_", "edge_json_"

_VERBATIM = {
    "a on b": ("on", False),
    "b on a": ("on", True),
    "a in b": ("inside", False),
    "b in a": ("inside", True),
}
"""Relation of branch main -> ours, and whether its two objects change places."""

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


@dataclass(frozen=True)
class Edge:
    """A relation between the objects of two numbers (places in the list of objects)."""

    name: str
    first: int
    second: int


def _beside(file: SceneFile, name: str) -> SceneFile | None:
    return file.beside(name) if (file.path.parent / name).is_file() else None


# ---- branch main --------------------------------------------------------------------------------


def relations_beside(file: SceneFile, objects: Sequence[MapObject]) -> tuple[list[Edge], list[str]]:
    """The relations of branch main, and notes on them; SceneError where they do not fit."""
    notes = ["positions and sizes are rounded to 0.1 m, and so is what is derived from them"]
    beside = _beside(file, RELATIONS_FILE)
    if beside is None:
        return [], [*notes, f"there is no {RELATIONS_FILE} beside it: relations are derived"]
    relations = validated(list[MapRelation], _document(beside), beside.name, ADVICE)
    numbered = {thing.id: place for place, thing in enumerate(objects)}
    edges, failed, unknown = [], 0, []
    for number, relation in enumerate(relations):
        place = f"[{number}]"
        first = _place_of(relation.object1, objects, numbered)
        second = _place_of(relation.object2, objects, numbered)
        for side, found in ((relation.object1, first), (relation.object2, second)):
            if found is None:
                raise SceneError(
                    f"it names object {side.id} ({side.object_tag}), but no object of that number "
                    "has its tag and box",
                    source=beside.name,
                    element=place,
                    advice=ADVICE,
                )
        assert first is not None
        assert second is not None
        if relation.object_relation in _VERBATIM:
            name, swapped = _VERBATIM[relation.object_relation]
            edges.append(Edge(name, second, first) if swapped else Edge(name, first, second))
        elif relation.object_relation == "FAIL":
            failed += 1
        elif relation.object_relation != _NOTHING:
            unknown.append(repr(relation.object_relation[:40]))
    if failed:
        notes.append(f"for {failed} pairs of objects the language model failed (FAIL)")
    if unknown:
        notes.append(f"relations of no known kind were left out: {list_names(unknown)}")
    return edges, notes


def _place_of(
    side: RelatedObject, objects: Sequence[MapObject], numbered: Mapping[int, int]
) -> int | None:
    """The object's place in the list: the number is that, or else an object's id."""
    for place in (side.id, numbered.get(side.id, -1)):
        if 0 <= place < len(objects) and _same(side, objects[place]):
            return place
    return None


def _same(side: RelatedObject, thing: MapObject) -> bool:
    return (
        normalise_label(side.object_tag) == normalise_label(thing.object_tag)
        and side.bbox_center == thing.bbox_center
        and side.bbox_extent == thing.bbox_extent
    )


# ---- branch ali-dev -----------------------------------------------------------------------------


def edges_beside(file: SceneFile, objects: Sequence[MapObject]) -> tuple[list[Edge], list[str]]:
    """The relations of branch ali-dev, most seen first, and notes; SceneError as above."""
    notes = ["positions and sizes are rounded to 0.01 m"]
    name = file.path.name
    beside = None
    if name.startswith(_OBJECTS):
        beside = _beside(file, _EDGES + name.removeprefix(_OBJECTS))
    if beside is None:
        return [], [
            *notes,
            "there is no edge_json file of its run beside it: relations are derived",
        ]
    document = _document(beside)
    refuse_repeated_keys(beside, ADVICE)
    table = validated(dict[str, MapEdge], document, beside.name, ADVICE)
    places = {thing.id: place for place, thing in enumerate(objects)}
    edges = []
    for key, edge in sorted(table.items(), key=lambda entry: -entry[1].num_detections):
        ends = []
        for id_, tag in (
            (edge.object_1_id, edge.object_1_tag),
            (edge.object_2_id, edge.object_2_tag),
        ):
            if id_ not in places:
                state = "is not listed"
            elif normalise_label(objects[places[id_]].object_tag) != normalise_label(tag):
                state = "has another tag"
            else:
                ends.append(places[id_])
                continue
            raise SceneError(
                f"it names object {id_} ({tag}), which {state}",
                source=beside.name,
                element=key,
                advice=ADVICE,
            )
        word = " ".join(edge.relationship.lower().split())
        edges.append(Edge(_WORDS.get(word, identifier(word)), *ends))
    return edges, notes


def _document(file: SceneFile) -> object:
    if file.syntax is not Syntax.JSON or file.problem:
        reason = file.problem or "it is no JSON"
        raise SceneError(reason, source=file.name, advice=ADVICE)
    return file.document


def consistent(
    edges: Iterable[Edge], names: Sequence[str]
) -> tuple[list[SceneRelation], list[str]]:
    """Each thing in one place, and in no circle; what had to be left out."""
    above: dict[int, int] = {}
    kept: dict[tuple[str, tuple[str, ...]], SceneRelation] = {}
    left_out = []
    for edge, relation in _related(edges, names):
        if edge.name in _PLACES and relation.key not in kept:
            if edge.first in above or _lowest_holder(edge.second, above) == edge.first:
                left_out.append(str(relation))
                continue
            above[edge.first] = edge.second
        kept.setdefault(relation.key, relation)
    return list(kept.values()), left_out


def _lowest_holder(thing: int, above: dict[int, int]) -> int:
    """What holds the thing in the end: the end of its chain, which gets shorter on the way."""
    while thing in above:
        following = above[thing]
        above[thing] = above.get(following, following)
        thing = following
    return thing


def _related(edges: Iterable[Edge], names: Sequence[str]) -> Iterator[tuple[Edge, SceneRelation]]:
    for edge in edges:
        yield edge, SceneRelation(edge.name, (names[edge.first], names[edge.second]))
