# SPDX-License-Identifier: Apache-2.0
"""The scene that the scene_graph node holds: takes updates, publishes their changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from builtin_interfaces.msg import Time

from fcp_ros.foundation.garbage import tune_garbage_collection
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, PublishedGraph, SceneUpdate
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.scene_access.frames import Frames
from fcp_ros.nodes.scene_graph.intake import MOST_SOURCES
from fcp_ros.nodes.scene_graph.markers import SceneMarkers
from fcp_ros.nodes.scene_graph.publisher import FullUpdateRequests, ReadyChange, ScenePublisher
from fcp_ros.nodes.scene_graph.scene_overrides import RelationNames, SceneOverrides
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import SceneChange, SceneDelta, UpdateStatus, apply_delta
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.live_scene import LiveScene
from fcp_ros.scene.relations.relation_options import RelationOptions

Edit = Callable[[SceneGraph | None], SceneDelta | None]
"""Makes the change of the present graph (None before the first); None for no change. It must be
quick: everybody else waits."""

BEGIN_AGAIN = "Load a scene (service load_scene), or send a full update."
"""Advice after a fault, which the graph of before does not survive."""

LOG_PERIOD = 1.0
"""Seconds between two lines about updates that are refused one after the other."""


@dataclass(frozen=True)
class HolderParts:
    """The helpers of a holder."""

    frames: Frames  # Transforms updates into the graph's frame
    publisher: ScenePublisher  # Publishes changes and graphs
    requests: FullUpdateRequests
    markers: SceneMarkers
    relations: RelationOptions | None  # Options of derived relations; None to derive none
    limits: SceneLimits
    # Bring what perception says into the words of the domain
    overrides: SceneOverrides = field(default_factory=SceneOverrides)
    # Gets each change before it is published, and if it has the whole graph
    note_change: Callable[[ReadyChange, bool], None] = lambda _change, _is_whole: None


class SceneHolder:
    """Takes updates, files, and the graphs and changes of bridges; thread-safe.

    Invariants: `_held` is the graph of `_live` as it was published last, and `_number` its number;
    both change together, under `_lock`, after the change was serialised. Numbers never decrease.
    `_names` changes under `_lock`, too: what is taken in has the names of the graph that it joins.
    Whoever only looks takes no lock: an update of a large scene may hold it for seconds. Transforms
    are waited for without it.

    `node`: for its log and clock. `number`: sequence number of the last graph that the node had;
    numbers continue from there.
    """

    def __init__(self, node: ManagedNode, parts: HolderParts, number: int) -> None:
        self._node = node
        self._parts = parts
        self._lock = threading.RLock()
        self._held: PublishedGraph | None = None
        self._number = number
        self._live = self._make_live_scene()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._sources: tuple[str, ...] = ()  # of `_last`, for readers without the lock
        self._refused = ""
        self._refused_count = 0
        self._late_count = 0
        self._names = RelationNames()

    def _make_live_scene(self) -> LiveScene:
        """Make an empty scene whose numbers continue those before."""
        return LiveScene(relations=self._parts.relations, number=self._number)

    @property
    def held(self) -> PublishedGraph | None:
        """The present graph; None before the first. Never waits for an update that is worked in."""
        return self._held

    @property
    def number(self) -> int:
        return self._number

    @property
    def refused(self) -> str:
        """The reason why the last update was refused; "" if it was taken."""
        return self._refused

    def values(self) -> dict[str, object]:
        """Return the values for the diagnostics; never waits for an update that is worked in."""
        held = self._held
        graph = held.graph if held else None
        return {
            "sequence_number": self._number,
            "nodes": len(graph.nodes) if graph else 0,
            "relations": graph.relation_count if graph else 0,
            "source": graph.source if graph else "",
            "refused_updates": self._refused_count,
            "late_updates": self._late_count,
            "update_sources": ", ".join(name for name in self._sources if name),
            "full_updates_awaited": self._parts.requests.open,
            "renamed_relations": ", ".join(
                f"{name} = {known}" for name, (known, _) in sorted(self._names.names.items())
            ),
        }

    # --- taking ---------------------------------------------------------------------------------

    def take(self, update: SceneUpdate) -> None:
        """Apply an update, or report why not; whatever is in it, the next can be taken."""
        frames = self._parts.frames
        try:
            found = frames.find_transform(update.frame_id, update.stamp, _name_source(update))
            moved = replace(update.delta, upserted=found.move(update.delta.upserted))
            update = replace(update, frame_id=frames.frame_id, delta=moved)
            with self._changing():
                update = self._rename_update(update)
                if update.is_full:
                    change = self._take_full(update, found.note)
                else:
                    change = self._take_delta(update)
        except (ConversionError, SceneError) as error:
            self._refuse_or_ask(update, str(error))
            return
        if change.status is UpdateStatus.IGNORED:
            with self._lock:
                self._late_count += 1
            self._node.get_logger().debug(f"update ignored: {change.reason}")
        elif change.status is UpdateStatus.NEED_FULL:
            sentence = f"{_name_source(update)}: {change.reason}. Send a full update."
            self._refuse_or_ask(update, sentence)

    def _rename_update(self, update: SceneUpdate) -> SceneUpdate:
        present = self._held.graph.nodes if self._held else {}
        return self._names.rename_update(self._parts.overrides.rename_update(update, present))

    def _take_full(self, update: SceneUpdate, note: str) -> SceneChange:
        graph = SceneGraph.of(
            update.delta.upserted,
            update.delta.added,
            frame_id=update.frame_id,
            sequence=update.delta.sequence,
            source=_name_source(update),
            notes=[note] if note else [],
        )
        change = self._live.take_full(graph, source=update.source, time=_to_seconds(update.stamp))
        if self._publish(change, update.stamp):
            self._remember(update)
            self._parts.requests.withdraw_all()
        return change

    def _take_delta(self, update: SceneUpdate) -> SceneChange:
        delta = update.delta
        self._check_size(delta)
        if not update.source and delta.sequence == ANY_NUMBER:
            delta = replace(delta, sequence=self._number + 1)
        change = self._live.take_delta(delta, source=update.source, time=_to_seconds(update.stamp))
        if self._publish(change, update.stamp):
            self._remember(update)
        return change

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock around a change, and drop the live scene if that fails half-way.

        The graph stays published then, and deltas are refused until a whole graph or file comes.
        Raises SceneError instead of an unexpected exception.
        """
        with self._lock:
            try:
                yield
            except SceneError:  # raised before anything changes
                raise
            except Exception as error:
                self._live = self._make_live_scene()
                if isinstance(error, ConversionError):
                    raise
                fault = self._node.internal_fault("changing the scene", error)
                raise SceneError(fault.sentence.rstrip("."), advice=BEGIN_AGAIN) from error

    def load(self, graph: SceneGraph) -> SceneGraph:
        """Begin again with a scene from a file, with its ids; return the resulting graph.

        Its names are those of the domain: overrides come before what is derived from them. Raises
        SceneError, ConversionError if it can't be used; the scene before stays.
        """
        graph = self._parts.frames.transform_graph(graph, Time()).with_sequence(0)
        with self._lock:
            before, self._live = self._live, self._make_live_scene()
            try:
                self._publish(self._live.take_full(self._names.rename_graph(graph)), Time())
            except BaseException:
                self._live = before
                raise
            assert self._held is not None
            return self._held.graph

    def take_scene(self, graph: SceneGraph, stamp: Time) -> None:
        """Replace the whole graph (for bridges). Raises SceneError if it can't be used."""
        graph = self._parts.frames.transform_graph(graph, stamp).with_sequence(0)
        graph = self._parts.overrides.rename_graph(graph)
        with self._changing():
            self._publish(self._live.take_full(self._names.rename_graph(graph)), stamp)

    def change_scene(self, edit: Edit, stamp: Time) -> None:
        """Change the graph, or begin one (for bridges).

        Raises SceneError if the change can't be made.
        """
        with self._changing():
            present = self._live.graph
            if present is None and self._held is not None:
                raise SceneError(
                    "the scene was lost to a fault",
                    source=self._held.graph.source,
                    advice=BEGIN_AGAIN,
                )
            delta = edit(present)
            if delta is None:
                return
            self._check_size(delta)
            if present is None:
                empty = SceneGraph.of((), frame_id=self._parts.frames.frame_id)
                whole = apply_delta(empty, replace(delta, sequence=1)).with_sequence(0)
                change = self._live.take_full(whole)
            else:
                change = self._live.take_delta(replace(delta, sequence=present.sequence + 1))
            self._publish(change, stamp)

    def use_names(self, names: RelationNames) -> None:
        """Take relations in under these names from now on, those of the present graph as well."""
        with self._lock:
            if names == self._names:
                return
            self._names = names
            if self._live.graph is not None:
                self.change_scene(names.make_delta, Time())

    def refuse_update(self, reason: str) -> None:
        with self._lock:
            is_news = not self._refused
            self._refused = f"The last update was refused: {reason}"
            self._refused_count += 1
        log = self._node.get_logger()
        if is_news:
            log.warning(f"update refused: {reason}")
            self._node.publish_diagnostics()
        else:  # each would take longer than the update itself
            log.warning(f"updates refused, the last: {reason}", throttle_duration_sec=LOG_PERIOD)

    def report_loss(self, source: str, reason: str) -> None:
        self.refuse_update(f"{source or 'senders without a source'}: {reason}")
        last = self._last.get(source, 0) if source else self.number
        self._parts.requests.ask(source, last, reason)

    def _refuse_or_ask(self, update: SceneUpdate, reason: str) -> None:
        self.refuse_update(reason)
        if not update.is_full:
            last = self._last.get(update.source, 0) if update.source else self.number
            self._parts.requests.ask(update.source, last, reason)

    # --- publishing -----------------------------------------------------------------------------

    def _publish(self, change: SceneChange, stamp: Time) -> bool:
        """Make a change the present state and publish it; return False if it is none."""
        if change.status not in (UpdateStatus.APPLIED, UpdateStatus.UNCHANGED):
            return False
        assert change.after is not None
        if stamp.sec == 0 and stamp.nanosec == 0:  # unknown: assume it was made now
            stamp = self._node.get_clock().now().to_msg()
        graph = PublishedGraph(stamp, change.after)
        publisher = self._parts.publisher
        described = self._describe(change, graph)
        ready = publisher.prepare(described, graph)
        self._parts.note_change(ready, described.is_full)
        self._held, self._number, self._refused = graph, change.after.sequence, ""
        publisher.publish(ready)
        self._parts.markers.show(graph.graph)
        tune_garbage_collection(len(change.after.nodes))
        return True

    def _describe(self, change: SceneChange, after: PublishedGraph) -> SceneUpdate:
        """Describe a change: as a whole graph if it follows none, or if numbers jump."""
        graph, delta, before = after.graph, change.delta, self._held
        is_full = (
            change.before is None
            or before is None
            or graph.sequence != self._number + 1
            or graph.frame_id != before.graph.frame_id
            or graph.source != before.graph.source
        )
        changed = dict.fromkeys(change.changed)
        if is_full and before is not None:
            changed.update(dict.fromkeys(before.graph.nodes))
        if is_full:
            delta = SceneDelta(0, tuple(graph.nodes.values()), added=graph.relations)
        return SceneUpdate(
            after.stamp,
            graph.frame_id,
            is_full,
            replace(delta, sequence=graph.sequence),
            graph.source,
            previous=0 if before is None else self._number,
            changed=tuple(changed),
            renamed=tuple((one.id, one.after) for one in change.renamed),
        )

    def _check_size(self, delta: SceneDelta) -> None:
        known = self._held.graph.nodes if self._held else {}
        new = sum(node.id not in known for node in delta.upserted)
        limits = self._parts.limits
        limits.check_nodes(len(known) + new - len(delta.removed), "scene_graph_update")
        count = self._held.graph.relation_count if self._held else 0
        limits.check_relations(count + len(delta.added) - len(delta.dropped), "scene_graph_update")

    def _remember(self, update: SceneUpdate) -> None:
        self._last[update.source] = update.delta.sequence
        self._last.move_to_end(update.source)
        if len(self._last) > MOST_SOURCES:
            self._last.popitem(last=False)
        self._sources = tuple(self._last)


def _name_source(update: SceneUpdate) -> str:
    return update.source or "scene_graph_update"


def _to_seconds(stamp: Time) -> float | None:
    return None if stamp.sec == 0 and stamp.nanosec == 0 else stamp.sec + stamp.nanosec * 1e-9
