# SPDX-License-Identifier: Apache-2.0
"""Reader of 3DSSG: ``objects.json``, ``relationships.json`` and 3RScan's ``semseg.v2.json``.

- One scan of a file that holds many: ``objects.json#<scan>``; a part of a scan of the subset:
  ``relationships.json#<scan>/<split>``.
- Objects and relationships lie beside each other, in files whose names differ in that word only;
  the boxes in ``<scan>/semseg.v2.json`` or, with the same beginning, ``*semseg.v2.json``.
- Frame: z up, right-handed, metres, per scan; no alignment between scans is applied.
- Ids are ``<label>_<number>``: strings in ``objects.json``, whole numbers in
  ``relationships.json``. Labels are kept unchanged.
- Predicates: see ``PLACING``; all others are kept under their own names (``same_symmetry_as``).
- Where a thing lies on or in several, the most certain word counts and the others keep theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import raise_upright_axes, to_quaternions
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import PlainIds, assign_ids, build_source_graph
from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extents,
    Name,
    Position,
    ToolModel,
    keys_of_first,
    validate,
)
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    SceneError,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph


def _parse_number(value: Any) -> Any:
    """Parse ``"13"`` as 13; pydantic refuses everything that is no whole number."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value


ScanId = Annotated[int, BeforeValidator(_parse_number), Field(strict=True, ge=0, lt=10**15)]
BoxAxes = Annotated[list[Coordinate], Field(min_length=9, max_length=9)]
Words = Annotated[list[Annotated[str, Field(strict=True)]], Field(default_factory=list)]


class ScanObject(ToolModel):
    """An object of ``objects.json``; its attributes are words by kind (colour, state, ...)."""

    id: ScanId
    label: Name
    affordances: Words
    attributes: dict[Name, list[Annotated[str, Field(strict=True)]]] = Field(default_factory=dict)


Relationship = tuple[ScanId, ScanId, ScanId, Name]
"""Subject, object, number of the predicate, predicate."""


class ScanObjects(ToolModel):
    """The objects of one scan."""

    objects: list[ScanObject]


class Relationships(ToolModel):
    """The relationships of one scan."""

    relationships: list[Relationship]


class OrientedBox(ToolModel):
    """Centre, extents (m) along the box's axes, and these axes one after the other."""

    centroid: Position
    axesLengths: Extents
    normalizedAxes: BoxAxes


class SegmentGroup(ToolModel):
    """A segmented object of ``semseg.v2.json``."""

    objectId: ScanId
    label: Name
    obb: OrientedBox


class Segmentation(ToolModel):
    """``semseg.v2.json`` of one scan."""

    scan_id: Name
    segGroups: list[SegmentGroup]


SKEW = 0.02  # Greatest deviation of the axes of a box from unit vectors at right angles


