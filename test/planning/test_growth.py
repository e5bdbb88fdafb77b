# SPDX-License-Identifier: Apache-2.0
"""The effort of planning and verifying grows with the size of grounded tasks, not with its square.

A ring of 5,000 actions without parameters took 5 GB and more than its time limit (issue 28).
"""

from call_count import count_calls, find_longest_gap
from random_adl import make_task

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, plan, solver
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.search import shortening
from fcp_ros.planning.verification.verify import verify


def read_ring(count):
    """Read a task whose plan takes a quarter of the actions."""
    actions = " ".join(
        f"(:action x{n} :parameters () :precondition (f{n})"
        f" :effect (and (f{(n + 1) % count}) (not (f{n}))))"
        for n in range(count)
    )
    predicates = " ".join(f"(f{n})" for n in range(count))
    return parse_pddl(
        f"(define (domain ring) (:predicates {predicates}) {actions})",
        f"(define (problem r) (:domain ring) (:init (f0)) (:goal (f{count // 4})))",
    )


def solve(task, degrees):
    return plan(PlanningRequest(task.domain, task.instance, task.goal))


def test_planning_takes_effort_in_proportion_to_the_size(degrees):
    small, large = read_ring(160), read_ring(480)
    solve(small, degrees)  # what is prepared once is not counted
    found = []
    fewer = count_calls(lambda: found.append(solve(small, degrees)))
    more = count_calls(lambda: found.append(solve(large, degrees)))
    assert [len(result.plan.steps) for result in found] == [40, 120]
    assert more < 6 * fewer


def test_verifying_takes_effort_in_proportion_to_the_plan(degrees):
    found = []
    for count in (60, 240):
        task = read_ring(count)
        result = solve(task, degrees)

        def check(task=task, result=result):
            verdict = verify(
                task.domain, task.instance, result.plan, task.goal, degrees(), alpha=0.5
            )
            assert verdict.ok

        found.append(count_calls(check))
    assert found[1] < 6 * found[0]


def read_preferences(count):
    """Read a task whose preferences have nothing to do with each other."""
    actions = " ".join(
        f"(:action x{n} :parameters () :precondition (and) :effect (f{n}))" for n in range(count)
    )
    predicates = " ".join(f"(f{n})" for n in range(count))
    preferences = " ".join(f"(preference p{n} (f{n}))" for n in range(count))
    violated = " ".join(f"(is-violated p{n})" for n in range(count))
    return parse_pddl(
        "(define (domain wishes) (:requirements :preferences)"
        f" (:predicates {predicates}) {actions})",
        f"(define (problem w) (:domain wishes) (:init) (:goal (and {preferences}))"
        f" (:metric minimize (+ {violated})))",
    )


def test_a_limit_is_looked_at_often_however_many_preferences_there_are(degrees, monkeypatch):
    """With 20,000 preferences, the deadline was not looked at for a second and more (issue 28)."""
    count = 100
    monkeypatch.setattr(shortening, "MOST_APPLIED", 0)  # it has a limit of its own
    options = PlanningOptions(optimise=Optimise.COST)

    def solve_all(task):
        return plan(PlanningRequest(task.domain, task.instance, task.goal, options))

    solve_all(read_preferences(5))  # what is prepared once is not counted
    task, found = read_preferences(count), []
    checks = (Watch.check, Watch.check_conclusion)
    longest = find_longest_gap(lambda: found.append(solve_all(task)), *checks)
    assert len(found[0].plan.steps) == count
    assert longest < 320 * count


def test_a_task_to_which_the_full_one_adds_nothing_is_encoded_once(degrees, monkeypatch):
    """Of 20,000 preferences, the second encoding was a tenth of all time (issue 28)."""
    encoded = []
    compile_goal = solver.compile_goal

    def note(*values):
        encoded.append(compile_goal(*values))
        return encoded[-1]

    monkeypatch.setattr(solver, "compile_goal", note)
    monkeypatch.setattr(solver, "WHOLE", 5)
    task, options = read_preferences(20), PlanningOptions(optimise=Optimise.COST)
    request = PlanningRequest(task.domain, task.instance, task.goal, options)
    once = plan(request)
    assert len(encoded) == 1
    monkeypatch.setattr(solver.Solver, "_shows_all", lambda *_: False)
    twice = plan(request)
    assert len(encoded) == 3
    assert [str(step) for step in once.plan.steps] == [str(step) for step in twice.plan.steps]
    assert (once.status, once.message) == (twice.status, twice.message)


def test_a_task_of_few_states_takes_little_effort(degrees):
    """Ten facts and 351 ground actions, with four states, took 10.6 s (issue 28)."""
    found, (domain, problem) = [], make_task(1812)

    def solve_it():
        task = parse_pddl(domain, problem)
        options = PlanningOptions(optimise=Optimise.COST)
        found.append(plan(PlanningRequest(task.domain, task.instance, task.goal, options)))

    calls = count_calls(solve_it)
    assert len(found[0].plan.steps) == 3
    assert calls < 1_500_000
