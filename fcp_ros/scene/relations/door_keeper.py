# SPDX-License-Identifier: Apache-2.0
"""Keeps ``connected`` up to date for the doors that no given relation names."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door
from fcp_ros.scene.relations.changes import RelationKey
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.passages import door_relations
from fcp_ros.scene.relations.room_finder import RoomFinder
from fcp_ros.scene.relations.stated import is_kept


class DoorKeeper:
    """Which rooms doors join, while doors come, go and move between rooms that stay.

    Args:
        graph: The completed graph at first.
        finder: Its rooms.
        options: How far a door may be from its rooms.

    Attributes:
        named: Passages that given relations name: these say which rooms they join.
    """

    def __init__(self, graph: SceneGraph, finder: RoomFinder, options: RelationOptions) -> None:
        self._finder = finder
        self._options = options
        self.named = {
            relation.elements[2]
            for relation in graph.relations_named("connected")
            if len(relation.elements) == 3 and is_kept(relation, options.derived)
        }

    def relations_after(
        self, before: SceneGraph, raw: SceneGraph, ids: Iterable[str]
    ) -> dict[RelationKey, SceneRelation | None]:
        """``connected`` of the doors among some nodes by key; None for one that no longer holds.

        Args:
            before: The completed graph before a change.
            raw: The graph with the change, before anything is derived.
            ids: Nodes that changed; they may be doors, have been doors, or be gone.
        """
        after: dict[RelationKey, SceneRelation | None] = {}
        doors = []
        for id_ in ids:
            if id_ in self.named:
                continue
            for relation in before.relations_of(id_):
                if relation.name == "connected" and relation.elements[-1] == id_:
                    after[relation.key] = None
            node = raw.nodes.get(id_)
            if node is not None and is_door(node):
                doors.append(node)
        for relations in door_relations(doors, raw.nodes, self._finder, self._options).values():
            after.update((relation.key, relation) for relation in relations)
        return after
