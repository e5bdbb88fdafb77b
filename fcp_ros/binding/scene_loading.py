# SPDX-License-Identifier: Apache-2.0
"""A scene file in the words of a domain.

Imports the readers of all formats, which those that only rename what they have do without.
"""

from __future__ import annotations

from pathlib import Path

from fcp_ros.binding.renaming import relation_options_for, rename_scene
from fcp_ros.cset import Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import read_scene
from fcp_ros.scene.relations.complete import complete_relations


def load_scene_for(
    path: str | Path, schema: Schema, mapping: SceneMapping, *, limits: SceneLimits | None = None
) -> SceneGraph:
    """Read a scene in the words of a domain, with the relations completed that it declares."""
    graph = rename_scene(read_scene(path, limits=limits), schema, mapping)
    return complete_relations(graph, relation_options_for(schema))
