# SPDX-License-Identifier: Apache-2.0
"""A scene in the words of a domain: types, states that follow the scene, and facts back to it.

A scene graph knows nothing of domains, and a domain nothing of scene graphs; this layer knows both.

- ``renaming``: a scene in the words of a domain, by its overrides, before completion;
  ``scene_loading`` reads a file so; relations and attributes that a schema declares
- ``label_types``: the type of each node, by the user's choice or its label, with a degree and a
  reason; ``similar_labels`` has the vote for unknown labels, and what WordNet says of them
- ``stated_facts``: the facts that a scene graph states, read through a schema
- ``scene_to_state``: a state (a C-set of the domain's schema) of a completed scene, and what was
  guessed, changed or left out on the way
- ``state_changes``: that state after a scene delta, in time of the delta's size
- ``facts_to_scene``: changed facts as a scene delta, poses included
"""
