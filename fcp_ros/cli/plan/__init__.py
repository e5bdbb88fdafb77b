# SPDX-License-Identifier: Apache-2.0
"""``fcp plan``: plan for a goal without ROS.

command: the command with all its options. options: those that say what a good plan is and how it is
searched for. request: one request answered, for a scene or for PDDL files.
"""
