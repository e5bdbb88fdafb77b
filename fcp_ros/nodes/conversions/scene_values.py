# SPDX-License-Identifier: Apache-2.0
"""What messages about scene graphs say, as values: for the conversions, fast or obvious."""

from __future__ import annotations

from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class SceneUpdate:
    """A SceneGraphUpdate message.

    Attributes:
        stamp: time of the observation; zero where unknown.
        frame_id: of all poses; "" for that of the graph.
        is_full: nodes and relations replace the graph.
        sequence: of the source, or of the graph where there is no source.
        source: who sends; "" for whoever counts with the graph's own numbers.
        nodes: new or changed.
        removed: ids.
        relations: that hold now.
        dropped: that hold no longer.
    """

    stamp: Time
    frame_id: str
    is_full: bool
    sequence: int
    source: str = ""
    nodes: tuple[SceneNode, ...] = ()
    removed: tuple[str, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    dropped: tuple[SceneRelation, ...] = ()


@dataclass(frozen=True)
class PublishedGraph:
    """A SceneGraph message: the graph, and the time of its newest observation."""

    stamp: Time
    graph: SceneGraph


@dataclass(frozen=True)
class PublishedChange:
    """A SceneGraphChange message: see its fields."""

    stamp: Time
    frame_id: str
    sequence: int
    previous: int
    is_full: bool
    source: str
    nodes: tuple[SceneNode, ...] = ()
    removed: tuple[str, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    dropped: tuple[SceneRelation, ...] = ()
    changed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
