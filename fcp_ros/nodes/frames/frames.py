# SPDX-License-Identifier: Apache-2.0
"""Transforms scenes and changes from other frames into the scene graph's frame.

Transforms come from tf2 (if installed) and from the parameter ``static_transforms``. An unknown
frame is refused.
"""

from __future__ import annotations

from dataclasses import replace

from builtin_interfaces.msg import Time

from fcp_ros.nodes.frames.parameter import (
    EXAMPLE,
    normalise_frame,
    parse_static_transform,
    parse_static_transforms,
)
from fcp_ros.nodes.frames.sources import (
    FoundTransform,
    StaticTransforms,
    Tf2Transforms,
    TransformSource,
    tf2_is_installed,
)
from fcp_ros.nodes.runtime.lifecycle import TransitionsNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import IDENTITY


def _check_frame(frame_id: str) -> None:
    if not normalise_frame(frame_id):
        raise ValueError('a scene graph needs a frame: give one such as "map"')


PARAMETERS = (
    ParameterSpec(
        "frame_id",
        "map",
        "Frame of the scene graph; what comes in another one is transformed into it.",
        check=_check_frame,
    ),
    ParameterSpec(
        "static_transforms",
        [""],
        "Transforms beside those of tf2 (or instead, where tf2 is missing), each as the arguments "
        f'of a static_transform_publisher: "{EXAMPLE}".',
        check=parse_static_transform,
    ),
    ParameterSpec(
        "transform_timeout",
        0.2,
        "Longest wait for the transform at a message's time; then the newest is taken, with a "
        "note [s].",
        minimum=0.0,
        maximum=10.0,
    ),
)


class Frames:
    """The graph's frame, and the transforms into it.

    Args:
        frame_id: Frame of the scene graph.
        source: Source of the transforms.
        advice: What to do about an unknown frame, one sentence.
    """

    def __init__(self, frame_id: str, source: TransformSource, advice: str) -> None:
        self.frame_id = normalise_frame(frame_id)
        self._source = source
        self._advice = advice

    def find_transform(self, frame_id: str, stamp: Time, topic: str) -> FoundTransform:
        """Find the transform from a frame to the graph's.

        Args:
            frame_id: The frame; "" is the graph's own.
            stamp: Time of the transform; zero for the newest.
            topic: Topic of the coordinates, for the error.

        Raises:
            SceneError: The frame is unknown.
        """
        frame = normalise_frame(frame_id)
        if frame in ("", self.frame_id):
            return FoundTransform(IDENTITY)
        found = self._source.find(frame, self.frame_id, stamp)
        if found is None:
            known = ", ".join(self._source.list_frames()) or "none"
            raise SceneError(
                f"it is in the frame {frame!r}, and no transform from there to the graph's frame "
                f"{self.frame_id!r} is known (known frames: {known})",
                source=topic,
                advice=self._advice,
            )
        return found

    def transform_graph(self, graph: SceneGraph, stamp: Time) -> SceneGraph:
        """Transform a whole graph into the graph's frame; notes say what was assumed.

        Raises:
            SceneError: Its frame is unknown, or a room's outline would be tilted.
        """
        found = self.find_transform(graph.frame_id, stamp, graph.source)
        if graph.frame_id == self.frame_id:
            return graph
        nodes = {node.id: node for node in found.move(graph.nodes.values())}
        moved = replace(graph, nodes=nodes, frame_id=self.frame_id)
        return moved.with_added_notes([found.note] if found.note else [])

    def close(self) -> None:
        """Stop listening."""
        self._source.close()


def make_frames(node: TransitionsNode) -> Frames:
    """Make the frames that a node's parameters (`PARAMETERS`) describe.

    Raises:
        ValueError: The static transforms contradict each other.
    """
    links = parse_static_transforms(node.parameters.texts("static_transforms"))
    frame_id = node.parameters.text("frame_id")
    if not tf2_is_installed():
        advice = (
            "Name that transform in the parameter static_transforms, or install tf2_ros, which is "
            "missing here."
        )
        return Frames(frame_id, StaticTransforms(links), advice)
    source = Tf2Transforms(node, links, node.parameters.number("transform_timeout"))
    advice = "Publish that transform on /tf, or name it in the parameter static_transforms."
    return Frames(frame_id, source, advice)
