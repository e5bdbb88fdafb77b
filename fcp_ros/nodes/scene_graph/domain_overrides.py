# SPDX-License-Identifier: Apache-2.0
"""The overrides of a domain, in it or in a file of their own, for what perception says.

Imports domains and their schemas: imported by a scene_graph node that has overrides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fcp_ros.binding.renaming import rename_parts, rename_scene
from fcp_ros.domain import Domain, load_overrides
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.nodes.conversions.scene import SceneUpdate
from fcp_ros.nodes.runtime.domain_parameter import load_configured_domain
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.graph.graph import SceneGraph


class DomainOverrides:
    """The overrides of a domain."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def rename_update(self, update: SceneUpdate, known: Mapping[str, SceneNode]) -> SceneUpdate:
        schema, mapping = self._domain.schema, self._domain.mapping
        said = update.delta
        nodes, added = rename_parts(said.upserted, said.added, known, schema, mapping)
        _, dropped = rename_parts(said.upserted, said.dropped, known, schema, mapping)
        return replace(update, delta=replace(said, upserted=nodes, added=added, dropped=dropped))

    def rename_graph(self, graph: SceneGraph) -> SceneGraph:
        """Return a graph in the words of the domain.

        Raises SceneError if read so, something would lie on or in itself.
        """
        return rename_scene(graph, self._domain.schema, self._domain.mapping)


def load_domain_overrides(domain: str, file: str) -> DomainOverrides:
    """Load the overrides of a domain and a file.

    `domain`: name or path of the domain. `file`: of overrides, after those of the domain; "" for
    none. Raises ConfigureError if one of them is unusable.
    """
    read = load_configured_domain(domain)
    try:
        return DomainOverrides(load_overrides(Path(file).expanduser(), read) if file else read)
    except (DomainError, OSError, UnicodeDecodeError) as error:
        raise ConfigureError(f"the overrides can't be used: {error}") from error
