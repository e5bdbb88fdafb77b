# SPDX-License-Identifier: Apache-2.0
"""Matching of nodes, new ones with those that are known or gone.

`associate` is for a scene that a robot sees change: it pairs what is certain and says what is
ambiguous. `match_scenes` is for two whole scenes: it pairs as many things as it can.
"""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import find_free_name
from fcp_ros.scene.graph.delta import Renaming, have_same_properties
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import measure_turn

_LARGEST = 64
"""Greatest size of a group of candidates that is resolved: so many like things so close together
cannot be told apart by their places. (The assignment takes cubic time.)"""

_EQUAL = 1e-9


def _label(node: SceneNode) -> str:
    return normalise_label(node.category)


def _group_by_kind(
    nodes: Iterable[SceneNode], kind: Callable[[SceneNode], str]
) -> dict[tuple[Layer, str], list[SceneNode]]:
    kinds: dict[tuple[Layer, str], list[SceneNode]] = defaultdict(list)
    for node in nodes:
        kinds[node.layer, kind(node)].append(node)
    return kinds


def _positions(nodes: Sequence[SceneNode]) -> NDArray[np.float64]:
    return np.array([node.pose.position for node in nodes if node.pose is not None])


# --- a scene that changes: certain pairs only ---


@dataclass(frozen=True)
class AssociationOptions:
    """Tolerances for two nodes that may be the same thing."""

    gate: float = 0.5  # Greatest distance (m) between the two positions
    # Least difference (m) in total distance between the chosen pairs and any other pairing of the
    # same things; with less, the things stay unpaired
    margin: float = 0.05
    # Greatest difference of two extents, as a share of the larger one; 5 cm is allowed always
    size: float = 0.3


@dataclass(frozen=True)
class Association:
    """Pairs of things that are the same."""

    pairs: Mapping[str, str]  # Id of a new thing -> id of the removed thing
    ambiguous: tuple[str, ...] = ()  # Ids of new things that may be one of several


def associate(
    went: Iterable[SceneNode],
    came: Iterable[SceneNode],
    options: AssociationOptions = AssociationOptions(),
) -> Association:
    """Pair things that went with things that came, one to one.

    Only things of one layer and category, with positions within the gate and sizes that agree, are
    candidates. In each connected group of candidates, the sum of distances is minimised, where an
    unpaired thing counts as the gate. A pair is kept only if without it the best sum would be worse
    by the margin: ambiguous things are not guessed.
    """
    ours, theirs = (
        _group_by_kind((n for n in nodes if n.pose is not None), _label) for nodes in (went, came)
    )
    pairs: dict[str, str] = {}
    ambiguous: list[str] = []
    for kind, others in theirs.items():
        if kind not in ours:
            continue
        for rows, columns, costs in _find_groups(ours[kind], others, options):
            if max(costs.shape) > _LARGEST:
                ambiguous += [node.id for node in columns]
                continue
            best = _assign(costs, options.gate)
            for row, column in best:
                if _is_unambiguous((row, column), best, costs, options):
                    pairs[columns[column].id] = rows[row].id
                else:
                    ambiguous.append(columns[column].id)
    return Association(pairs, tuple(ambiguous))


_Group = tuple[list[SceneNode], list[SceneNode], NDArray[np.float64]]


def _find_groups(
    ours: Sequence[SceneNode], theirs: Sequence[SceneNode], options: AssociationOptions
) -> Iterator[_Group]:
    """Yield connected groups of candidates, with their distances (inf: not a candidate)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    tree = cKDTree(_positions(ours))
    near = cKDTree(_positions(theirs)).sparse_distance_matrix(
        tree, options.gate, output_type="ndarray"
    )
    links = [
        (int(column), int(row), float(distance))
        for column, row, distance in near
        if _sizes_agree(ours[row], theirs[column], options)
    ]
    if not links:
        return
    count = len(ours) + len(theirs)
    rows = [row for _, row, _ in links]
    columns = [len(ours) + column for column, _, _ in links]
    graph = coo_matrix((np.ones(len(links)), (rows, columns)), (count, count))
    _, labels = connected_components(graph, directed=False)
    grouped: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
    for link in links:
        grouped[int(labels[link[1]])].append(link)
    for group in grouped.values():
        row_of = {row: at for at, row in enumerate(sorted({row for _, row, _ in group}))}
        column_of = {c: at for at, c in enumerate(sorted({column for column, _, _ in group}))}
        costs = np.full((len(row_of), len(column_of)), np.inf)
        for column, row, distance in group:
            costs[row_of[row], column_of[column]] = distance
        yield [ours[row] for row in row_of], [theirs[column] for column in column_of], costs


def _sizes_agree(one: SceneNode, other: SceneNode, options: AssociationOptions) -> bool:
    if one.size is None or other.size is None:
        return True
    return all(
        abs(a - b) <= max(0.05, options.size * max(a, b))
        for a, b in zip(sorted(one.size), sorted(other.size), strict=True)
    )


def _is_unambiguous(
    pair: tuple[int, int],
    best: Sequence[tuple[int, int]],
    costs: NDArray[np.float64],
    options: AssociationOptions,
) -> bool:
    """Return True if the best assignment without a pair would be worse by the margin."""
    if costs.shape == (1, 1):
        return True
    without = costs.copy()
    without[pair] = np.inf
    second = _total_cost(without, _assign(without, options.gate), options.gate)
    # For a pair just within the gate, no alternative is worse by more than staying unpaired.
    enough = min(options.margin, options.gate - float(costs[pair]))
    return second - _total_cost(costs, best, options.gate) >= enough - _EQUAL


def _assign(costs: NDArray[np.float64], gate: float) -> list[tuple[int, int]]:
    """Find the assignment of least cost, where an unpaired row costs the gate."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = costs.shape
    large = (gate + 1.0) * (rows + columns + 1)
    alone = np.full((rows, rows), large)
    np.fill_diagonal(alone, gate)
    table = np.hstack([np.where(np.isinf(costs), large, costs), alone])
    found = zip(*linear_sum_assignment(table), strict=True)
    return [
        (int(row), int(column))
        for row, column in found
        if column < columns and not math.isinf(costs[row, column])
    ]


