# SPDX-License-Identifier: Apache-2.0
"""Updates for a live scene_graph node, and the counters in its diagnostics."""

from __future__ import annotations

from std_msgs.msg import Header

from fcp_ros.msg import SceneGraphUpdate, SceneRelations
from fcp_ros.nodes.conversions.scene import SceneUpdate, delta_to_ros, graph_from_ros, update_to_ros
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


def full_update_to_ros(graph: SceneGraph, stamp) -> SceneGraphUpdate:
    """A whole graph as an update."""
    whole = SceneDelta(graph.sequence, tuple(graph.nodes.values()), added=graph.relations)
    return update_to_ros(SceneUpdate(stamp, graph.frame_id, True, whole))


def move_mug(scene) -> SceneDelta:
    """The mug goes from the table to the counter."""
    return SceneDelta(
        sequence=scene.sequence_number + 1,
        added=(SceneRelation("on", ("mug_1", "counter_1")),),
        dropped=(SceneRelation("on", ("mug_1", "table_1")),),
    )


def at_the_counter(scene, source: str, number: int, *, full: bool = False) -> SceneGraphUpdate:
    """An update of a named source that says what `move_mug` says."""
    update = delta_to_ros(move_mug(scene), "map", Header().stamp)
    update.source, update.sequence_number, update.full_update = source, number, full
    if full:
        moved = apply_delta(graph_from_ros(scene), move_mug(scene))
        whole = full_update_to_ros(moved, Header().stamp)
        update.nodes, update.relations = whole.nodes, whole.relations
        update.removed_relations = SceneRelations()
    return update


def seen(stack, key):
    return stack.nodes["scene_graph"].diagnose().values[key]


def refusals(stack) -> int:
    return stack.nodes["scene_graph"].diagnose().values["refused_updates"]
