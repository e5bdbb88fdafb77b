# SPDX-License-Identifier: Apache-2.0
"""What the serialised scene messages have in common: header, sequences of nodes and relations."""

from __future__ import annotations

from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message

from fcp_ros.nodes.conversions.cdr import CdrInput
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene_wire_walk import (
    LEAST_NODE,
    LEAST_RELATION,
    walk_nodes,
    walk_relations,
)


def node_rows(source: CdrInput) -> Any:
    """Where the nodes that come now lie: (nodes, 4), see `walk_nodes`; the input goes on behind."""
    rows = np.empty((source.count(LEAST_NODE), 4), dtype=np.int64)
    _go_on(source, walk_nodes(source.bytes, source.at, rows), "node")
    return rows


def relation_rows(source: CdrInput) -> Any:
    """Where the relations lie: (relations, 2), see `walk_relations`."""
    rows = np.empty((source.count(LEAST_RELATION), 2), dtype=np.int64)
    _go_on(source, walk_relations(source.bytes, source.at, rows), "relation")
    return rows


def _go_on(source: CdrInput, at: int, what: str) -> None:
    if at < 0:
        raise source.damaged(f"{what} {-at} reaches beyond its end, or is none")
    source.at = at


def header_of(source: CdrInput) -> tuple[Time, str]:
    """Time and frame."""
    seconds, nanoseconds = source.number("i"), source.number("I")
    return Time(sec=seconds, nanosec=nanoseconds), source.text()


def by_rclpy(data: bytes, kind: Any) -> Any:
    """A message in another encoding, as rclpy reads it.

    Raises:
        ConversionError: it is no such message.
    """
    if len(data) < 4 or data[0] != 0:
        raise ConversionError(f"the {kind.__name__} message is damaged: it begins {data[:4]!r}")
    try:
        return deserialize_message(data, kind)
    except Exception as error:  # whatever the middleware raises
        raise ConversionError(f"the {kind.__name__} message can't be read: {error}") from error
