# SPDX-License-Identifier: Apache-2.0
"""Grounding on demand against the exhaustive compiler, on random worlds."""

import pytest
from demand_twin import exhaustive_names
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_worlds import worlds

from fcp_ros.cset import Fact
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.demand import Breadth, demand_task
from fcp_ros.planning.compile.forward_compile import compile_task
from fcp_ros.planning.compile.wanted import Wanted
from fcp_ros.planning.model.watch import Watch

PROPERTY = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
FACTS = st.sampled_from(
    [
        *(Fact(p, (a,)) for p, a in (("p", "a1"), ("p", "a2"), ("s", "b1"), ("s", "b2"))),
        *(Fact(p, (a, b)) for p in "qr" for a in ("a1", "a2") for b in ("b1", "b2")),
    ]
)
FEW = st.lists(FACTS, max_size=3).map(frozenset)


@pytest.fixture
def watch():
    return Watch(PlanningOptions())


def changing(domain, wanted):
    fluents = {a.predicate for rule in domain.rules.values() for a in (*rule.add, *rule.delete)}
    return Wanted(
        frozenset(f for f in wanted.positive if f.relation in fluents),
        frozenset(f for f in wanted.negative if f.relation in fluents),
    )


@PROPERTY
@given(world=worlds(), wanted=st.builds(Wanted, FEW, FEW))
def test_full_breadth_equals_the_exhaustive_compiler(world, wanted):
    domain, instance = world
    wanted, watch = changing(domain, wanted), Watch(PlanningOptions())
    expected = exhaustive_names(domain, instance, wanted, watch)
    found = {
        breadth: set(map(str, demand_task(domain, instance, wanted, breadth, watch).operators))
        for breadth in Breadth
    }
    assert found[Breadth.FULL] == expected
    assert found[Breadth.NARROW] <= found[Breadth.WIDE] <= found[Breadth.FULL]


@PROPERTY
@given(world=worlds(), wanted=st.builds(Wanted, FEW, FEW))
def test_operators_and_their_conditions_are_those_of_the_exhaustive_compiler(world, wanted):
    domain, instance = world
    wanted, watch = changing(domain, wanted), Watch(PlanningOptions())
    whole = compile_task(domain, instance, watch)
    task = demand_task(domain, instance, wanted, Breadth.FULL, watch)
    assert task.initial == {i for i, f in enumerate(task.facts) if f in named(whole, whole.initial)}
    assert {key for keys in task.keys for key in keys if key in whole.broken} == task.broken
    numbers = {str(operator): index for index, operator in enumerate(whole.operators)}
    few, all_ = Conditions(task), Conditions(whole)
    for index, operator in enumerate(task.operators):
        other = numbers[str(operator)]
        twin = whole.operators[other]
        for mine, theirs in (
            (operator.pre, twin.pre),
            (operator.add, twin.add),
            (operator.delete, twin.delete),
        ):
            assert named(task, mine) == named(whole, theirs)
        known = set(task.facts)
        for mine, theirs in zip(few.absences(index), all_.absences(other), strict=False):
            assert named(task, mine.facts) == named(whole, theirs.facts) & known


def named(task, numbers):
    return {task.facts[number] for number in numbers}
