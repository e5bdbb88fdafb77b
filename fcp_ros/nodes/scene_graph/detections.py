# SPDX-License-Identifier: Apache-2.0
"""Bridge from a 3D detector: ``vision_msgs/Detection3DArray`` becomes objects of the graph."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from fcp_ros.nodes.conversions.common import pose_from_ros
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.optional_packages import require_interfaces
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.nodes.runtime.worker import NewestThread
from fcp_ros.nodes.scene_access.frames import FoundTransform, Frames
from fcp_ros.nodes.scene_graph.holder import SceneHolder
from fcp_ros.nodes.scene_graph.sightings import (
    Detection,
    Hypothesis,
    Sighting,
    SightingOptions,
    Sightings,
    make_sighting,
    parse_classes,
)
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

FORGET_PERIOD = 1.0
"""Seconds between two checks for objects to forget."""

PARAMETERS = (
    ParameterSpec(
        "detections_topic",
        "",
        'Topic of vision_msgs/Detection3DArray whose objects are added to the graph; "": none.',
    ),
    ParameterSpec(
        "detection_classes",
        [""],
        'Categories of the detector\'s classes, such as "3:mug"; other classes are categories.',
        check=lambda text: parse_classes([text]),
    ),
    ParameterSpec(
        "detection_min_score",
        0.5,
        "Detections with a lower score are left out.",
        minimum=0.0,
        maximum=1.0,
    ),
    ParameterSpec(
        "detection_reach",
        0.5,
        "How far an object may have moved to be the same one, where the detector gives no id [m].",
        minimum=0.0,
        maximum=100.0,
    ),
    ParameterSpec(
        "detection_tolerance",
        0.05,
        "Smaller moves of a detected object leave the graph as it is [m].",
        minimum=0.0,
        maximum=10.0,
    ),
    ParameterSpec(
        "detection_forget_after",
        0.0,
        "Objects that only detections brought are removed when not seen for so long; 0: never [s].",
        minimum=0.0,
        maximum=1e6,
    ),
)


class DetectionsBridge:
    """Puts detected objects into the scene graph.

    Each message changes the graph by a delta that holds only what differs, in a thread of its own,
    which waits for transforms. While one is processed, only the newest of those that come is kept.
    `node`: in its ``configure``; it has the parameters `PARAMETERS`. Raises ConfigureError if
    vision_msgs is missing, or a class is given twice.
    """

    def __init__(self, node: ManagedNode, holder: SceneHolder, frames: Frames) -> None:
        parameters = node.parameters
        self._node, self._holder, self._frames = node, holder, frames
        self._topic = parameters.text("detections_topic")
        advice = 'install and source it, or set detections_topic to ""'
        message = require_interfaces("vision_msgs", "msg", advice).Detection3DArray
        try:
            self._classes = parse_classes(parameters.texts("detection_classes"))
        except ValueError as error:
            raise ConfigureError(f"detection_classes: {error}") from error
        options = SightingOptions(
            min_score=parameters.number("detection_min_score"),
            reach=parameters.number("detection_reach"),
            tolerance=parameters.number("detection_tolerance"),
            forget_after=parameters.number("detection_forget_after"),
        )
        self._sightings = Sightings(options)
        self._taken = self._left_out = 0
        self._trouble = ""
        self._thread: NewestThread[Any] = NewestThread(
            "detections", self._take, lambda error: holder.refuse_update(f"{self._topic}: {error}.")
        )
        self._timer: Any = None
        if options.forget_after:
            self._timer = node.create_steady_timer(FORGET_PERIOD, self._look_for_forgotten)
        node.subscribe_newest(message, self._topic, self._thread.put, reliable=False)

    def values(self) -> Mapping[str, object]:
        said = f"on {self._topic}, {self._taken} taken, {self._left_out} left out"
        return {"detections": f"{said} ({self._trouble})" if self._trouble else said}

    def close(self) -> None:
        """Stop forgetting, and end the thread; the node destroys the subscription."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        self._thread.close()

    def _look_for_forgotten(self) -> None:
        self._thread.put_if_idle(None)

    def _take(self, message: Any) -> None:
        """Work a message in; None for one that saw nothing."""
        try:
            if message is None:
                self._change((), self._node.get_clock().now().to_msg())
            else:
                self._change(tuple(self._read_sightings(message)), message.header.stamp)
        except SceneError as error:
            self._holder.refuse_update(str(error))

    def _change(self, sightings: tuple[Sighting, ...], stamp: Time) -> None:
        def edit(graph: SceneGraph | None) -> SceneDelta | None:
            before = graph if graph is not None else SceneGraph.of((), frame_id=frame_id)
            return self._sightings.compute_delta(before, sightings, time.monotonic())

        frame_id = self._frames.frame_id
        self._holder.change_scene(edit, stamp)

    def _read_sightings(self, message: Any) -> Iterable[Sighting]:
        """Read the sightings of a message in the graph's frame; count and report wrong ones."""
        transforms: dict[tuple[str, int, int], FoundTransform] = {}  # each is waited for once
        for detection in message.detections:
            header = detection.header if detection.header.frame_id else message.header
            key = header.frame_id, header.stamp.sec, header.stamp.nanosec
            if key not in transforms:
                transforms[key] = self._find_transform(header)
            try:
                transform = transforms[key].transform
                yield make_sighting(_read_detection(detection), self._classes, transform)
                self._taken += 1
            except ValueError as error:
                self._left_out += 1
                self._report(str(error))

    def _find_transform(self, header: Header) -> FoundTransform:
        if not header.frame_id:
            raise SceneError(
                "detections came without a frame",
                source=self._topic,
                advice="Let the detector fill header.frame_id in.",
            )
        found = self._frames.find_transform(header.frame_id, header.stamp, self._topic)
        self._report(found.note)
        return found

    def _report(self, trouble: str) -> None:
        """Keep the last trouble for the diagnostics; log the first."""
        if trouble:
            if not self._trouble:
                self._node.get_logger().warning(
                    f"{self._topic}: {trouble}; further troubles of this kind are on /diagnostics"
                )
            self._trouble = trouble


def _read_detection(message: Any) -> Detection:
    size = message.bbox.size
    return Detection(
        track=message.id,
        hypotheses=tuple(
            Hypothesis(
                result.hypothesis.class_id, result.hypothesis.score, pose_from_ros(result.pose.pose)
            )
            for result in message.results
        ),
        centre=pose_from_ros(message.bbox.center),
        size=(size.x, size.y, size.z),
    )
