# SPDX-License-Identifier: Apache-2.0
"""Nodes of two scenes that are the same things, by layer, category, place and size.

`associate` is for a scene that a robot sees change: it pairs what is certain and says what is
ambiguous. `match_scenes` is for two whole scenes: it pairs as many things as it can.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

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
