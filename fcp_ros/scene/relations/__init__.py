# SPDX-License-Identifier: Apache-2.0
"""Relations derived from geometry: places, rooms, connections, nearness.

``complete_relations`` derives them for a whole graph, ``RelationMaintainer`` keeps them up to date
while the graph changes. Both use ``Derivation``, so that they cannot differ. Whatever the source
gives wins over geometry.

- ``relation_options``: which relations are derived, and the tolerances of their conditions
- ``scored_pairs``, ``supports``, ``nearness``, ``unsettled``: geometric conditions of relations,
  on arrays of boxes and outlines; things that would lie on or in themselves
- ``draft_graph``: the graph in the making, and what its source gives by the thing whose place it
  states; ``rooms``: its rooms, floors, robot and passages, and the rooms of points
- ``places``: the places of things as far as they are known, and relations made of them;
  ``derivation``: they are derived from what is given, boxes and rooms
- ``complete``: all of this for a whole graph, with what in it contradicts itself
- ``maintainer``: all of this for the neighbourhood of a change, in time of the change's size
"""
