# SPDX-License-Identifier: Apache-2.0
"""What the scene_graph node publishes for a change, without the node and in the obvious way."""

from __future__ import annotations

from dataclasses import dataclass, replace

from builtin_interfaces.msg import Time

from fcp_ros.nodes.conversions.scene import PublishedGraph, SceneUpdate
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, compute_delta
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class Step:
    """The graph after an update, and the change that leads there."""

    graph: PublishedGraph
    change: SceneUpdate


def whole_step(before: SceneGraph | None, after: SceneGraph, number: int, stamp: Time) -> Step:
    """A whole graph comes in the place of what was before.

    Arguments:
        before: the present graph, if there is one.
        after: the new one.
        number: that it gets.
        stamp: time of its newest observation.
    """
    after = after.with_sequence(number)
    if before is None or number != before.sequence + 1 or before.frame_id != after.frame_id:
        previous = 0 if before is None else before.sequence
        ids = dict.fromkeys((*(() if before is None else before.nodes), *after.nodes))
        whole = SceneDelta(number, tuple(after.nodes.values()), added=after.relations)
        change = SceneUpdate(stamp, after.frame_id, True, whole, after.source, previous, tuple(ids))
        return Step(PublishedGraph(stamp, after), change)
    return _step(compute_delta(before, after), after, stamp)


def delta_step(before: SceneGraph | None, delta: SceneDelta, stamp: Time) -> Step:
    """A change is applied.

    Raises:
        SceneError: it does not fit, or there is nothing to change.
    """
    if before is None:
        raise SceneError(
            "a delta came before any graph",
            source="scene_graph_update",
            advice="Send a full update first, or call load_scene.",
        )
    delta = replace(delta, sequence=before.sequence + 1)
    return _step(delta, apply_delta(before, delta), stamp)


def _step(delta: SceneDelta, after: SceneGraph, stamp: Time) -> Step:
    ids = dict.fromkeys((*(node.id for node in delta.upserted), *delta.removed))
    for relation in (*delta.added, *delta.dropped):
        ids.update(dict.fromkeys(relation.elements))
    previous = delta.sequence - 1
    change = SceneUpdate(stamp, after.frame_id, False, delta, after.source, previous, tuple(ids))
    return Step(PublishedGraph(stamp, after), change)
