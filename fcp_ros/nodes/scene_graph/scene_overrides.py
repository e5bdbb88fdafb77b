# SPDX-License-Identifier: Apache-2.0
"""The overrides that a scene_graph node has by its parameters; domains are read for them only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.nodes.conversions.scene import SceneUpdate
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.package_files import find_domain
from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.graph.graph import SceneGraph


class SceneOverrides(Protocol):
    """Brings what perception says into the words of a domain."""

    def rename_update(self, update: SceneUpdate, known: Mapping[str, SceneNode]) -> SceneUpdate:
        """Return an update in the words of the domain.

        Args:
            update: the update.
            known: the nodes of the present graph.
        """

    def rename_graph(self, graph: SceneGraph) -> SceneGraph:
        """Return a graph in the words of the domain.

        Raises:
            SceneError: read so, something would lie on or in itself.
        """


class NoOverrides:
    """Leaves what perception says as it is."""

    def rename_update(self, update: SceneUpdate, _known: Mapping[str, SceneNode]) -> SceneUpdate:
        """Return the update."""
        return update

    def rename_graph(self, graph: SceneGraph) -> SceneGraph:
        """Return the graph."""
        return graph


def read_overrides(domain: str, file: str) -> SceneOverrides:
    """Read the overrides of a domain and a file; most domains have none, and are not read.

    Args:
        domain: name or path of the domain; "" for none.
        file: of overrides; "" for none.

    Raises:
        ConfigureError: one of them is unusable.
    """
    if not domain:
        if file:
            raise ConfigureError("the overrides can't be used without a domain: name one")
        return NoOverrides()
    try:
        if not file and "overrides:" not in read_text(find_domain(domain)):
            return NoOverrides()
    except FileError as error:
        raise ConfigureError(f"the overrides can't be used: {error}") from error
    # Only for overrides: reading a domain, and importing what reads it, takes 0.3 s of a start.
    from fcp_ros.nodes.scene_graph.domain_overrides import load_domain_overrides

    return load_domain_overrides(domain, file)
