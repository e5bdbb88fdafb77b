# SPDX-License-Identifier: Apache-2.0
"""Scene graphs: one canonical value, its relations and changes, and a reader for each format.

``load_scene`` reads any supported file into a completed ``SceneGraph``. Knows nothing of domains,
planning or ROS: ``fcp_ros.binding`` makes a state of a scene.

- `graph`: the canonical value; `shapes`: its geometry; `relations`: those derived from geometry.
- `formats`: a reader for each format; `loading` has the tables of readers and writers.
- `difference`: scenes compared and counted, for people.
- `live_scene`: a scene that changes while the robot moves. It takes full updates and deltas of
  several sources in order (`sequence_numbers`), keeps identities (`live_matching`: each source's
  names, and things that are recognised under new ids), and answers with a `SceneChange`.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.scene.difference import SceneSummary, summarise
    from fcp_ros.scene.formats.canonical import to_document, write_scene
    from fcp_ros.scene.formats.scene_file import SceneLimits
    from fcp_ros.scene.graph.delta import (
        Renaming,
        SceneChange,
        SceneDelta,
        UpdateStatus,
        apply_delta,
        compute_delta,
    )
    from fcp_ros.scene.graph.elements import (
        Layer,
        Pose,
        Provenance,
        SceneError,
        SceneNode,
        SceneRelation,
        SequenceGap,
    )
    from fcp_ros.scene.graph.graph import SceneGraph
    from fcp_ros.scene.live_matching import LiveOptions
    from fcp_ros.scene.live_scene import LiveScene
    from fcp_ros.scene.loading import READERS, SceneReader, load_scene, read_scene, save_scene
    from fcp_ros.scene.relations.complete import complete_relations
    from fcp_ros.scene.relations.maintainer import RelationMaintainer
    from fcp_ros.scene.relations.relation_options import RelationOptions

__all__ = [
    "Layer",
    "LiveOptions",
    "LiveScene",
    "Pose",
    "Provenance",
    "READERS",
    "RelationMaintainer",
    "RelationOptions",
    "Renaming",
    "SceneChange",
    "SceneDelta",
    "SceneError",
    "SceneGraph",
    "SceneLimits",
    "SceneNode",
    "SceneReader",
    "SceneRelation",
    "SceneSummary",
    "SequenceGap",
    "UpdateStatus",
    "apply_delta",
    "complete_relations",
    "compute_delta",
    "load_scene",
    "read_scene",
    "save_scene",
    "summarise",
    "to_document",
    "write_scene",
]
