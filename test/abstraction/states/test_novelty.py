# SPDX-License-Identifier: Apache-2.0
"""The search of small width beside one by the book, and the state that it gives back."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from benchmark.planning.classics import CLASSICS
from fcp_ros.abstraction.proposers.exploration import explore
from fcp_ros.abstraction.proposers.task_samples import add_subgoals
from fcp_ros.abstraction.states.building import build_state, list_goal_atoms
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.novelty import WIDTHS, NovelStates
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.domain.pddl.task_reader import parse_pddl

KITCHEN = Path(__file__).parents[2] / "data" / "pddl"


def draw(name: str, size: int, seed: int) -> tuple[RuleEngine, RelationalState]:
    if name == "childsnack":  # which has a constant
        texts = [(KITCHEN / f"{file}.pddl").read_text() for file in (name, f"{name}-1")]
    else:
        (drawn,) = (one for one in CLASSICS if one.name == name)
        texts = [drawn.domain.read_text(), drawn.problem(size, seed)]
    task = parse_pddl(*texts)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    return RuleEngine(task.domain), build_state(task.domain, task.instance, goal)


def search_by_the_book(engine: RuleEngine, state: RelationalState, width: int) -> list[int]:
    """Keys of the new states: all tuples of facts are listed, of width 1 their negations, too."""
    first = set(state.list_fluent_facts())

    def list_tuples(one: RelationalState) -> set[object]:
        facts = set(one.list_fluent_facts())
        gone: set[object] = {("gone", fact) for fact in first - facts}
        pairs = itertools.combinations(sorted(facts, key=repr), 2) if width > 1 else ()
        return gone | facts | set(pairs)

    seen = list_tuples(state)
    queue, keys = [state.copy()], []
    for current in queue:
        for step in list(engine.successors(current)):
            after = current.copy()
            engine.apply(*step, after)
            found = list_tuples(after)
            if found - seen:
                seen |= found
                queue.append(after)
                keys.append(after.key())
    return keys


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "size"), [("blocks", 4), ("ferry", 2), ("childsnack", 1)])
def test_it_finds_what_a_search_by_the_book_finds(name: str, size: int, width: int) -> None:
    engine, state = draw(name, size, 3)
    before = state.key()
    search, found = NovelStates(engine, state, width), []
    while (steps := search.find_next()) is not None:
        found.append(state.key())
        other = draw(name, size, 3)[1]
        for step in steps:
            engine.apply(*step, other)
        assert other.key() == state.key()
    assert state.key() == before
    assert found == search_by_the_book(engine, state, width)


def test_a_search_that_is_broken_off_gives_the_state_back() -> None:
    engine, state = draw("logistics", 8, 1)
    before, versions = state.key(), dict(state.versions)
    search = NovelStates(engine, state, 1)
    for _ in range(12):
        assert search.find_next()
    assert state.key() != before
    search.take_back()
    assert (state.key(), state.versions) == (before, versions)


@pytest.mark.parametrize("width", WIDTHS)
def test_sampled_subgoals_are_those_that_a_run_finds(width: int) -> None:
    engine, state = draw("blocks", 3, 2)
    space = explore(engine, state, lambda _: False, (), 500, lambda: None)
    assert space is not None
    sample = add_subgoals(space, width, lambda: None)
    for number, one in enumerate(space.states):
        current, found = one.copy(), []
        search = NovelStates(engine, current, width)
        while search.find_next() is not None:
            found.append(current.key())
        pairs = zip(sample.sources, sample.targets, strict=True)
        targets = [space.states[target].key() for source, target in pairs if source == number]
        assert targets == found