def place_boxes(boxes: Sequence[OrientedBox]) -> list[tuple[Pose, Vector | None]]:
    """Return pose and extents (m) of boxes, with their most upright axis as z.

    Without extents if the axes are not perpendicular: then only the centre is known.
    """
    axes = np.array([box.normalizedAxes for box in boxes], dtype=np.float64).reshape(-1, 3, 3)
    skew = np.abs(axes @ axes.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    usable = skew <= SKEW
    axes[~usable] = np.eye(3)
    axes, order = raise_upright_axes(axes)
    placed: list[tuple[Pose, Vector | None]] = []
    rows = zip(boxes, to_quaternions(axes).tolist(), order.tolist(), usable.tolist(), strict=True)
    for box, (a, b, c, w), (x, y, z), is_usable in rows:
        if is_usable:
            lengths = box.axesLengths
            placed.append((Pose(box.centroid, (a, b, c, w)), (lengths[x], lengths[y], lengths[z])))
        else:
            placed.append((Pose(box.centroid), None))
    return placed


PLACING: Mapping[str, str] = {
    "standing on": "on",
    "lying on": "on",
    "on": "on",
    "standing in": "inside",
    "lying in": "inside",
    "inside": "inside",
    "in": "inside",
    "supported by": "on",
}
"""Predicates of place, the most certain first, and our word for them."""

_OURS = frozenset({"on", "inside", "in_room", "at", "connected", "holding"})
_ODD = re.compile(r"\W+")
_RANK = {word: rank for rank, word in enumerate(PLACING)}


def is_three_dssg(file: SceneFile) -> bool:
    """Return True if the document lists scans with objects or relationships."""
    scans = file.document.get("scans") if isinstance(file.document, dict) else None
    keys = keys_of_first(scans) if isinstance(scans, list) else frozenset()
    return "scan" in keys and bool({"objects", "relationships"} & keys)


def read_three_dssg(file: SceneFile) -> SceneGraph:
    """Read the scan that the file's fragment names (the only one needs no name)."""
    return _ScanReader(file).build()


class _ScanReader:
    """A scan, put together from its files and converted to a graph."""

    def __init__(self, file: SceneFile) -> None:
        self._file = file
        self._notes: list[str] = []
        entry = _find_scan(file, file.fragment)
        self._name = _require_name(entry)
        self._things = self._read_things(entry)
        self._ids: PlainIds = assign_ids((thing.id, thing.label) for thing in self._things)
        self._relationships = self._read_relationships(entry)
        self._boxes = self._read_boxes()

    def build(self) -> SceneGraph:
        nodes = [self._build_node(thing) for thing in self._things]
        relations = self._build_relations()
        notes = (*self._ids.notes, *self._notes)
        return build_source_graph(nodes, relations, source=self._file.name, notes=notes)

    def _read_things(self, entry: Mapping[str, Any]) -> list[ScanObject]:
        listed = entry.get("objects")
        source = self._file.name
        if listed is None:
            beside = self._open_companion("relationships", "objects")
            if beside is None:
                raise SceneError(
                    "it has relationships only, and no file of objects lies beside it",
                    source=source,
                    advice="Put objects.json of 3DSSG into the same folder.",
                )
            source = beside.name
            listed = _find_scan(beside, self._name).get("objects")
        if isinstance(listed, dict):  # the subset: label by id
            listed = [{"id": id_, "label": label} for id_, label in listed.items()]
        count = len(listed) if isinstance(listed, list) else 0
        self._file.limits.check_nodes(count, self._file.name)
        return validate(ScanObjects, {"objects": listed}, source).objects

    def _read_relationships(self, entry: Mapping[str, Any]) -> list[Relationship]:
        found, source = entry.get("relationships"), self._file.name
        if found is None:
            beside = self._open_companion("objects", "relationships")
            if beside is None:
                self._notes.append("no file of relationships lies beside it")
                return []
            source = beside.name
            found = _find_scan(beside, self._name).get("relationships", [])
        entries = {"relationships": found}
        relationships = validate(Relationships, entries, source).relationships
        _check_predicates(relationships, source)
        for subject, object_, _, word in relationships:
            for number in (subject, object_):
                if number not in self._ids:
                    raise SceneError(
                        f"the relationship names object {number}, which the scan does not have",
                        source=source,
                        element=f"{subject} {word} {object_}",
                    )
        return relationships

    def _open_companion(self, word: str, other: str) -> SceneFile | None:
        """Open the file beside this one whose name has another word in the same place."""
        head, found, tail = self._file.path.name.rpartition(word)
        name = f"{head}{other}{tail}" if found else f"{other}.json"
        if name == self._file.path.name or not (self._file.path.parent / name).exists():
            return None
        return self._file.open_beside(name)

    def _read_boxes(self) -> dict[int, tuple[Pose, Vector | None]]:
        prefix = re.split(r"objects|relationships", self._file.path.name)[0]
        for name in (f"{self._name}/semseg.v2.json", f"{prefix}semseg.v2.json"):
            if not (self._file.path.parent / name).exists():
                continue
            beside = self._file.open_beside(name)
            boxes = validate(Segmentation, beside.document, beside.name)
            if boxes.scan_id == self._name:
                return self._match_boxes(boxes, beside.name)
        self._notes.append("no semseg.v2.json of this scan lies beside it: all boxes are unknown")
        return {}

    def _match_boxes(
        self, segmentation: Segmentation, source: str
    ) -> dict[int, tuple[Pose, Vector | None]]:
        labels = {thing.id: thing.label for thing in self._things}
        boxes: dict[int, OrientedBox] = {}
        renamed = []
        for group in segmentation.segGroups:
            if group.objectId in boxes:
                raise SceneError(
                    "this object has two boxes", source=source, element=str(group.objectId)
                )
            boxes[group.objectId] = group.obb
            label = labels.get(group.objectId, group.label)
            if label != group.label:
                renamed.append(f"{self._ids[group.objectId]} ({group.label})")
        missing = [self._ids[id_] for id_ in labels if id_ not in boxes]
        for names, what in (
            (renamed, "have another label in semseg.v2.json, which is not used"),
            (missing, "have no box in semseg.v2.json: their place is unknown"),
        ):
            if names:
                self._notes.append(f"{len(names)} objects {what}: {list_names(names)}")
        return dict(zip(boxes, place_boxes(list(boxes.values())), strict=True))

    def _build_node(self, thing: ScanObject) -> SceneNode:
        id_ = self._ids[thing.id]
        pose, size = None, None
        if thing.id in self._boxes:
            pose, size = self._boxes[thing.id]
            if size is None:
                self._notes.append(f"the axes of {id_}'s box are not perpendicular: left out")
        attributes = {**self._ids.attributes(thing.id), **_read_attributes(thing)}
        return SceneNode(id_, Layer.OBJECT, thing.label, pose, size, attributes=attributes)

    def _build_relations(self) -> list[SceneRelation]:
        """Return ``on`` and ``inside`` once for each thing; everything else by its own name."""
        best: dict[int, tuple[int, int]] = {}
        for order, (subject, _, _, word) in enumerate(self._relationships):
            if word in _RANK:
                best[subject] = min(best.get(subject, (len(_RANK), 0)), (_RANK[word], order))
        chosen = {order for _, order in best.values()}
        found: dict[tuple[str, tuple[str, str]], None] = {}
        aside = []
        for order, (subject, object_, _, word) in enumerate(self._relationships):
            legs = (self._ids[subject], self._ids[object_])
            if order in chosen:
                found[PLACING[word], legs] = None
            elif word != "none":
                found[_to_relation_name(word), legs] = None
                if word in _RANK and self._differs(order, best[subject][1]):
                    aside.append(f"{legs[0]} ({word} {legs[1]})")
        if aside:
            self._notes.append(
                f"further places are kept under their own names: {list_names(aside)}"
            )
        return [SceneRelation(name, legs) for name, legs in found]

    def _differs(self, one: int, other: int) -> bool:
        return self._relationships[one][1] != self._relationships[other][1]


def _find_scan(file: SceneFile, name: str) -> Mapping[str, Any]:
    """Find the scan of a file by the name ``<scan>`` or, in the subset, ``<scan>/<split>``."""
    document = file.document if isinstance(file.document, dict) else {}
    scans = document.get("scans")
    if not isinstance(scans, list) or not all(isinstance(scan, dict) for scan in scans):
        problem = file.problem or "it has no list of scans"
        raise SceneError(problem, source=file.name)
    named = {f"{scan.get('scan')}/{scan.get('split')}": scan for scan in scans}
    plain = [scan for scan in scans if scan.get("scan") == name]
    found = [named[name]] if name in named else plain if name else scans
    if len(found) == 1:
        entry: Mapping[str, Any] = found[0]
        return entry
    names = [str(scan.get("scan")) for scan in scans]
    example = next(iter(named)) if len(found) > 1 and name else names[0]
    asked = f"there is no scan {name!r}" if name and not found else f"it holds {len(scans)} scans"
    raise SceneError(
        asked if not plain else f"it holds {len(plain)} parts of the scan {name!r}",
        source=str(file.path),
        advice=f"Name one of {list_names(sorted(set(names)))}, for example: {file.path}#{example}.",
    )


def _require_name(entry: Mapping[str, Any]) -> str:
    name = entry.get("scan")
    if not isinstance(name, str) or not name:
        raise SceneError("the scan has no name")
    return name


def _check_predicates(relationships: Iterable[Relationship], source: str) -> None:
    """Raise SceneError if a number stands for two predicates: then one of them is damaged."""
    words: dict[int, str] = {}
    for _, _, number, word in relationships:
        if words.setdefault(number, word) != word:
            raise SceneError(
                f"predicate {number} is both {words[number]!r} and {word!r}", source=source
            )


def _to_relation_name(word: str) -> str:
    """Convert ``same symmetry as`` to ``same_symmetry_as``, never a name with a meaning of ours."""
    name = _ODD.sub("_", word.lower()).strip("_") or "related"
    return f"stated_{name}" if name in _OURS else name


def _read_attributes(thing: ScanObject) -> dict[str, AttributeValue]:
    """Join the words of each kind, and read ``is_open`` from the state."""
    words = {**thing.attributes, "affordances": thing.affordances}
    found: dict[str, AttributeValue] = {
        kind: ", ".join(values) for kind, values in words.items() if values
    }
    state = set(thing.attributes.get("state", ()))
    if len(state & {"open", "closed"}) == 1:
        found["is_open"] = "open" in state
    return found
