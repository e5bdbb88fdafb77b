# SPDX-License-Identifier: Apache-2.0
"""The canonical scene graph: values, their checks and their changes.

- ``elements``: nodes with their poses, relations, and ``SceneError``
- ``graph``: ``SceneGraph``, a value with fast look-ups (``indexes``) and cheap changed copies
- ``checks``: the conditions that every graph meets
- ``delta``: changes, applied in time of their size
- ``networkx_graph``: a graph for networkx (``SceneGraph.to_networkx``), and GraphML files
- ``transforms``: rigid transforms between coordinate frames
"""
