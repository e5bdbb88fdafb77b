# SPDX-License-Identifier: Apache-2.0
"""Relaxation: when a goal can't be reached as stated, the nearest one that can, with the reason."""

from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.substitution import SUBSTITUTE, Substitution, substitutions

__all__ = ["SUBSTITUTE", "Substitution", "plan_goal", "substitutions"]
