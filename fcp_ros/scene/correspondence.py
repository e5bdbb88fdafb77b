# SPDX-License-Identifier: Apache-2.0
"""The correspondence of two scenes: pairs of nodes that are the same things, whatever their ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

REACH = 0.5
"""Greatest distance (m) that a thing may have moved and still be recognised by its place."""


def match_scenes(
    before: SceneGraph,
    after: SceneGraph,
    reach: float = REACH,
    type_of: Callable[[SceneNode], str] | None = None,
) -> dict[str, str]:
    """Pair the nodes of two scenes that are the same things.

    Nodes with the same id, layer and category are pairs. Of the others, those of one layer and
    category are paired so that most find a partner within reach, and then with the least sum of
    distances. A thing without a position, or farther away, is paired only if it is the last of its
    kind in both scenes. The remaining things are paired by type in the same way.

    Args:
        before: The first scene.
        after: The second scene, in the same frame.
        reach: Greatest distance (m) that a thing may have moved.
        type_of: Type of a node, which things with different categories may share ("sofa" and
            "couch"); None to go by category alone.

    Returns:
        Id in ``after`` -> id in ``before``.
    """
    pairs = {
        id_: id_
        for id_, node in after.nodes.items()
        if id_ in before.nodes and _category(node) == _category(before.nodes[id_])
    }
    for kind in (_category, type_of):
        if kind is not None:
            taken = set(pairs.values())
            ours = _group_by_kind((n for n in before.nodes.values() if n.id not in taken), kind)
            theirs = _group_by_kind((n for n in after.nodes.values() if n.id not in pairs), kind)
            for key, mine in ours.items():
                pairs.update(_pair_kind(mine, theirs.get(key, []), reach))
    return pairs


def _category(node: SceneNode) -> str:
    return normalise_label(node.category)


def _group_by_kind(
    nodes: Iterable[SceneNode], kind: Callable[[SceneNode], str]
) -> dict[tuple[Layer, str], list[SceneNode]]:
    kinds: dict[tuple[Layer, str], list[SceneNode]] = defaultdict(list)
    for node in nodes:
        kinds[node.layer, kind(node)].append(node)
    return kinds


def _pair_kind(
    mine: Sequence[SceneNode], others: Sequence[SceneNode], reach: float
) -> dict[str, str]:
    """Pair things of one kind."""
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


def _positions(nodes: Sequence[SceneNode]) -> NDArray[np.float64]:
    return np.array([node.pose.position for node in nodes if node.pose is not None])
