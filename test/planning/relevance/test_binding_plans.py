# SPDX-License-Identifier: Apache-2.0
"""The order in which slots are bound, and the elements near others: complete, in bounded effort."""

from itertools import combinations, islice, pairwise, permutations
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cset import Fact, Instance, InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance import binding_plans
from fcp_ros.planning.relevance.binding import Matcher
from fcp_ros.planning.relevance.binding_plans import BindingPlanner, BindingStyle
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.relevance.element_choice import ElementChoice, _Replay
from fcp_ros.planning.relevance.facts import FactTable
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


SHOP = """
domain: shop
version: "1"
types: {amount: [], tool: [], spot: []}
relations:
  less: {legs: {low: amount, high: amount}, static: true}
  round: {legs: {amount: amount}, static: true}
  ready: {legs: {tool: tool}}
  paid: {legs: {amount: amount}}
  way: {legs: {from: spot, to: spot}, static: true}
  lit: {legs: {spot: spot}}
attributes:
  category: {of: spot, kind: string}
scene: {layers: {}, unknown: spot}
rules:
  pay: {parameters: {high: amount, low: amount, one: tool, other: tool},
    when: ['less(low, high)', 'round(low)', 'ready(one)', 'ready(other)'],
    add: ['paid(high)'], duration: 1, executor: pay}
  light: {parameters: {spot: spot, tool: tool}, when: ['ready(tool)'],
    delete: ['ready(tool)'], add: ['lit(spot)'], duration: 1, executor: light}
"""


def make_shop(amounts, spots=()):
    """A state with so many amounts in order, of which the least is round, and linked spots."""
    domain = parse_domain(SHOP)
    builder = InstanceBuilder(domain.schema)
    things = {
        "amount": [f"a{n}" for n in range(amounts)],
        "tool": ["saw", "drill", "file"],
        "spot": spots,
    }
    ids = {name: builder.add(type_, name) for type_, names in things.items() for name in names}
    for low, high in combinations(things["amount"], 2):
        builder.relate("less", ids[low], ids[high])
    builder.relate("round", ids["a0"])
    for tool in things["tool"]:
        builder.relate("ready", ids[tool])
    for one, other in permutations(spots, 2):
        builder.relate("way", ids[one], ids[other])
    return domain, builder.build()


def test_a_check_fails_once_and_not_for_each_combination_of_what_it_does_not_depend_on():
    """In agricola (IPC-2018), nine of ten bindings were such repetitions."""
    domain, instance = make_shop(60)
    wanted = Wanted(frozenset({Fact("paid", ("a59",))}), frozenset())
    with mock.patch.object(Matcher, "_bind", autospec=True, side_effect=Matcher._bind) as bind:
        task = RelevanceCompiler(domain).task(
            instance, wanted, Breadth.FULL, Watch(PlanningOptions())
        )
    assert len(task.operators) == 6  # two of three tools, in each order
    assert bind.call_count <= 59  # smaller amounts; tools are bound without a step for each


def test_what_lies_near_is_looked_up_once():
    """Where nothing of the type is near, all links of links are looked at to find that out."""
    spots = [f"s{n}" for n in range(12)]
    domain, instance = make_shop(9, spots)
    choice = ElementChoice(lift_domain(domain), FactTable(instance))
    centres = [instance.id_of(spot) for spot in spots]
    with mock.patch.object(
        Instance, "type_of", autospec=True, side_effect=Instance.type_of
    ) as look:
        for _ in range(50):
            assert len(list(choice.some("amount", 1, centres, True, lambda _: True))) == 1
    links = 2 * (len(spots) - 1)  # of a spot, in both directions
    assert look.call_count <= len(spots) * links * (1 + links) + len(spots)


@given(st.lists(st.integers()), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5))))
def test_a_replay_says_the_same_to_each_reader(values, turns):
    replay = _Replay(iter(values))
    readers = [iter(replay) for _ in range(3)]
    read = [[], [], []]
    for reader, count in turns:
        read[reader] += islice(readers[reader], count)
    for reader, before in zip(readers, read, strict=True):
        assert [*before, *reader] == values
