# SPDX-License-Identifier: Apache-2.0
"""Bridges from other ROS systems into the scene graph; each needs the messages of its system.

- `bridge`: the protocols between the scene_graph node and a bridge.
- `detections`, `sightings`: objects of a 3D detector, from messages to changes of the graph.
- `hydra`: the graph of Hydra, from full and incremental updates.
"""
