# SPDX-License-Identifier: Apache-2.0
"""The change that an update made to the scene, as followers of the scene get it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.graph.graph import SceneGraph


class UpdateStatus(str, Enum):
    """The outcome of an update."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    IGNORED = "ignored"
    NEED_FULL = "need_full"


@dataclass(frozen=True)
class Renaming:
    """A new name of an element at its source."""

    id: str
    before: str
    after: str


@dataclass(frozen=True)
class SceneChange:
    """The change that one update made."""

    # APPLIED; UNCHANGED (taken, but without anything new); IGNORED (late, or a duplicate);
    # NEED_FULL (updates were missed: ask the source for a full one)
    status: UpdateStatus
    before: SceneGraph | None  # The graph before; None if there was none
    after: SceneGraph | None  # The graph now; None if there still is none
    delta: SceneDelta  # Leads from ``before`` to ``after``; from the empty graph if there was none
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # Ids of nodes that are gone
    moved: tuple[str, ...] = ()  # Ids of nodes with a changed pose
    altered: tuple[str, ...] = ()  # Ids of nodes with any other change
    renamed: tuple[Renaming, ...] = ()  # Elements with a new name at their source
    ambiguous: tuple[str, ...] = ()  # Ids of new nodes that may be one of several that are gone
    reason: str = ""  # The reason why an update was not taken, a clause

    @property
    def changed(self) -> tuple[str, ...]:
        """Ids of all nodes that are new, gone, or changed in themselves or in a relation."""
        ids = dict.fromkeys((*self.added, *self.removed, *self.moved, *self.altered))
        for relation in (*self.delta.added, *self.delta.dropped):
            ids.update(dict.fromkeys(relation.elements))
        if self.before is not None:
            for id_ in self.delta.removed:
                for relation in self.before.relations_of(id_):
                    ids.update(dict.fromkeys(relation.elements))
        return tuple(ids)


def describe_change(
    before: SceneGraph | None,
    after: SceneGraph,
    delta: SceneDelta,
    renamed: tuple[Renaming, ...] = (),
    ambiguous: tuple[str, ...] = (),
) -> SceneChange:
    """Describe a delta as a change: which nodes are new, moved or altered."""
    added, moved, altered = [], [], []
    for node in delta.upserted:
        older = None if before is None else before.nodes.get(node.id)
        if older is None:
            added.append(node.id)
            continue
        if older.pose != node.pose:
            moved.append(node.id)
        if older.size != node.size or not have_same_properties(older, node):
            altered.append(node.id)
    if before is not None:  # children of removed nodes lose a parent
        known = {*altered, *moved, *added, *delta.removed}
        orphans = dict.fromkeys(id_ for gone in delta.removed for id_ in before.children_of(gone))
        altered += [id_ for id_ in orphans if id_ not in known and id_ in after.nodes]
    empty = delta.is_empty and before is not None and not renamed
    status = UpdateStatus.UNCHANGED if empty else UpdateStatus.APPLIED
    return SceneChange(
        status,
        before,
        after,
        delta,
        tuple(added),
        delta.removed,
        tuple(moved),
        tuple(altered),
        renamed,
        ambiguous,
    )


def have_same_properties(one: SceneNode, other: SceneNode) -> bool:
    """Return True if two nodes agree in all but id, pose and size."""
    return (
        one.layer is other.layer
        and one.category == other.category
        and one.parents == other.parents
        and one.attributes == other.attributes
        and one.polygon == other.polygon
        and one.height == other.height
    )
