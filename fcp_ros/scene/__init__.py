# SPDX-License-Identifier: Apache-2.0
"""Scene graphs: one canonical value, readers for the formats that tools write, and its state.

``load_scene`` reads any supported file into a completed ``SceneGraph``; ``scene_to_instance``
makes a C-set of it; ``delta_of_facts`` goes back. Knows nothing of planning or of ROS.
"""

from fcp_ros.scene.difference import DifferenceTolerances, SceneDifference, difference
from fcp_ros.scene.formats.canonical import to_document, write_scene
from fcp_ros.scene.formats.context_matters.instances import (
    ContextMattersInstance,
    load_context_matters_instances,
    load_context_matters_records,
)
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, delta_between
from fcp_ros.scene.graph.errors import SceneError, SequenceGap
from fcp_ros.scene.graph.graph import (
    AttributeValue,
    Layer,
    Pose,
    Provenance,
    SceneGraph,
    SceneNode,
    SceneRelation,
)
from fcp_ros.scene.graph.labels import label_forms, match_label, normalise_label
from fcp_ros.scene.live.change import Renaming, SceneChange, UpdateStatus
from fcp_ros.scene.live.live_scene import LiveScene
from fcp_ros.scene.live.matching import LiveOptions
from fcp_ros.scene.loading import READERS, SceneReader, load_scene, read_scene
from fcp_ros.scene.relations.complete import complete_relations
from fcp_ros.scene.relations.keeper import RelationKeeper
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.same_things import same_things
from fcp_ros.scene.state.advance import advance_state
from fcp_ros.scene.state.from_facts import delta_of_facts
from fcp_ros.scene.state.label_types import TypeChoice, TypedBy
from fcp_ros.scene.state.mapping import AttributeFact, SceneMapping, type_of_label
from fcp_ros.scene.state.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.scene.state.to_cset import SceneState, scene_to_instance
from fcp_ros.scene.state.type_overrides import with_type_overrides
from fcp_ros.scene.summary import SceneSummary, summarise
from fcp_ros.scene.writing import WRITERS, SceneWriter, save_scene

__all__ = [
    "AttributeFact",
    "AttributeValue",
    "ContextMattersInstance",
    "DifferenceTolerances",
    "Layer",
    "LabelSimilarity",
    "NoSimilarity",
    "LiveOptions",
    "LiveScene",
    "Pose",
    "Provenance",
    "READERS",
    "RelationKeeper",
    "RelationOptions",
    "Renaming",
    "SceneChange",
    "SceneDelta",
    "SceneDifference",
    "SceneError",
    "SceneGraph",
    "SceneLimits",
    "SceneMapping",
    "SceneNode",
    "SceneReader",
    "SceneRelation",
    "SceneState",
    "SceneSummary",
    "SceneWriter",
    "SequenceGap",
    "TypeChoice",
    "TypedBy",
    "WRITERS",
    "UpdateStatus",
    "advance_state",
    "apply_delta",
    "complete_relations",
    "delta_between",
    "delta_of_facts",
    "difference",
    "label_forms",
    "load_context_matters_instances",
    "load_context_matters_records",
    "load_scene",
    "match_label",
    "normalise_label",
    "read_scene",
    "same_things",
    "save_scene",
    "scene_to_instance",
    "summarise",
    "to_document",
    "type_of_label",
    "with_type_overrides",
    "write_scene",
]
