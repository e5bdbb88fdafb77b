# SPDX-License-Identifier: Apache-2.0
"""What an update did to the scene: the value that everybody who follows the scene gets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.graph import SceneGraph


class UpdateStatus(str, Enum):
    """What became of an update."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    IGNORED = "ignored"
    NEED_FULL = "need_full"


@dataclass(frozen=True)
class Renaming:
    """An element that its source calls otherwise now.

    Attributes:
        id: Our id, which stays.
        before: What the source called it.
        after: What the source calls it now.
    """

    id: str
    before: str
    after: str


@dataclass(frozen=True)
class SceneChange:
    """What one update did.

    Attributes:
        status: APPLIED; UNCHANGED (it was taken, but said nothing new); IGNORED (late, or a
            duplicate); NEED_FULL (updates were missed: ask the source for a full one).
        before: The graph before; None where there was none.
        after: The graph now; None where there still is none.
        delta: Leads from ``before`` to ``after``; from the empty graph where there was none.
        added: Ids of new nodes.
        removed: Ids of nodes that are gone.
        moved: Ids of nodes with another pose.
        altered: Ids of nodes of which something else is another.
        renamed: Elements that the source calls otherwise now.
        ambiguous: Ids of new nodes that might be one of several that are gone.
        reason: Why an update was not taken, a clause.
    """

    status: UpdateStatus
    before: SceneGraph | None
    after: SceneGraph | None
    delta: SceneDelta
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    renamed: tuple[Renaming, ...] = ()
    ambiguous: tuple[str, ...] = ()
    reason: str = ""

    @property
    def changed(self) -> tuple[str, ...]:
        """Ids of all that is new, gone, or changed in itself or in a relation; each once."""
        ids = dict.fromkeys((*self.added, *self.removed, *self.moved, *self.altered))
        for relation in (*self.delta.added, *self.delta.dropped):
            ids.update(dict.fromkeys(relation.elements))
        if self.before is not None:
            for id_ in self.delta.removed:
                for relation in self.before.relations_of(id_):
                    ids.update(dict.fromkeys(relation.elements))
        return tuple(ids)


def change_of(
    before: SceneGraph | None,
    after: SceneGraph,
    delta: SceneDelta,
    renamed: tuple[Renaming, ...] = (),
    ambiguous: tuple[str, ...] = (),
) -> SceneChange:
    """The change that a delta is."""
    added, moved, altered = [], [], []
    for node in delta.upserted:
        older = None if before is None else before.nodes.get(node.id)
        if older is None:
            added.append(node.id)
            continue
        if older.pose != node.pose:
            moved.append(node.id)
        if _without_pose(older) != _without_pose(node):
            altered.append(node.id)
    if before is not None:  # the children of what is gone have a parent less
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


def _without_pose(node: object) -> tuple[object, ...]:
    names = ("layer", "category", "size", "polygon", "height", "attributes", "parents")
    return tuple([getattr(node, name) for name in names])
