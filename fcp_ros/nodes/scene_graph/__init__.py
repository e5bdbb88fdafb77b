# SPDX-License-Identifier: Apache-2.0
"""The node ``scene_graph``: holds the scene graph, takes updates, publishes changes.

- `node`: the lifecycle node; `holder`: the graph that it holds; `intake`: updates as they arrive;
  `last_graph`: the graph on disk; `publisher`: changes and whole graphs.
- `scene_overrides`: names of perception that mean something in a domain.
- `markers`, `marker_parts`: the scene and the plan for RViz and Foxglove.

Bridges from other ROS systems, each of which needs the messages of its system:

- `detections`, `sightings`: objects of a 3D detector, from messages to changes of the graph.
- `hydra`: the graph of Hydra, from full and incremental updates.
"""
