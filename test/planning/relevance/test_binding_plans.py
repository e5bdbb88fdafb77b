# SPDX-License-Identifier: Apache-2.0
"""The order in which slots are bound: complete for any rule, found in bounded effort."""

from itertools import pairwise
from unittest import mock

import pytest

from fcp_ros.domain import parse_domain
from fcp_ros.planning.relevance import binding_plans
from fcp_ros.planning.relevance.binding_plans import BindingPlanner, BindingStyle
from fcp_ros.planning.task.lifted import lift_domain


def make_trigger(count):
    """The addition of a rule with this number of parameters, each linked to the next one."""
    names = [f"x{number}" for number in range(count)]
    parameters = ", ".join(f"{name}: spot" for name in names)
    links = [f"'way({one}, {other})'" for one, other in pairwise(names)]
    links += [f"'free({name})'" for name in names]
    text = f"""
domain: sheets
version: "1"
types: {{spot: []}}
relations:
  way: {{legs: {{from: spot, to: spot}}, static: true}}
  free: {{legs: {{spot: spot}}}}
  done: {{legs: {{spot: spot}}}}
attributes:
  category: {{of: spot, kind: string}}
scene: {{layers: {{}}, unknown: spot}}
rules:
  print: {{parameters: {{{parameters}}}, when: [{", ".join(links)}], add: ['done(x0)'],
    duration: 1, executor: print}}
"""
    lifted = lift_domain(parse_domain(text))
    (trigger,) = lifted.adders["done"]
    return BindingPlanner(lifted), trigger


@pytest.mark.parametrize("style", BindingStyle)
@pytest.mark.parametrize("count", [2, 5, 9, 18])
def test_any_number_of_slots_is_bound_in_bounded_effort(count, style):
    """All sets of 17 open slots would be 131,072."""
    planner, trigger = make_trigger(count)
    choices = mock.Mock(side_effect=binding_plans._extend)
    with mock.patch.object(binding_plans, "_extend", choices):
        plan = planner.plan(trigger, style, frozenset(trigger.slots), frozenset())
    opened = [slot for step in plan.steps for _, slot in step.opens]
    assert sorted(opened) == list(range(1, count))
    assert choices.call_count <= 3 * (binding_plans._PATIENCE + count)
