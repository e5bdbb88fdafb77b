# SPDX-License-Identifier: Apache-2.0
"""The parts of a goal that no plan meets together."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.planning import Optimise, Phase, PlanStatus, conflicts
from fcp_ros.planning.conflicts import find_minimal_subset
from fcp_ros.planning.model.watch import Watch

CONTRADICTION = "never at(bot, hall) and on(book, table) and on(mug_1, shelf)"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """What is minimal does not depend on how busy the machine is."""
    monkeypatch.setattr(conflicts, "LEAST", 60.0)


@given(st.data())
def test_a_subset_is_minimal_for_any_monotone_test(data):
    parts = tuple(range(data.draw(st.integers(1, 7))))
    sets = st.frozensets(st.sampled_from(parts), min_size=1)
    cores = data.draw(st.lists(sets, min_size=1, max_size=3))

    def is_conflict(some):
        return any(core <= set(some) for core in cores)

    found = find_minimal_subset(parts, is_conflict)
    assert frozenset(found) in cores
    smaller = itertools.combinations(found, len(found) - 1)
    assert not any(is_conflict(rest) for rest in smaller)


@given(st.integers(1, 7), st.data())
def test_what_is_not_decided_leaves_a_conflict_all_the_same(number, data):
    """A test that runs out of time answers False: the subset is larger then, never wrong."""
    parts = tuple(range(number))
    core = data.draw(st.frozensets(st.sampled_from(parts), min_size=1))
    undecided = data.draw(st.sets(st.frozensets(st.sampled_from(parts))))
    found = find_minimal_subset(
        parts, lambda some: core <= set(some) and frozenset(some) not in undecided
    )
    assert core <= set(found)


def test_the_parts_that_contradict_one_another_are_named(ask):
    result = ask(CONTRADICTION)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert result.conflict.parts == ("never at(bot, hall)", "on(mug_1, shelf)")
    assert result.conflict.minimal
    assert result.message == result.conflict.reason
    assert "both never at(bot, hall) and on(mug_1, shelf)" in result.message


@pytest.mark.parametrize("optimise", [Optimise.COST, Optimise.DURATION])
def test_a_conflict_does_not_depend_on_the_objective(ask, optimise):
    goal = f"{CONTRADICTION} and prefer 0.2, cost 3: on(mug_2, table)"
    result = ask(goal, optimise=optimise)
    assert result.conflict.parts == ("never at(bot, hall)", "on(mug_1, shelf)")


def test_a_part_that_has_no_plan_alone_is_named_with_the_reason(ask):
    result = ask("on(mug_1, shelf) and on(milk, tv)")
    assert result.conflict.parts == ("on(milk, tv)",)
    assert "dry forbids it (it would be ruined)" in result.message


def test_variables_are_those_of_the_whole_goal(ask):
    goal = 'on(?x, shelf) and is_a(?x, "book") and serves_as(?x, "drinking")'
    result = ask(f"{goal} and never holding(bot, book)")
    assert result.conflict.parts == (
        "on(?x, shelf)",
        'is_a(?x, "book")',
        "never holding(bot, book)",
    )


def test_without_time_a_conflict_is_not_minimal(ask, monkeypatch):
    monkeypatch.setattr(Watch, "time_left", property(lambda _: 0.0))
    result = ask(CONTRADICTION)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert not result.conflict.minimal
    assert len(result.conflict.parts) == 3
    assert "no time" in result.message


def test_one_part_makes_no_conflict(ask):
    result = ask("on(milk, tv)")
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert result.conflict is None


@pytest.mark.parametrize(
    ("goal", "broken", "because"),
    [
        ("never closed(crate) and on(mug_1, shelf)", "never closed(crate)", "closed(crate) holds"),
        (
            "forall ?r: room (always at(bot, ?r))",
            "always at(bot, hall)",
            "at(bot, hall) does not hold",
        ),
        (
            "at(bot, hall) and hold at(bot, hall) during 0 s to 9 s",
            "hold at(bot, hall) during 0 s to 9 s",
            "at(bot, hall) does not hold",
        ),
        (
            "closed(crate) and dirty(table) before at(bot, kitchen)",
            "dirty(table) before at(bot, kitchen)",
            "at(bot, kitchen) holds",
        ),
        (
            "always (on(book, shelf) or on(mug_1, shelf))",
            "always (on(book, shelf) or on(mug_1, shelf))",
            "on(book, shelf) does not hold and on(mug_1, shelf) does not hold",
        ),
    ],
)
def test_a_constraint_that_is_broken_already_needs_no_search(ask, goal, broken, because):
    result = ask(goal)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert result.conflict.parts == (broken,)
    assert result.message.startswith(f"{broken} is broken before the first step: {because} init")
    assert Phase.SEARCH.value not in result.timings


def test_a_preference_may_be_broken_already(ask):
    result = ask("on(mug_1, shelf) and prefer 0.1: never closed(crate)")
    assert result.status.solved
    assert result.conflict is None
