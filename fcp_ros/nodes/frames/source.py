# SPDX-License-Identifier: Apache-2.0
"""Whoever knows where frames are, and the simplest of them: transforms that never change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from builtin_interfaces.msg import Time

from fcp_ros.scene.graph.transforms import FrameLink, FrameTree, Transform


@dataclass(frozen=True)
class FoundTransform:
    """What brings coordinates of a frame into the graph's.

    Attributes:
        transform: The transform.
        note: What was assumed, as one sentence; "" for nothing.
    """

    transform: Transform
    note: str = ""


class TransformSource(Protocol):
    """Whoever knows where frames are."""

    def between(self, source: str, target: str, stamp: Time) -> FoundTransform | None:
        """What turns coordinates of `source` into those of `target` at a time; None: unknown."""

    def known(self) -> tuple[str, ...]:
        """All frames that it knows."""

    def close(self) -> None:
        """Listen no longer."""


class StaticTransforms:
    """The frames of the parameter alone."""

    def __init__(self, links: Iterable[FrameLink]) -> None:
        self._tree = FrameTree(links)

    def between(self, source: str, target: str, stamp: Time) -> FoundTransform | None:
        """As they always are; the time does not matter."""
        found = self._tree.between(source, target)
        return None if found is None else FoundTransform(found)

    def known(self) -> tuple[str, ...]:
        """All frames of the parameter."""
        return self._tree.frames

    def close(self) -> None:
        """Nothing to do."""
