# SPDX-License-Identifier: Apache-2.0
"""Maintenance of ``connected`` for the doors that no given relation names."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.scene.graph.elements import RelationKey, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door
from fcp_ros.scene.relations.conditions.room_finder import RoomFinder
from fcp_ros.scene.relations.given import is_kept
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.passages import relate_doors


class DoorMaintainer:
    """The rooms that doors join, while doors come, go and move between rooms that stay.

    Args:
        graph: The initial completed graph.
        finder: Its rooms.
        options: Greatest distance of a door from its rooms.

    Attributes:
        named: Passages that given relations name.
    """

    def __init__(self, graph: SceneGraph, finder: RoomFinder, options: RelationOptions) -> None:
        self._finder = finder
        self._options = options
        self.named = {
            relation.elements[2]
            for relation in graph.relations_named("connected")
            if len(relation.elements) == 3 and is_kept(relation, options.derived)
        }

    def update(
        self, before: SceneGraph, raw: SceneGraph, ids: Iterable[str]
    ) -> dict[RelationKey, SceneRelation | None]:
        """Derive ``connected`` again for the doors among some nodes.

        Args:
            before: The completed graph before a change.
            raw: The graph with the change, before anything is derived.
            ids: Nodes that changed; they may be doors, have been doors, or be gone.

        Returns:
            The relations by key; None for one that no longer holds.
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
        for relations in relate_doors(doors, raw.nodes, self._finder, self._options).values():
            after.update((relation.key, relation) for relation in relations)
        return after
