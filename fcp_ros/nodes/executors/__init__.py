# SPDX-License-Identifier: Apache-2.0
"""Executors: each serves ExecuteStep by what a robot, a person or a world already has.

- `step_server`: the action ExecuteStep, one step at a time, for those who never wait.
- `action_executor`: sends a goal to another action for each step; `nav2_executor` drives so, by
  ``navigate_to_pose``, to where a robot stands in a place of the scene graph.
- `person_executor`: asks a person to do a step.
- `step_threads`: ExecuteStep for those who wait: `simulated_executor`, by the domain's rules, and
  `world_executor`, in a world with physics or pyrobosim's.
"""
