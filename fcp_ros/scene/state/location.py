# SPDX-License-Identifier: Apache-2.0
"""Where each item lies, in the words of a schema: in one place that its types allow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fcp_ros.scene.graph.graph import Layer, SceneGraph
from fcp_ros.scene.graph.labels import normalise_label
from fcp_ros.scene.relations.draft import listed
from fcp_ros.scene.state.tuples import TupleWriter

_OTHER = {"inside": "on", "on": "inside"}


class ItemLocations:
    """Chooses one of ``on`` and ``inside`` for each item and writes it.

    Args:
        graph: A completed scene.
        writer: Where the tuples go.
    """

    def __init__(self, graph: SceneGraph, writer: TupleWriter) -> None:
        self._graph = graph
        self._writer = writer
        self._holders: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in ("inside", "on"):  # this order: a container must be opened first
            for relation in graph.related(name):
                if len(relation.elements) == 2:
                    self._holders[relation.elements[0]].append((name, relation.elements[1]))
        self._room_of = {r.elements[0]: r.elements[1] for r in graph.related("in_room")}
        self._floor_of = {
            parent: node.id
            for node in graph.in_layer(Layer.OBJECT)
            if normalise_label(node.category) == "floor"
            for parent in node.parents
        }

    def write(self) -> list[str]:
        """Write the location of every item; notes on those that were changed or are unknown."""
        held = {r.elements[1] for r in self._graph.related("holding") if len(r.elements) == 2}
        changed, lost = [], []
        for id_ in self._writer.types:
            is_item = self._writer.admits("on", 0, id_) or self._writer.admits("inside", 0, id_)
            if not is_item or id_ in held:
                continue
            found = next(self._options(id_), None)
            if found is None:
                lost.append(id_)
                continue
            name, holder = found
            self._writer.write(name, (id_, holder))
            given = self._holders.get(id_)
            if given and (name, holder) not in given:
                changed.append(f"{given[0][0]}({id_}, {given[0][1]}) as {name}({id_}, {holder})")
        notes = []
        if changed:
            notes.append(f"read otherwise, to fit the domain's types: {listed(changed)}")
        if lost:
            notes.append(f"it is not known where these lie: {listed(lost)}")
        return notes

    def _options(self, item: str) -> Iterator[tuple[str, str]]:
        """Places that fit, best first: as stated, as the other relation, further down, floor."""
        seen = {item}
        holders = list(self._holders.get(item, ()))
        while holders:
            for name, holder in holders:
                if self._writer.fits(name, (item, holder)):
                    yield name, holder
            for name, holder in holders:
                if self._writer.fits(_OTHER[name], (item, holder)):
                    yield _OTHER[name], holder
            below = [holder for _, holder in holders if holder not in seen]
            seen.update(below)
            holders = [
                further
                for holder in below
                for further in self._holders.get(holder, ())
                if further[1] != item
            ]
        floor = self._floor_of.get(self._room_of.get(item, ""))
        if floor is not None and self._writer.fits("on", (item, floor)):
            yield "on", floor
