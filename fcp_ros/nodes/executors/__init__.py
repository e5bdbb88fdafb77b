# SPDX-License-Identifier: Apache-2.0
"""Executors for real robots: each serves ExecuteStep by what a robot already has.

- `step_server`: the action ExecuteStep, one step at a time; the others stand on it.
- `tree_executor`: ticks a tree of py_trees for each step.
- `action_executor`: sends a goal to another action for each step.
- `nav2_executor`: drives with nav2's ``navigate_to_pose``; a node of its own.
- `moveit_executor`: moves an arm with MoveIt's ``move_action``; a template.
- `standing_poses`: the pose at which a robot stands in a place of the scene graph.
"""
