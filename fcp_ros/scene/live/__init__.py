# SPDX-License-Identifier: Apache-2.0
"""A scene that changes while the robot moves: updates in order, identities kept.

``LiveScene`` takes full updates and deltas of several sources, and answers each with a
``SceneChange``.

- ``live_scene``: the present graph, with derived relations
- ``sequence_numbers``: the order of a source's updates
- ``matching``: the meaning of the ids in an update; ``identity`` remembers the names of each
  source, ``association`` recognises things under new ids
- ``replacement``: full updates as changes, so that unchanged parts are shared
- ``change``: the change that followers get
"""
