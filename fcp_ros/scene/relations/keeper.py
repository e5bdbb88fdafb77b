# SPDX-License-Identifier: Apache-2.0
"""Keeps the derived relations of a scene up to date while the scene changes."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, delta_between
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.complete import complete_relations
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions


@dataclass(frozen=True)
class Advance:
    """How the last change was worked in.

    Attributes:
        full: Whether everything was derived anew instead of the neighbourhood alone.
        reason: Why, where it was.
        touched: How many things had their relations derived anew.
    """

    full: bool = False
    reason: str = ""
    touched: int = 0


class RelationKeeper:
    """A completed graph that follows changes.

    Args:
        graph: Any valid graph with at least one node; it is completed.
        options: What to derive.
    """

    def __init__(self, graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> None:
        self.options = options
        self._graph = complete_relations(graph, options)
        self.last = Advance(full=True, reason="the first graph", touched=len(graph.nodes))

    @property
    def graph(self) -> SceneGraph:
        """The completed graph after all changes so far."""
        return self._graph

    def advance(self, delta: SceneDelta) -> SceneDelta:
        """Work in a change of nodes and given relations.

        Args:
            delta: The change against ``graph``, with its next sequence number.

        Returns:
            The delta from the completed graph before to the completed graph after: the change
            itself and all relations (and floors, passages, ...) that follow from it. Applying it
            gives what ``complete_relations(apply_delta(graph, delta))`` gives.

        Raises:
            SequenceGap, SceneError: As ``apply_delta``; the keeper then stays as it was.
        """
        after = complete_relations(apply_delta(self._graph, delta), self.options)
        whole = delta_between(self._graph, after)
        self._graph = after
        self.last = Advance(full=True, reason="not yet incremental", touched=len(after.nodes))
        return whole
