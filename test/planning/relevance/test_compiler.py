# SPDX-License-Identifier: Apache-2.0
"""Grounding on demand against the exhaustive compiler, on random worlds."""

from unittest import mock

from demand_twin import exhaustive_names, filtered_names, shortest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import worlds
from rewriting_twin import walk

from fcp_ros.cset import facts
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.formula import Wanted
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.achievers import Attempts
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.task.task import Conditions

PROPERTY = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@st.composite
def wanted_in(draw, whole):
    """What is wanted: facts that come true at some time, and facts that hold at first."""
    new = [f for number, f in enumerate(whole.facts) if number not in whole.initial]
    old = [whole.facts[number] for number in sorted(whole.initial)]
    positive = draw(st.lists(st.sampled_from(new), min_size=1, max_size=2)) if new else []
    negative = draw(st.lists(st.sampled_from(old), max_size=2)) if old else []
    return Wanted(frozenset(positive), frozenset(negative))


@PROPERTY
@given(world=worlds(), data=st.data())
def test_full_breadth_equals_the_exhaustive_compiler(world, data):
    domain, instance = world
    watch = Watch(PlanningOptions(time_limit=60.0))
    wanted = data.draw(wanted_in(compile_task(domain, instance, watch)))
    expected = exhaustive_names(domain, instance, wanted, watch)
    found = {
        breadth: filtered_names(
            RelevanceCompiler(domain).task(instance, wanted, breadth, watch), wanted, watch
        )
        for breadth in Breadth
    }
    assert found[Breadth.FULL] == expected
    assert found[Breadth.NARROW] <= found[Breadth.FULL]


@PROPERTY
@given(world=worlds(), data=st.data())
def test_operators_and_their_conditions_are_those_of_the_exhaustive_compiler(world, data):
    domain, instance = world
    watch = Watch(PlanningOptions(time_limit=60.0))
    whole = compile_task(domain, instance, watch)
    wanted = data.draw(wanted_in(whole))
    task = RelevanceCompiler(domain).task(instance, wanted, Breadth.FULL, watch)
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
        assert others(task, few.find_absences(index)) == others(
            whole, all_.find_absences(other), task
        )


def others(task, absences, smaller=None):
    """What must be absent, in words; only facts that a smaller task has, too."""
    known = set((smaller or task).facts)
    groups = {
        frozenset(named(task, absence.facts) & known - named(task, {absence.unless} - {None}))
        for absence in absences
    }
    return groups - {frozenset()}


@settings(PROPERTY, max_examples=25)
@given(world=worlds(), rng=st.randoms(use_true_random=False))
def test_plans_are_not_lost(world, rng):
    domain, instance = world
    assume(facts(instance))
    *_, (_, last, _) = walk(domain, instance, rng, rng.randint(1, 4))
    after, before = facts(last), facts(instance)
    gained, lost = sorted(after - before), sorted(before - after)
    assume(gained or lost)
    wanted = Wanted(
        frozenset(rng.sample(gained, min(len(gained), 2))),
        frozenset(rng.sample(lost, min(len(lost), 1))),
    )
    watch = Watch(PlanningOptions(time_limit=60.0))
    try:
        expected = shortest(compile_task(domain, instance, watch), wanted, 1000)
    except OverflowError:
        assume(False)
    found = [
        shortest(RelevanceCompiler(domain).task(instance, wanted, b, watch), wanted)
        for b in Breadth
    ]
    assert len(found[-1]) == len(expected)
    assert all(plan is None or len(plan) >= len(expected) for plan in found)


def named(task, numbers):
    return {task.facts[number] for number in numbers}


@PROPERTY
@given(world=worlds(), data=st.data())
def test_contexts_that_differ_in_nothing_that_is_read_change_nothing(world, data):
    """The slow twin tries a binding in each context of a literal, however often it is the same."""
    domain, instance = world
    watch = Watch(PlanningOptions(time_limit=60.0))
    wanted = data.draw(wanted_in(compile_task(domain, instance, watch)))

    def compile_all():
        task = RelevanceCompiler(domain).task(instance, wanted, Breadth.NARROW, watch)
        return sorted(map(str, task.operators))

    found = compile_all()
    every = mock.patch.object(
        Attempts,
        "_list_contexts",
        lambda self, _plan, literal: self._reachability.contexts(literal >> 1),
    )
    with every:
        assert compile_all() == found
