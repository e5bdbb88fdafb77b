# SPDX-License-Identifier: Apache-2.0
"""A first look at serialised scene messages, for those who may not need the rest."""

from __future__ import annotations

from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions.cdr import CdrInput, is_little_endian_cdr
from fcp_ros.nodes.conversions.scene import change_from_ros, renamed_pairs
from fcp_ros.nodes.conversions.scene_wire_fields import (
    by_rclpy,
    header_of,
    node_rows,
    relation_rows,
)

BEGINNING = 4096
"""Bytes that hold the names at the beginning of any update that is meant seriously."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What can be said about a message without making its nodes.

    Attributes:
        stamp: (s, ns) of the newest observation.
        sequence: of the graph that it brings.
        previous: of the graph that it changes; 0 where it changes none.
        is_whole: it brings a whole graph.
        changed: ids of what changed; None where the message does not say.
    """

    stamp: tuple[int, int]
    sequence: int
    previous: int
    is_whole: bool
    changed: frozenset[str] | None


def glance_at_update(data: bytes) -> tuple[str, bool]:
    """Who sends a SceneGraphUpdate, and whether it is a full one.

    Raises:
        ConversionError: it is damaged.
    """
    if not is_little_endian_cdr(data):
        message = by_rclpy(data, SceneGraphUpdate)
        return message.source, message.full_update
    source = CdrInput(data[:BEGINNING], "SceneGraphUpdate")
    header_of(source)
    is_full = source.flag()
    source.number("q")
    return source.text(), is_full


def glance_at_graph(data: bytes) -> Glance:
    """A first look at a SceneGraph.

    Raises:
        ConversionError: it is damaged.
    """
    if not is_little_endian_cdr(data):
        message = by_rclpy(data, SceneGraphMessage)
        return Glance(_pair(message.header.stamp), message.sequence_number, 0, True, None)
    source = CdrInput(data, "SceneGraph")
    stamp, _ = header_of(source)
    return Glance(_pair(stamp), source.number("q"), 0, True, None)


def glance_at_change(data: bytes) -> Glance:
    """A first look at a SceneGraphChange.

    Raises:
        ConversionError: it is damaged.
    """
    if not is_little_endian_cdr(data):
        change = change_from_ros(by_rclpy(data, SceneGraphChange))
        return Glance(
            _pair(change.stamp),
            change.sequence,
            change.previous,
            change.is_full,
            frozenset(change.changed),
        )
    source = CdrInput(data, "SceneGraphChange")
    stamp, _ = header_of(source)
    sequence, previous = source.number("q"), source.number("q")
    is_full = source.flag()
    source.text()
    node_rows(source)
    source.texts()
    relation_rows(source)
    relation_rows(source)
    changed = frozenset(source.texts())
    renamed_pairs(source.texts(), source.texts())
    source.end()
    return Glance(_pair(stamp), sequence, previous, is_full, changed)


def _pair(stamp: Time) -> tuple[int, int]:
    return stamp.sec, stamp.nanosec
