# SPDX-License-Identifier: Apache-2.0
"""Random PDDL tasks: rules, state and goal do what an interpreter of PDDL does, state by state."""

from __future__ import annotations

from hypothesis import Phase, given, settings
from pddl_states import compared
from random_pddl import tasks

from fcp_ros.domain import check_goal


@settings(max_examples=120, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
@given(tasks())
def test_random_tasks_are_translated_faithfully(texts):
    task, _ = compared(*texts, limit=6)
    check_goal(task.goal, task.domain, task.instance)
