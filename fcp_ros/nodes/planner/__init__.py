# SPDX-License-Identifier: Apache-2.0
"""The node ``task_planner``: plans for goals on the present scene, and validates plans."""
