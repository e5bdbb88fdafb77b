# SPDX-License-Identifier: Apache-2.0
"""Transitions of training tasks, with the exact distance of each state to the goal.

- `training_task`: domain, instance and goal that a policy is learned on; read from files.
"""
