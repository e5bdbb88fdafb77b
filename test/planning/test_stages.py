# SPDX-License-Identifier: Apache-2.0
"""The tasks of a request, from narrow to full, and searches that go on from one to the next."""

import pytest
from sliding_tiles import DOMAIN, write_square_puzzle

from fcp_ros.domain import parse_expression
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan, rounds, solver
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.search.portfolio import SearchFactory


@pytest.fixture
def record(monkeypatch):
    """Record the breadths of the tasks made, and count the searches opened."""
    breadths, opened = [], []
    compile_task, open_search = solver.Solver._compile_task, SearchFactory.open

    def compile_and_note(self, formula, breadth, most):
        task = compile_task(self, formula, breadth, most)
        breadths.append(breadth)
        return task

    def open_and_note(self, *arguments):
        opened.append(arguments)
        return open_search(self, *arguments)

    monkeypatch.setattr(solver.Solver, "_compile_task", compile_and_note)
    monkeypatch.setattr(SearchFactory, "open", open_and_note)
    return breadths, opened


def solve(size, seed, moves):
    task = parse_pddl(DOMAIN, write_square_puzzle(size, seed, moves))
    settings = PlanningOptions(time_limit=300.0, improve_time=0.0)
    return plan(PlanningRequest(task.domain, task.instance, task.goal, settings, None))


def test_the_full_task_is_next_without_a_plan(record):
    assert solve(4, 0, 500).plan is not None
    assert record[0] == [Breadth.NARROW, Breadth.FULL]


def make_rings(count):
    """Chinese rings: one is taken off or put on while the one before is on and no earlier one."""
    actions = ""
    for n in range(count):
        needs = [f"(on{n - 1})"] * (n > 0) + [f"(not (on{k}))" for k in range(n - 1)]
        for name, now, then in (
            ("off", f"(on{n})", f"(not (on{n}))"),
            ("on", f"(not (on{n}))", ""),
        ):
            actions += (
                f"(:action {name}{n} :precondition (and {now} {' '.join(needs)})"
                f" :effect {then or f'(on{n})'})\n"
            )
    rings = " ".join(f"(on{n})" for n in range(count))
    return parse_pddl(
        f"(define (domain rings) (:requirements :adl) (:predicates {rings}) {actions})",
        f"(define (problem r) (:domain rings) (:init {rings}) (:goal (not (on{count - 1}))))",
    )


def test_a_search_goes_on_if_the_full_task_is_no_larger(record, monkeypatch):
    monkeypatch.setattr(solver, "WHOLE", 0)
    monkeypatch.setattr(solver, "LEAST_PATIENCE", 20)
    monkeypatch.setattr(solver, "MOST_PATIENCE", 20)
    task = make_rings(7)
    result = plan(
        PlanningRequest(
            task.domain, task.instance, task.goal, PlanningOptions(time_limit=300.0), None
        )
    )
    assert result.plan is not None
    assert result.expansions > 20
    assert record[0] == [Breadth.NARROW, Breadth.FULL]
    assert len(record[1]) == 1


WISHES = """on(mug_1, shelf) and prefer 0.1: on(mug_2, table)
  and prefer 0.1: on(book, shelf) and prefer 0.1: on(milk, table)"""


@pytest.mark.parametrize("degree", [1.0, 0.97, 0.95])
def test_with_preferences_a_plan_is_judged_while_it_is_improved(
    house, home, degrees, degree, monkeypatch
):
    def run():
        told, source = [], degrees({"can_grasp(bot, book)": 0.9}, degree)
        options = PlanningOptions(alpha=0.0, time_limit=300.0, improve_time=300.0)
        goal = parse_expression(WISHES)
        result = plan(PlanningRequest(house, home, goal, options, source, progress=told.append))
        assert result.status is PlanStatus.SOLVED_OPTIMALLY
        plans = list(dict.fromkeys(one.best.membership for one in told if one.best is not None))
        assert plans == sorted(plans)
        assert plans[-1] == result.best_membership
        return plans

    early = run()
    monkeypatch.setattr(rounds.SearchRounds, "_judge_early", lambda *_: None)
    late = run()
    assert early[-1] == pytest.approx(late[-1])
    assert len(early) > len(late)


def test_the_first_plan_is_taken_where_no_better_one_is_wanted(house, home, degrees):
    options = PlanningOptions(alpha=0.0, time_limit=300.0, improve_time=0.0)
    source = degrees(default=0.95)
    result = plan(PlanningRequest(house, home, parse_expression(WISHES), options, source))
    assert result.plan is not None
    assert source.batches == 1
