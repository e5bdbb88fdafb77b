# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 nodes: lifecycle, parameters and messages around the layers below, no algorithms.

This layer and the client are the only ones that import rclpy. There is a folder for each node,
with its class and its ``main()`` in `node`:

- `scene_graph`: holds the scene graph; takes updates, publishes changes and whole graphs. Other
  systems' messages (`detections`, `hydra`) and markers for RViz are part of it.
- `grounder`: judges graded predicates and learns from outcomes.
- `planner`: the node `task_planner`, which answers planning and validation requests.
- `executive`: plans, executes, monitors and replans until a goal is achieved.
- `simulated_executor`: performs steps in a simulated world; one file.
- `executors`: perform steps: nav2, any other action, a person, worlds that are simulated.

They share `runtime` (lifecycle, parameters, worker threads, requests to other nodes and the death
of these, repairs of rclpy), `conversions` (the only place where messages meet the values of the
model) and `scene_access` (following the scene graph, reporting changes to it). `stack` starts
several nodes in one process.
"""
