# SPDX-License-Identifier: Apache-2.0
"""Random PDDL tasks: rules, state and goal do what an interpreter of PDDL does, state by state."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pddl_states import compared
from random_pddl import tasks

from fcp_ros.domain import check_goal
from fcp_ros.domain.pddl import normal_form


@settings(max_examples=120, phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink])
@given(tasks())
def test_random_tasks_are_translated_faithfully(texts):
    task, _ = compared(*texts, limit=6)
    check_goal(task.goal, task.domain, task.instance)


@pytest.fixture(params=[1, 4])
def few(request, monkeypatch):
    """Conditions with more alternatives than this keep formulas."""
    monkeypatch.setattr(normal_form, "MAX_ALTERNATIVES", request.param)


@settings(
    max_examples=120,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tasks())
def test_conditions_that_stay_formulas_mean_the_same(few, texts):
    compared(*texts, limit=6)