def _total_cost(costs: NDArray[np.float64], pairs: Sequence[tuple[int, int]], gate: float) -> float:
    alone: int = costs.shape[0] - len(pairs)
    return sum(float(costs[pair]) for pair in pairs) + gate * alone


# --- two whole scenes: as many pairs as possible ---

REACH = 0.5
"""Greatest distance (m) that a thing may have moved and still be recognised by its place."""


def match_scenes(
    before: SceneGraph,
    after: SceneGraph,
    reach: float = REACH,
    type_of: Callable[[SceneNode], str] | None = None,
) -> dict[str, str]:
    """Pair the nodes of two scenes in one frame that are the same things: our id by the later one.

    Nodes with the same id, layer and category are pairs. Of the others, those of one layer and
    category are paired so that most find a partner within ``reach`` (m), and then with the least
    sum of distances. A thing without a position, or farther away, is paired only if it is the last
    of its kind in both scenes. The remaining things are paired by ``type_of``, which things of
    different categories may share ("sofa" and "couch"), in the same way.
    """
    pairs = {
        id_: id_
        for id_, node in after.nodes.items()
        if id_ in before.nodes and _label(node) == _label(before.nodes[id_])
    }
    for kind in (_label, type_of):
        if kind is not None:
            taken = set(pairs.values())
            ours = _group_by_kind((n for n in before.nodes.values() if n.id not in taken), kind)
            theirs = _group_by_kind((n for n in after.nodes.values() if n.id not in pairs), kind)
            for key, mine in ours.items():
                pairs.update(_pair_kind(mine, theirs.get(key, []), reach))
    return pairs


def _pair_kind(
    mine: Sequence[SceneNode], others: Sequence[SceneNode], reach: float
) -> dict[str, str]:
    found = _pair_nearest(mine, others, reach)
    taken = set(found.values())
    left_mine = [node for node in mine if node.id not in taken]
    left_others = [node for node in others if node.id not in found]
    if len(left_mine) == len(left_others) == 1:
        found[left_others[0].id] = left_mine[0].id
    return found


def _pair_nearest(
    mine: Sequence[SceneNode], others: Sequence[SceneNode], reach: float
) -> dict[str, str]:
    """Find the best pairs within reach: as many as possible, then the nearest."""
    # Slow to import; the command line starts without it.
    from scipy.sparse import coo_matrix, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching
    from scipy.spatial import cKDTree

    mine = [node for node in mine if node.pose is not None]
    others = [node for node in others if node.pose is not None]
    if not mine or not others:
        return {}
    tree = cKDTree(_positions(mine))
    near = tree.sparse_distance_matrix(cKDTree(_positions(others)), reach, output_type="coo_matrix")
    # One more column for each row: to stay alone, which costs more than all pairs together. All
    # costs are raised by 1, since a sparse matrix takes a cost of 0 as no edge.
    rows = np.arange(len(mine))
    alone = coo_matrix(
        (np.full(len(mine), 2.0 + reach * len(mine)), (rows, rows)), (len(mine), len(mine))
    )
    pairs = coo_matrix((near.data + 1.0, (near.row, near.col)), (len(mine), len(others)))
    chosen = min_weight_full_bipartite_matching(hstack([pairs, alone]).tocsr())
    return {
        others[column].id: mine[row].id
        for row, column in zip(*chosen, strict=True)
        if column < len(others)
    }


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
        return find_free_name(node.id, known.nodes, taken)
    there = known.nodes.get(wanted)
    if there is not None and wanted not in taken and _kind(there) == _kind(node):
        return wanted  # it has moved far, but nothing shows that it is another one
    return find_free_name(wanted, known.nodes, taken)


def _may_be_same(there: SceneNode, node: SceneNode, gate: float, trust: IdTrust) -> bool:
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
