# SPDX-License-Identifier: Apache-2.0
"""A domain with a scene: the initial state of the commands that run without ROS."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fcp_ros.binding.label_types import check_overrides, with_type_overrides
from fcp_ros.binding.renaming import relation_options_for, rename_scene
from fcp_ros.binding.scene_to_state import SceneState, scene_to_instance
from fcp_ros.domain import Domain, load_domain, load_overrides
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import SceneGraph, SceneLimits, SceneReader, complete_relations
from fcp_ros.scene.loading import read_with_format


@dataclass(frozen=True)
class Session:
    """A scene in the words of a domain."""

    domain: Domain  # The domain, with the user's type overrides
    graph: SceneGraph  # The scene, with its relations completed
    state: SceneState
    format: SceneReader  # The reader that recognised the file


@dataclass(frozen=True)
class SceneChoice:
    """The options that decide how a scene becomes a state."""

    types: tuple[str, ...] = ()  # ``LABEL=TYPE`` or ``ID=TYPE`` each
    # Least vote for the type of a similar label; None takes the domain's own
    similar: float | None = None
    limits: SceneLimits | None = None  # Limits on the size of a file; None for the defaults
    # Relations to derive besides those that the domain declares (``near``, ``under``...)
    also: tuple[str, ...] = ()
    overrides: Path | None = None  # File with the names of the scene in the words of the domain


def open_session(domain_name: str, scene_name: str, choice: SceneChoice | None = None) -> Session:
    """Read a domain and a scene, each given by name or path.

    Raises DomainError, SceneError if a file is invalid; the message says where, and what to do.
    """
    choice = choice or SceneChoice()
    domain = load_domain(find_domain(domain_name))
    if choice.overrides is not None:
        domain = load_overrides(choice.overrides, domain)
    mapping = with_type_overrides(domain.mapping, domain.schema, choice.types)
    if choice.similar is not None:
        mapping = replace(mapping, similar_threshold=choice.similar)
    given, reader = read_with_format(find_scene(scene_name), limits=choice.limits)
    given = rename_scene(given, domain.schema, mapping)
    graph = complete_relations(given, relation_options_for(domain.schema, choice.also))
    check_overrides(graph, mapping)
    state = scene_to_instance(graph, domain.schema, mapping, EmbeddingLabelSimilarity())
    return Session(replace(domain, mapping=mapping), graph, state, reader)
