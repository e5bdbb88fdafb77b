# SPDX-License-Identifier: Apache-2.0
"""What a bridge is to the scene_graph node, and the node to a bridge."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from builtin_interfaces.msg import Time

from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.graph import SceneGraph

Edit = Callable[[SceneGraph | None], SceneDelta | None]
"""From the present graph (None: there is none) to its change; None for no change."""


class SceneSink(Protocol):
    """Where a bridge puts what it got; in the same process, so nothing is serialised."""

    def take_scene(self, graph: SceneGraph, stamp: Time) -> None:
        """Replace the whole graph; its frame is transformed, its relations are completed."""

    def change_scene(self, edit: Edit, stamp: Time) -> None:
        """Change the graph, while nobody else does, and complete the relations around the change.

        `edit` must be quick: everybody else waits.
        """

    def refuse_update(self, reason: str) -> None:
        """Log and show in the diagnostics why an update was not taken."""


class Bridge(Protocol):
    """One stream from another system."""

    def values(self) -> Mapping[str, object]:
        """For the diagnostics."""

    def close(self) -> None:
        """Stop; the node destroys its subscriptions."""


class MissingBridge:
    """A bridge that is off.

    Args:
        name: Of the bridge.
        package: That its messages are in.
    """

    def __init__(self, name: str, package: str) -> None:
        there = "" if message_class(package, None) else f", and {package} is not installed"
        self._values = {name: f"off{there}"}

    def values(self) -> Mapping[str, object]:
        """Whether it could be on."""
        return self._values

    def close(self) -> None:
        """Nothing to do."""


def message_class(package: str, name: str | None) -> Any:
    """A message of a package that need not be installed; None where it is not.

    Args:
        package: Such as "vision_msgs".
        name: Such as "Detection3DArray"; None for the module of all its messages.
    """
    try:
        module = importlib.import_module(f"{package}.msg")
    except ImportError:
        return None
    return module if name is None else getattr(module, name)


def needed_message(package: str, name: str, parameter: str) -> Any:
    """The same, where a parameter asks for it.

    Raises:
        ConfigureError: The package is not installed.
    """
    found = message_class(package, name)
    if found is None:
        raise ConfigureError(
            f"the parameter {parameter} needs the package {package}, which is not installed here: "
            f'install and source it, or set {parameter} to ""'
        )
    return found
