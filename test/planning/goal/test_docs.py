# SPDX-License-Identifier: Apache-2.0
"""docs/goals.md stays true: each of its examples is a goal, and has a verified plan."""

import re

import pytest

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan
from fcp_ros.scene import load_scene


@pytest.fixture
def plan_goal(repository, degrees):
    """Plans a goal in the furnished house."""
    domain = load_domain(repository / "config" / "domains" / "household.yaml")
    scene = load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")
    state = scene_to_instance(scene, domain.schema, domain.mapping).instance
    options = PlanningOptions(alpha=0.0, time_limit=60.0)
    return lambda text: plan(
        PlanningRequest(domain, state, parse_expression(text), options, degrees({}, 0.9))
    )


def _read_examples(repository):
    text = (repository / "docs" / "goals.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```goal\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_each_example_has_a_plan(repository, plan_goal):
    examples = _read_examples(repository)
    assert len(examples) >= 20
    for text in examples:
        assert parse_expression(to_text(parse_expression(text))) == parse_expression(text)
        result = plan_goal(text)
        assert result.status.solved, (text, result.message)
        assert result.verification.ok, text


@pytest.mark.parametrize(
    ("text", "given_up"),
    [
        ("prefer 0.1 as calm: never at(robot_1, living_room_1) and on(mug_1, counter_1)", 1),
        ("prefer 0.1 as calm: never at(robot_1, living_room_1) and on(milk_1, counter_1)", 0),
    ],
)
def test_what_is_given_up_is_said(text, given_up, plan_goal):
    result = plan_goal(text)
    assert [one.name for one in result.given_up] == ["calm"] * given_up
    assert ("given up" in result.message) is bool(given_up)
