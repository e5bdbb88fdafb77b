# SPDX-License-Identifier: Apache-2.0
"""The compiled task: only reachable operators, joined with what is static."""

import pytest
from exhaustive_compiler import compile_task

from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.patterns import AtomPattern, FactStore, PatternJoin
from fcp_ros.planning.task.task import Conditions


@pytest.fixture
def watch():
    return Watch(PlanningOptions())


def named(task, name):
    return next(i for i, operator in enumerate(task.operators) if str(operator) == name)


def test_absences_cover_negated_conditions_and_functional_legs(house, home, watch):
    task = compile_task(house, home, watch)
    conditions = Conditions(task)

    def absent(name):
        absences = conditions.find_absences(named(task, name))
        return {str(task.facts[f]) for a in absences for f in a.facts if f != a.unless}

    assert absent("open(bot, crate, kitchen)") == {
        f"holding(bot, {item})" for item in ("mug_1", "mug_2", "book", "milk")
    }
    # `pick` says nothing of an empty hand, but one leg of `holding` is the robot
    assert absent("pick(bot, mug_1, table, kitchen)") == {
        f"holding(bot, {item})" for item in ("mug_2", "book", "milk")
    }
    assert absent("go(bot, kitchen, hall, door_1)") == set()  # the door is never closed
    assert "on(mug_1, shelf)" in absent("place(bot, mug_1, table, kitchen)")


def test_a_constraint_that_an_operator_always_breaks_blocks_it(house, home, watch):
    task = compile_task(house, home, watch)
    (block,) = Conditions(task).find_blocks(named(task, "place(bot, milk, tv, hall)"))
    assert block.rest == ()
    assert [str(task.facts[f]) for f in block.completes] == ["on(milk, tv)"]
    assert Conditions(task).find_blocks(named(task, "place(bot, mug_1, tv, hall)")) == ()


def test_a_join_finds_each_match_of_a_pattern():
    store = FactStore()
    for one, two in [("a", "b"), ("b", "c"), ("c", "a"), ("a", "a")]:
        assert store.add("edge", (one, two))
    assert not store.add("edge", ("a", "b"))
    everything = ("a", "b", "c")
    path = AtomPattern(("x", "y", "z"), (everything,) * 3, (("edge", (0, 1)), ("edge", (1, 2))))
    found = set(PatternJoin(path, None).matches(store))
    assert found == {("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")}
    assert set(PatternJoin(path, 0).matches(store, ("a", "b"))) == {("a", "b", "c")}
    assert set(PatternJoin(path, 1).matches(store, ("a", "b"))) == {("c", "a", "b")}
    loop = AtomPattern(("x",), (everything,), (("edge", (0, 0)),))
    assert set(PatternJoin(loop, None).matches(store)) == {("a",)}
    free = AtomPattern(("x", "y"), (everything, everything), (("edge", (0, 0)),))
    assert set(PatternJoin(free, 0).matches(store, ("a", "a"))) == {("a", "b"), ("a", "c")}
    assert not list(PatternJoin(loop, 0).matches(store, ("a", "b")))
