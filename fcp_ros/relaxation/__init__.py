# SPDX-License-Identifier: Apache-2.0
"""Relaxation: if a goal can't be reached as stated, plan the nearest one that can, with the reason.

    plan_goal.py     from a goal's text to a result: parse, plan as stated, relax only if that fails
    substitution.py  relaxed goals: labels become graded substitutes

`plan_goal` is the entry point of nodes and commands. It calls `planning.plan` once for the goal as
stated, and again for each relaxed goal until one can be reached.
"""

from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.substitution import SUBSTITUTE, Substitution, find_substitutions

__all__ = ["SUBSTITUTE", "Substitution", "find_substitutions", "plan_goal"]
