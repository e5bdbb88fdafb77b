# SPDX-License-Identifier: Apache-2.0
"""The protocols between the scene_graph node and a bridge."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from builtin_interfaces.msg import Time

from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.graph import SceneGraph

Edit = Callable[[SceneGraph | None], SceneDelta | None]
"""Makes the change of the present graph (None before the first); None for no change."""


class SceneSink(Protocol):
    """The receiver of a bridge, in the same process, so that nothing is serialised."""

    def take_scene(self, graph: SceneGraph, stamp: Time) -> None:
        """Replace the whole graph; it is transformed into the graph's frame and completed."""

    def change_scene(self, edit: Edit, stamp: Time) -> None:
        """Change the graph exclusively, and complete the relations around the change.

        `edit` must be quick: everybody else waits.
        """

    def refuse_update(self, reason: str) -> None:
        """Report in log and diagnostics why an update was not taken."""


class Bridge(Protocol):
    """One stream from another system."""

    def values(self) -> Mapping[str, object]:
        """Return the values for the diagnostics."""

    def close(self) -> None:
        """Stop; the node destroys its subscriptions."""


class MissingBridge:
    """A bridge that is off."""

    def __init__(self, name: str, package: str) -> None:
        there = "" if find_message(package, None) else f", and {package} is not installed"
        self._values = {name: f"off{there}"}

    def values(self) -> Mapping[str, object]:
        return self._values

    def close(self) -> None:
        """Do nothing."""


def find_message(package: str, name: str | None) -> Any:
    """Import a message of an optional package; return None if it is not installed.

    `package`: package, such as "vision_msgs". `name`: message, such as "Detection3DArray"; None for
    the module of all its messages.
    """
    try:
        module = importlib.import_module(f"{package}.msg")
    except ImportError:
        return None
    return module if name is None else getattr(module, name)


def require_message(package: str, name: str, parameter: str) -> Any:
    """Import a message that a parameter needs.

    Raises ConfigureError if the package is not installed.
    """
    found = find_message(package, name)
    if found is None:
        raise ConfigureError(
            f"the parameter {parameter} needs the package {package}, which is not installed here: "
            f'install and source it, or set {parameter} to ""'
        )
    return found
