# SPDX-License-Identifier: Apache-2.0
"""The geometric condition of each relation, for all things at once.

Each file states its conditions, the choice among several candidates, and the formula of the
clearness that becomes the confidence (``scored_pairs``).

- ``supports``: ``on``, ``inside``, ``under``, from boxes; ``on``, ``inside`` from surfaces
- ``unsettled``: places of what neither rests nor stands: ``on``, ``inside``, ``attached``
- ``nearness``: ``near``
- ``room_finder``: the room that contains a point
"""
