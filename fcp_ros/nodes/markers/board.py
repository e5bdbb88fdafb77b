# SPDX-License-Identifier: Apache-2.0
"""The markers that are shown, and the messages that change them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import islice

from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing

_LAST_ID = 2**31 - 1


@dataclass(slots=True)
class _Shown:
    made_of: tuple[object, ...]
    marker: Marker


class MarkerBoard:
    """The markers that are shown, by namespace and key.

    A marker keeps its id while what it stands for exists, so that a change is sent as one ADD and
    an end as one DELETE. Not thread-safe.

    Headers have no time: RViz then shows a marker with the newest transform of its frame, however
    old the marker is.
    """

    def __init__(self) -> None:
        self._shown: dict[tuple[str, Hashable], _Shown] = {}
        self._frame_id = ""
        self._last_id = -1

    def __len__(self) -> int:
        return len(self._shown)

    def show(
        self, drawings: Iterable[Drawing], frame_id: str, limit: int
    ) -> tuple[list[Marker], str]:
        """Show these drawings and nothing else.

        Args:
            drawings: In the order of their importance.
            frame_id: Frame of all of them.
            limit: Largest number of drawings to show.

        Returns:
            The markers to send (removals first), and the namespace in which the limit was reached;
            "" if it was not.
        """
        gone = []
        if frame_id != self._frame_id:
            self._frame_id = frame_id
            gone = self._make_clear() if self._shown else []
            self._shown = {}
        remaining = iter(drawings)
        wanted = {}
        changed = []
        for drawing in islice(remaining, limit):
            name = drawing.namespace, drawing.key
            shown = self._shown.get(name)
            if shown is None or shown.made_of != drawing.made_of:
                marker = self._make_add(
                    drawing, self._next_id() if shown is None else shown.marker.id
                )
                shown = _Shown(drawing.made_of, marker)
                changed.append(marker)
            wanted[name] = shown
        gone += [
            self._make_delete(ns, shown.marker.id)
            for (ns, key), shown in self._shown.items()
            if (ns, key) not in wanted
        ]
        self._shown = wanted
        first_left_out = next(remaining, None)
        return [*gone, *changed], first_left_out.namespace if first_left_out else ""

    def repeat_all(self) -> list[Marker]:
        """Return all shown markers after a DELETEALL, for a new receiver."""
        return [*self._make_clear(), *(shown.marker for shown in self._shown.values())]

    def _make_clear(self) -> list[Marker]:
        clear = Marker(action=Marker.DELETEALL)
        clear.header.frame_id = self._frame_id
        return [clear]

    def _make_delete(self, namespace: str, id_: int) -> Marker:
        marker = Marker(action=Marker.DELETE, ns=namespace, id=id_)
        marker.header.frame_id = self._frame_id
        return marker

    def _make_add(self, drawing: Drawing, id_: int) -> Marker:
        marker = drawing.make()
        marker.ns, marker.id = drawing.namespace, id_
        marker.header.frame_id = self._frame_id
        return marker

    def _next_id(self) -> int:
        # Ids of removed markers are not reused soon: a late DELETE must not hit a new marker.
        self._last_id = 0 if self._last_id >= _LAST_ID else self._last_id + 1
        return self._last_id
