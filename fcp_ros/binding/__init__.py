# SPDX-License-Identifier: Apache-2.0
"""A scene in the words of a domain: types, states that follow the scene, and facts back to it.

A scene graph knows nothing of domains, and a domain nothing of scene graphs; this layer knows both.
``scene_to_instance`` makes a state (a C-set of the domain's schema) of a completed scene,
``advance_state`` lets it follow a scene delta in time of the delta's size, and ``delta_from_facts``
turns changed facts back into a scene delta.

- ``renaming``: a scene in the words of a domain, by its overrides, before completion;
  ``scene_loading`` reads a file so
- ``label_types``: the type of each node, by the user's choice or its label, with a degree and a
  reason; ``similar_labels`` has the vote for unknown labels
- ``schema_vocabulary``: the relations and attributes that a schema declares, and what fits them
- ``stated_facts``: the facts that a scene graph states, read through a schema
- ``scene_to_state``, ``state_changes``: a state from a whole scene, and from a scene delta
- ``conversion_log``: what was guessed, changed or left out on the way
- ``facts_to_scene``: changed facts as a scene delta, poses included
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.binding.facts_to_scene import delta_from_facts
    from fcp_ros.binding.label_types import (
        TypeChoice,
        TypeReason,
        check_overrides,
        type_of_label,
        with_type_overrides,
    )
    from fcp_ros.binding.renaming import rename_scene
    from fcp_ros.binding.scene_loading import load_scene_for
    from fcp_ros.binding.scene_to_state import SceneState, scene_to_instance
    from fcp_ros.binding.schema_vocabulary import relation_options_for
    from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
    from fcp_ros.binding.state_changes import advance_state

__all__ = [
    "LabelSimilarity",
    "NoSimilarity",
    "SceneState",
    "TypeChoice",
    "TypeReason",
    "advance_state",
    "check_overrides",
    "delta_from_facts",
    "load_scene_for",
    "relation_options_for",
    "rename_scene",
    "scene_to_instance",
    "type_of_label",
    "with_type_overrides",
]
