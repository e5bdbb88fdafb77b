# SPDX-License-Identifier: Apache-2.0
"""Tasks of PDDL files, own or random, do exactly what PDDL says, state by state."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pddl_interpreter import Interpreter
from pddl_states import RuleStates, compared
from random_pddl import tasks

from fcp_ros.domain import check_goal, evaluate
from fcp_ros.domain.pddl import normal_form
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.fuzzy import tnorm_by_name

FILES = ("blocks", "gripper", "ferry", "miconic", "logistics", "briefcase", "courier", "workshop")


@pytest.fixture(scope="module", params=FILES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def texts(repository, name):
    folder = repository / "test" / "data" / "pddl"
    return read_texts(read_source(folder / f"{name}.pddl"), read_source(folder / f"{name}-1.pddl"))


@pytest.fixture(scope="module")
def task(texts):
    return work_out(texts)


@pytest.fixture(scope="module")
def reachable(task, texts):
    twin = Interpreter(texts)
    return RuleStates(task, twin).reachable()


def test_states_and_steps_are_those_of_pddl(texts, reachable):
    twin = Interpreter(texts)
    assert twin.initial in reachable
    for state, (_, transitions) in reachable.items():
        assert transitions == twin.transitions(state)


def test_the_goal_holds_where_pddl_says_so(texts, task, reachable):
    twin, tnorm = Interpreter(texts), tnorm_by_name("lukasiewicz")
    for state, (instance, _) in reachable.items():
        degree = evaluate(task.goal, instance, lambda *_: 0.0, tnorm)
        assert bool(degree) == twin.reaches_goal(state)
    assert any(twin.reaches_goal(state) for state in reachable)


def test_the_goal_is_one_that_the_planner_takes(task):
    assert check_goal(task.goal, task.domain, task.instance) == task.goal


def test_functional_legs_are_kept_in_all_states(task, reachable):
    for instance, _ in reachable.values():
        for relation in task.domain.schema.relations:
            for leg in relation.functional:
                position = relation.position(leg)
                seen = [legs[position] for legs in instance.tuples(relation.name).values()]
                assert len(seen) == len(set(seen))


# --- Random PDDL tasks: rules, state and goal do what an interpreter of PDDL does, state by state


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
