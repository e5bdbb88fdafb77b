# SPDX-License-Identifier: Apache-2.0
"""The messages about a scene graph in the order in which they apply, and the graph they make.

Whole graphs (``scene_graph``, latched) and changes (``scene_changes``) come on two topics, in any
order between them. A change that follows the newest state is applied to it; after a gap, the next
whole graph is waited for. A whole graph that was overtaken by changes is ignored.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange
from fcp_ros.nodes.conversions.scene import SceneUpdate, change_from_ros, graph_from_ros, read_bytes
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


Steps = tuple[tuple[SceneDelta, SceneGraph], ...]
"""Changes that were applied one after the other, each with the graph after it."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that has come."""

    message: SceneGraphMessage | SceneGraphChange
    size: int  # Its length in bytes
    stamp: tuple[int, int]  # Time of the newest observation (s, ns)
    sequence: int  # Number of the graph that it leads to
    previous: int  # Number of the graph that it changes; 0 if it changes none
    is_whole: bool  # True if it brings a whole graph
    # Ids of the changed elements; None if the message does not list them
    changed: frozenset[str] | None

    @staticmethod
    def from_graph(data: bytes) -> Arrival:
        """Read a serialised SceneGraph. Raises ConversionError if it is damaged."""
        message = read_bytes(data, SceneGraphMessage)
        stamp = message.header.stamp.sec, message.header.stamp.nanosec
        return Arrival(message, len(data), stamp, message.sequence_number, 0, True, None)

    @staticmethod
    def from_change(data: bytes) -> Arrival:
        """Read a serialised SceneGraphChange. Raises ConversionError if it is damaged."""
        message = read_bytes(data, SceneGraphChange)
        return Arrival(
            message,
            len(data),
            (message.header.stamp.sec, message.header.stamp.nanosec),
            message.sequence_number,
            message.previous_sequence_number,
            message.full_update,
            frozenset(message.changed_elements),
        )


@dataclass(frozen=True, slots=True)
class _Step:
    previous: int
    stamp: tuple[int, int]
    changed: frozenset[str] | None


class SceneQueue:
    """Messages in the order in which they apply. Bounded; not thread-safe.

    Invariants: a message waits only if it applies to the state after those before it, so the first
    waiting message applies to what was drained before, or is whole. While `_behind`, something was
    lost and only a whole graph is accepted.
    """

    def __init__(self) -> None:
        self.sequence: int | None = None  # Number of the newest state; None before the first
        self.gaps = 0  # Number of times that a whole graph had to be waited for
        self._behind = False
        self._history: OrderedDict[int, _Step] = OrderedDict()
        self._ids = 0
        self._waiting: deque[Arrival] = deque()
        self._bytes = 0

    def put(self, arrival: Arrival) -> bool:
        """Take in a message; return True if it leads to a new state."""
        if arrival.is_whole:
            return self._put_whole(arrival)
        self._note(arrival)
        if self.sequence is None or arrival.sequence <= self.sequence:
            return False
        if arrival.previous != self.sequence or self._bytes > MOST_BYTES:
            self.mark_gap()
        if self._behind:
            return False
        self._append(arrival)
        self.sequence = arrival.sequence
        return True

    def find_changed_since(self, sequence: int) -> frozenset[str] | None:
        """Return the ids of what changed since the state of this number; None if not known."""
        changed: set[str] = set()
        at = self.sequence
        while at is not None and at > sequence:
            step = self._history.get(at)
            if step is None or step.changed is None or step.previous >= at:
                return None
            changed |= step.changed
            at = step.previous
        return frozenset(changed) if at == sequence else None

    def drain(self) -> tuple[Arrival, ...]:
        waiting = tuple(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return waiting

    def mark_gap(self) -> None:
        """Wait for a whole graph, since something is missing or can't be used."""
        self.gaps += not self._behind
        self._behind = True

    def _put_whole(self, arrival: Arrival) -> bool:
        present = self.sequence
        if present is not None and arrival.sequence <= present:
            known = self._history.get(arrival.sequence)
            if known is not None and known.stamp == arrival.stamp:
                return self._put_again(arrival.sequence == present, arrival)
            self._forget_history()  # lower numbers: the scene_graph node was started again
        if arrival.sequence not in self._history or arrival.changed is not None:
            self._note(arrival)
        self._replace(arrival)
        self.sequence = arrival.sequence
        return True

    def _put_again(self, is_newest: bool, arrival: Arrival) -> bool:
        """Take in the whole graph of a state that has come already."""
        if is_newest and self._behind:
            self._replace(arrival)
            return True
        heavy = len(self._waiting) > MOST_WAITING or self._bytes > arrival.size
        if is_newest and heavy:
            self._replace(arrival)
        return False

    def _replace(self, arrival: Arrival) -> None:
        self._behind = False
        self._waiting.clear()
        self._bytes = 0
        self._append(arrival)

    def _append(self, arrival: Arrival) -> None:
        self._waiting.append(arrival)
        self._bytes += arrival.size

    def _note(self, arrival: Arrival) -> None:
        """Remember what changed, also if the message comes late: others may ask."""
        old = self._history.pop(arrival.sequence, None)
        self._ids -= len(old.changed or ()) if old else 0
        step = _Step(arrival.previous, arrival.stamp, arrival.changed)
        self._history[arrival.sequence] = step
        self._ids += len(arrival.changed or ())
        while len(self._history) > LONGEST_HISTORY or (
            self._ids > MOST_IDS and len(self._history) > 1
        ):
            self._ids -= len(self._history.popitem(last=False)[1].changed or ())

    def _forget_history(self) -> None:
        self._history.clear()
        self._ids = 0


class SceneCopy:
    """The graph that the messages make; for one thread at a time."""

    def __init__(self) -> None:
        # The newest graph; None before the first, and after a message that can't be used
        self.graph: SceneGraph | None = None
        self.stamp = Time()  # Time of the newest observation in it

    def apply(self, arrivals: tuple[Arrival, ...]) -> Steps | None:
        """Bring the graph up to date.

        Returns the steps from the graph before to the one now; None if a whole graph replaced it.
        Raises ConversionError, SceneError if a message can't be used; there is no graph then.
        """
        whole = [number for number, arrival in enumerate(arrivals) if arrival.is_whole]
        graph, self.graph = self.graph, None
        steps = []
        for arrival in arrivals[whole[-1] if whole else 0 :]:
            message = arrival.message
            self.stamp = message.header.stamp
            if isinstance(message, SceneGraphMessage):
                graph = graph_from_ros(message)
                continue
            change = change_from_ros(message)
            if change.is_full:
                graph = _make_graph(change)
            elif graph is not None:  # None if a message before could not be used
                graph = apply_delta(graph, change.delta)
                steps.append((change.delta, graph))
        self.graph = graph
        return None if whole else tuple(steps)


def _make_graph(change: SceneUpdate) -> SceneGraph:
    return SceneGraph.of(
        change.delta.upserted,
        change.delta.added,
        frame_id=change.frame_id,
        sequence=change.delta.sequence,
        source=change.source,
    )
