# SPDX-License-Identifier: Apache-2.0
"""The matching of an update's nodes with ours: by id, then by category, place and size."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import measure_turn
from fcp_ros.scene.node_matching import AssociationOptions, associate
from fcp_ros.scene.relations.draft_graph import choose_free_id
from fcp_ros.scene.scene_change import Renaming, have_same_properties

MOST_RETIRED = 10_000
"""Number of removed elements whose names are remembered, in case they come back."""


class IdentityMap:
    """Our ids for the ids of one source; equal ids take no space.

    It remembers ``most_retired`` removed elements.
    """

    def __init__(self, most_retired: int = MOST_RETIRED) -> None:
        self._most_retired = most_retired
        self._ours: dict[str, str] = {}
        self._theirs: dict[str, str] = {}
        self._retired: OrderedDict[str, str] = OrderedDict()

    def to_ours(self, theirs: str) -> str | None:
        """Return our id for a name at the source; None if the name has no meaning.

        An unknown name means the element of that id, unless that has another name at the source.
        """
        found = self._ours.get(theirs) or self._retired.get(theirs)
        if found is not None:
            return found
        return None if theirs in self._theirs else theirs

    def to_theirs(self, ours: str) -> str:
        """Return the name of our element at the source."""
        return self._theirs.get(ours, ours)

    def bind(self, ours: str, theirs: str) -> None:
        """Set the name of our element at the source."""
        self.forget(ours)
        if ours != theirs:
            self._ours[theirs] = ours
            self._theirs[ours] = theirs
        self._retired.pop(theirs, None)

    def forget(self, ours: str) -> None:
        """Remove the name of our element at the source."""
        theirs = self._theirs.pop(ours, None)
        if theirs is not None and self._ours.get(theirs) == ours:
            del self._ours[theirs]

    def retire(self, ids: Iterable[str]) -> None:
        """Remove elements that are gone; their names are remembered for a while."""
        for id_ in ids:
            theirs = self._theirs.get(id_)
            self.forget(id_)
            if theirs is not None:
                self._retired[theirs] = id_
                self._retired.move_to_end(theirs)
        while len(self._retired) > self._most_retired:
            self._retired.popitem(last=False)

    def __len__(self) -> int:
        return len(self._ours) + len(self._retired)


@dataclass(frozen=True)
class LiveOptions:
    """Tolerances of the comparison of updates with the graph."""

    # A thing at most this far (m) from its last published position, and whose extents differ by no
    # more, has not moved
    still: float = 0.01
    still_turn: float = 0.02  # The same for its orientation (rad)
    # Tolerances for things under different ids that may be the same
    association: AssociationOptions = field(default_factory=AssociationOptions)
    most_sources: int = 64  # Number of sources whose numbers and names are remembered


class IdTrust(Enum):
    """The trust in equal ids."""

    ALWAYS = "the same id is the same thing"
    UNLESS_ALL_DIFFERS = "unless both category and place are others"
    WITH_KIND_AND_PLACE = "only with the same category near the same place"


@dataclass(frozen=True)
class Matching:
    """The meaning of the ids of an update."""

    ours: Mapping[str, str]  # Our id for each id of a node in the update
    renamed: tuple[Renaming, ...] = ()  # Elements with a new name at the source
    ambiguous: tuple[str, ...] = ()  # Our ids of new nodes that may be one of several that are gone

    def translate_node(self, node: SceneNode) -> SceneNode:
        """Return a node with our ids."""
        ours = self.ours
        id_ = ours.get(node.id, node.id)
        if all(ours.get(parent, parent) == parent for parent in node.parents):
            return node if id_ == node.id else replace(node, id=id_)
        return replace(node, id=id_, parents=tuple([ours.get(p, p) for p in node.parents]))

    def translate_relation(self, relation: SceneRelation) -> SceneRelation:
        """Return a relation with our ids."""
        ours = self.ours
        if all(ours.get(element, element) == element for element in relation.elements):
            return relation
        return replace(relation, elements=tuple([ours.get(e, e) for e in relation.elements]))


def match_nodes(
    known: SceneGraph,
    nodes: Iterable[SceneNode],
    went: Iterable[str] | None,
    identity: IdentityMap,
    options: AssociationOptions,
    *,
    trust: IdTrust,
    same_frame: bool = True,
) -> Matching:
    """Find our ids for the nodes of an update.

    ``went`` are our ids of nodes that are gone; None for all that match no node of the update.
    ``same_frame``: positions can be compared.
    """
    ours: dict[str, str] = {}
    taken: set[str] = set()
    others: list[SceneNode] = []
    for node in nodes:
        id_ = identity.to_ours(node.id)
        there = None if id_ is None else known.nodes.get(id_)
        if id_ is None or there is None or id_ in taken:
            others.append(node)
        elif there is node or _may_be_same(there, node, options.gate, trust):
            ours[node.id] = id_
            taken.add(id_)
        else:
            others.append(node)
    if not others:
        return Matching(ours)
    renamed, ambiguous = [], []
    pairs: Mapping[str, str] = {}
    unsure: tuple[str, ...] = ()
    if same_frame:
        ids = (id_ for id_ in known.nodes if id_ not in taken) if went is None else went
        gone = [known.nodes[id_] for id_ in ids if id_ in known.nodes]
        found = associate(gone, others, options) if gone else None
        if found is not None:
            pairs, unsure = found.pairs, found.ambiguous
    for came, id_ in pairs.items():
        ours[came] = id_
        taken.add(id_)
        if identity.to_theirs(id_) != came:
            renamed.append(Renaming(id_, identity.to_theirs(id_), came))
    for node in others:
        if node.id not in pairs:
            ours[node.id] = _choose_id(node, known, taken, identity)
            taken.add(ours[node.id])
    ambiguous = [ours[id_] for id_ in unsure]
    return Matching(ours, tuple(renamed), tuple(ambiguous))


def _choose_id(node: SceneNode, known: SceneGraph, taken: set[str], identity: IdentityMap) -> str:
    """Choose our id for a node without match: the source's, unless another element has it."""
    wanted = identity.to_ours(node.id)
    if wanted is None:  # the former name of another element, which the source has renamed
        return choose_free_id(node.id, known.nodes, taken)
    there = known.nodes.get(wanted)
    if there is not None and wanted not in taken and _kind(there) == _kind(node):
        return wanted  # it has moved far, but nothing shows that it is another one
    return choose_free_id(wanted, known.nodes, taken)


