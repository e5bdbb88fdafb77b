# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph: values, their checks and their changes.

- ``elements``: nodes with their poses, relations, and ``SceneError``
- ``graph``: ``SceneGraph``, a value with fast look-ups (``indexes``) and cheap changed copies; the
  same for networkx
- ``checks``: the conditions that every graph meets
- ``delta``: changes, applied in time of their size
- ``roles``: the roles that nodes have by their label
- ``transforms``: rigid transforms between coordinate frames
"""
