# SPDX-License-Identifier: Apache-2.0
"""A scene that changes while the robot moves: updates in order, identities kept.

``LiveScene`` takes full updates and deltas of several sources, and answers each with a
``SceneChange``.

- ``live_scene``: the present graph, with derived relations; full updates as changes, so that
  unchanged parts are shared
- ``sequence_numbers``: the order of a source's updates
- ``matching``: the meaning of the ids in an update: the names of each source, and things that are
  recognised under new ids
- ``change``: the change that followers get
"""