def _may_be_same(there: SceneNode, node: SceneNode, gate: float, trust: IdTrust) -> bool:
    """Return True if a node of the same id may be the same thing."""
    if trust is IdTrust.ALWAYS:
        return True
    if there.layer is not node.layer:
        return False
    strict = trust is IdTrust.WITH_KIND_AND_PLACE
    if there.pose is None or node.pose is None:
        return not strict or _kind(there) == _kind(node)
    is_near = math.dist(there.pose.position, node.pose.position) <= gate
    if strict:
        return is_near and _kind(there) == _kind(node)
    return is_near or _kind(there) == _kind(node)


def _kind(node: SceneNode) -> tuple[str, str]:
    return node.layer.value, normalise_label(node.category)


def suppress_jitter(
    published: SceneNode | None, node: SceneNode, options: LiveOptions
) -> SceneNode:
    """Return a node with the published pose and size where they differ only by jitter.

    The comparison is always with the last published value, so slow motion shows as soon as its sum
    exceeds the threshold. If nothing else differs, this is the published node itself: most nodes of
    most full updates, and whatever follows skips them by identity.
    """
    if published is None or published is node:
        return node
    pose, size = node.pose, node.size
    if pose is not None and published.pose is not None and _is_still(published.pose, pose, options):
        pose = published.pose
    if size is not None and published.size is not None and size != published.size:
        off = max(abs(a - b) for a, b in zip(published.size, size, strict=True))
        size = published.size if off <= options.still else size
    if (
        pose is published.pose
        and size == published.size
        and node.id == published.id
        and have_same_properties(published, node)
    ):
        return published
    if pose is node.pose and size is node.size:
        return node
    return replace(node, pose=pose, size=size)


def _is_still(one: Pose, other: Pose, options: LiveOptions) -> bool:
    if math.dist(one.position, other.position) > options.still:
        return False
    if one.orientation == other.orientation:
        return True
    return measure_turn(one.orientation, other.orientation) <= options.still_turn
