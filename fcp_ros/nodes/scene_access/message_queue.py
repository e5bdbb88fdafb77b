# SPDX-License-Identifier: Apache-2.0
"""Following a scene graph that others hold: which messages fit together, and what they make.

Whole graphs (``scene_graph``, latched) and changes (``scene_changes``) come on two topics, in any
order between them. A change that follows the newest state is applied to it; after a gap, the next
whole graph is waited for. A whole graph that was overtaken by changes is left alone.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.nodes.conversions.scene_values import PublishedChange
from fcp_ros.nodes.conversions.scene_wire_glance import Glance
from fcp_ros.nodes.conversions.scene_wire_read import SceneReader
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.graph import SceneGraph

LONGEST_HISTORY = 4096
"""Changes whose elements are remembered."""
MOST_IDS = 200_000
"""Ids in all remembered changes together."""
MOST_WAITING = 64
"""Changes that wait before a whole graph replaces them."""
MOST_BYTES = 64 * 2**20
"""Bytes of waiting changes; beyond them, the next whole graph is waited for."""
MOST_NODES = 10_000_000
"""As many as the scene_graph node can be made to take."""


Steps = tuple[tuple[SceneDelta, SceneGraph], ...]
"""Changes that were applied one after the other, each with the graph after it."""


@dataclass(frozen=True, slots=True)
class _Step:
    previous: int
    stamp: tuple[int, int]
    changed: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that has not been applied yet: its bytes, and what they are."""

    data: bytes
    is_graph: bool
    is_whole: bool


class SceneQueue:
    """Messages in the order in which they are to be applied. Bounded; not thread-safe.

    Attributes:
        sequence: of the newest state; None before the first.
        gaps: how often a whole graph had to be waited for.
    """

    def __init__(self) -> None:
        self.sequence: int | None = None
        self.gaps = 0
        self._behind = False
        self._history: OrderedDict[int, _Step] = OrderedDict()
        self._ids = 0
        self._waiting: deque[Waiting] = deque()
        self._bytes = 0

    def take_graph(self, glance: Glance, data: bytes) -> bool:
        """A SceneGraph has come; whether the state is another one now."""
        return self._take_whole(glance, Waiting(data, is_graph=True, is_whole=True))

    def take_change(self, glance: Glance, data: bytes) -> bool:
        """A SceneGraphChange has come; whether the state is another one now."""
        message = Waiting(data, is_graph=False, is_whole=glance.is_whole)
        if glance.is_whole:
            return self._take_whole(glance, message)
        self._note(glance)
        if self.sequence is None or glance.sequence <= self.sequence:
            return False
        if glance.previous != self.sequence or self._bytes > MOST_BYTES:
            self.mark_gap()
        if self._behind:
            return False
        self._append(message)
        self.sequence = glance.sequence
        return True

    def find_changed_since(self, sequence: int) -> frozenset[str] | None:
        """Ids of what changed since the state of this number; None where that is not known."""
        changed: set[str] = set()
        at = self.sequence
        while at is not None and at > sequence:
            step = self._history.get(at)
            if step is None or step.changed is None or step.previous >= at:
                return None
            changed |= step.changed
            at = step.previous
        return frozenset(changed) if at == sequence else None

    def drain(self) -> tuple[Waiting, ...]:
        """Take out what waits."""
        waiting = tuple(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return waiting

    def mark_gap(self) -> None:
        """Something is missing or can't be used: wait for a whole graph."""
        self.gaps += not self._behind
        self._behind = True

    def _take_whole(self, glance: Glance, message: Waiting) -> bool:
        present = self.sequence
        if present is not None and glance.sequence <= present:
            known = self._history.get(glance.sequence)
            if known is not None and known.stamp == glance.stamp:
                return self._take_again(glance.sequence == present, message)
            self._forget_history()  # numbers begin anew: the scene_graph node was started again
        if glance.sequence not in self._history or glance.changed is not None:
            self._note(glance)
        self._replace(message)
        self.sequence = glance.sequence
        return True

    def _take_again(self, is_newest: bool, message: Waiting) -> bool:
        """The whole of a state that has come already."""
        if is_newest and self._behind:
            self._replace(message)
            return True
        heavy = len(self._waiting) > MOST_WAITING or self._bytes > len(message.data)
        if is_newest and heavy:
            self._replace(message)
        return False

    def _replace(self, message: Waiting) -> None:
        self._behind = False
        self._waiting.clear()
        self._bytes = 0
        self._append(message)

    def _append(self, message: Waiting) -> None:
        self._waiting.append(message)
        self._bytes += len(message.data)

    def _note(self, glance: Glance) -> None:
        """Remember what changed, also where the change comes late: others may ask."""
        old = self._history.pop(glance.sequence, None)
        self._ids -= len(old.changed or ()) if old else 0
        self._history[glance.sequence] = _Step(glance.previous, glance.stamp, glance.changed)
        self._ids += len(glance.changed or ())
        while len(self._history) > LONGEST_HISTORY or (
            self._ids > MOST_IDS and len(self._history) > 1
        ):
            self._ids -= len(self._history.popitem(last=False)[1].changed or ())

    def _forget_history(self) -> None:
        self._history.clear()
        self._ids = 0


class SceneCopy:
    """The graph that the messages make; for one thread at a time.

    Attributes:
        graph: the newest graph; None before the first, and after a message that can't be used.
        stamp: time of the newest observation in it.
    """

    def __init__(self) -> None:
        self.graph: SceneGraph | None = None
        self.stamp = Time()
        self._reader = SceneReader(MOST_NODES)

    def apply(self, messages: tuple[Waiting, ...]) -> Steps | None:
        """Bring the graph up to date.

        Returns:
            The steps that lead from the graph before to the one now; None where a whole graph took
            its place.

        Raises:
            ConversionError, SceneError: a message can't be used; there is no graph then.
        """
        whole = [number for number, message in enumerate(messages) if message.is_whole]
        graph, self.graph = self.graph, None
        steps = []
        for message in messages[whole[-1] if whole else 0 :]:
            if message.is_graph:
                published = self._reader.graph(message.data)
                graph, self.stamp = published.graph, published.stamp
                continue
            change = self._reader.change(message.data)
            self.stamp = change.stamp
            if change.is_full:
                graph = _whole(change)
            elif graph is not None:  # else a message before could not be used
                delta = SceneDelta(
                    change.sequence, change.nodes, change.removed, change.relations, change.dropped
                )
                graph = apply_delta(graph, delta)
                steps.append((delta, graph))
        self.graph = graph
        return None if whole else tuple(steps)


def _whole(change: PublishedChange) -> SceneGraph:
    return SceneGraph.of(
        change.nodes,
        change.relations,
        frame_id=change.frame_id,
        sequence=change.sequence,
        source=change.source,
    )
