# SPDX-License-Identifier: Apache-2.0
"""`fcp plan` on random PDDL tasks, beside Dijkstra's search on PDDL by definition.

At least 80 tasks in the profile ci (an eighth of 8 times 80), 20,000 in the profile nightly (4
times 8 times 80 and 545).
"""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from least_cost import TooManyStates, find_least
from random_adl import make_task, read_twin
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.foundation.wording import write_decimal
from fcp_ros.planning.verification.ipc_plan import read_ipc_plan

MOST_STATES = 300
UNSUPPORTED = 16
CHEAPEST = ["--optimise", "cost", "--improve-time", "60"]
WAYS = (
    [],
    [],
    CHEAPEST,
    CHEAPEST,
    [*CHEAPEST, "--algorithm", "astar"],
    [*CHEAPEST, "--algorithm", "bidirectional"],
    ["--algorithm", "lazy_greedy"],
    ["--without", "forgetting", "--without", "symmetry"],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tasks")


def is_long(twin, spent):
    """Return True if the sums that plans may cost are beyond the whole numbers of float64."""
    parts = [part for action in twin.domain.actions for part in action.cost]
    amounts = [part for part in parts if isinstance(part, Fraction)]
    amounts += [value for table in twin.problem.values.values() for value in table.values()]
    shared = math.lcm(*(amount.denominator for amount in amounts))
    unit = Fraction(math.gcd(*(int(amount * shared) for amount in amounts)) or 1, shared)
    return max(spent, 2 * max(amounts, default=0)) / unit > 2**53


def check_answer(domain, problem, options, folder):
    """Plan for a task with `fcp plan`, and compare the answer with the definition of PDDL.

    Return False if the task has too many states or cases to be compared.
    """
    twin = read_twin(domain, problem)
    costs = "(:metric" in problem
    try:
        least = find_least(twin, MOST_STATES, costs=costs)
    except TooManyStates:
        return False
    paths = [folder / name for name in ("domain.pddl", "problem.pddl", "plan.txt")]
    paths[0].write_text(domain)
    paths[1].write_text(problem)
    paths[2].unlink(missing_ok=True)
    files = ["-d", str(paths[0]), "-s", str(paths[1]), "--out", str(paths[2])]
    result = CliRunner().invoke(app, ["plan", *files, "--json", "--time-limit", "600", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    if result.exit_code == UNSUPPORTED and "(:derived" in domain:
        return False
    assert result.exit_code in (0, 10), result.output
    answer = json.loads(result.stdout)
    if least is None:
        assert answer["status"] == "UNSOLVABLE_PROVEN"
        return True
    assert answer["status"] in ("SOLVED_OPTIMALLY", "SOLVED_SATISFICING")
    state, spent = twin.initial, 0
    for action, objects in read_ipc_plan(paths[2].read_text()):
        spent += twin.cost(action, objects) if costs else 1
        state = twin.step(state, action, objects)
        assert state is not None, (action, objects)
    assert twin.reaches_goal(state)
    assert spent >= least
    if costs:
        assert f"; cost = {write_decimal(Fraction(spent))} " in paths[2].read_text()
    optimum = "COST" if costs or "cost" in options else "STEPS"
    if answer["status"] == "SOLVED_OPTIMALLY":
        assert optimum in answer["optimal_in"]
        assert spent == least
    else:
        assert optimum not in answer["optimal_in"]
        assert "cost" not in options or is_long(twin, spent)
    assert "MEMBERSHIP" in answer["optimal_in"]
    return True


CLEANING = """(define (domain d) (:requirements :adl) (:types ta)
(:predicates (walked) (dirty ?x - ta) (marked ?x ?y - ta) (done ?x - ta))
(:action walk :parameters () :precondition (and)
  :effect (and (walked) (forall (?q - ta) (dirty ?q)) (forall (?a ?b - ta) (marked ?a ?b))))
(:action wash :parameters (?x - ta) :precondition (dirty ?x) :effect (not (dirty ?x)))
(:action wipe :parameters (?x ?y - ta) :precondition (marked ?x ?y) :effect (not (marked ?x ?y)))
(:action serve :parameters (?x - ta) :precondition (and (walked) CONDITION) :effect (done ?x)))"""
TYPES = """(define (domain d) (:requirements :adl) (:types ta - object tb - object tc - ta)
(:predicates (p0 ?a - tb ?b - ta) (p2 ?a - ta))
(:action a1 :parameters (?x - tc ?y - tb) :effect (and (p0 ?y ?x) (p2 ?x))))"""
EITHER = """(define (domain d) (:requirements :adl) (:types ta - object tb - ta)
(:predicates (p ?x - (either ta tb)))
(:action a1 :parameters (?x - (either ta tb)) :effect (p ?x)))"""

ROADS = """(define (domain d) (:requirements :typing :action-costs) (:types place)
(:predicates (at ?x - place) (road ?x ?y - place))
(:functions (total-cost) (far ?x ?y - place))
(:action go :parameters (?x ?y - place) :precondition (and (at ?x) (road ?x ?y))
  :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (far ?x ?y)))))"""


def write_roads(values, metric):
    return f"""(define (problem p) (:domain d) (:objects a b c - place)
      (:init (at a) (road a b) (road b c) (road a c) {values}) (:goal (at c)) {metric})"""


def write_problem(objects, goal):
    return f"(define (problem p) (:domain d) (:objects {objects}) (:init) (:goal {goal}))"


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        pytest.param(
            CLEANING.replace("CONDITION", condition),
            write_problem(f"{' '.join(objects)} - ta", "(done o1)"),
            id=f"{name}-{len(objects)}",
        )
        for name, condition in (
            ("one fact", "(not (dirty ?x))"),
            ("open leg", "(not (exists (?y - ta) (marked ?x ?y)))"),
            ("both open", "(not (exists (?y ?z - ta) (marked ?y ?z)))"),
            ("all", "(forall (?y - ta) (not (dirty ?y)))"),
            ("clause", "(or (not (dirty ?x)) (not (marked ?x ?x)))"),
        )
        for objects in (["o1"], ["o1", "o2"])
    ]
    + [
        pytest.param(TYPES, write_problem("o1 - ta", "(not (p2 o1))"), id="type without objects"),
        *(
            pytest.param(ROADS, write_roads(values, metric), id=f"values-{number}-{len(metric)}")
            for number, values in enumerate(
                [
                    "(= (far a b) 2) (= (far b c) 2)",
                    "(= (far a b) 2) (= (far b c) 2) (= (far a c) 5)",
                    "(= (far a b) 2)",
                    "",
                ]
            )
            for metric in ("", "(:metric minimize (total-cost))")
        ),
        pytest.param(
            ROADS,
            write_roads(
                "(= (far a b) 0.1) (= (far b c) 1000000000001) (= (far a c) 1000000000001)",
                "(:metric minimize (total-cost))",
            ),
            id="large costs that differ by little",
        ),
        *(
            pytest.param(
                ROADS,
                write_roads(
                    f"(= (far a b) {short}) (= (far b c) {long}) (= (far a c) {direct})",
                    "(:metric minimize (total-cost))",
                ),
                id=name,
            )
            for name, short, long, direct in (
                ("costs of 17 digits", "0", "10000000000000001", "10000000000000002"),
                ("costs of 17 digits and 1", "1", "10000000000000001", "10000000000000001"),
                ("a sum of decimals", "0.1", "0.2", "0.30000000000000001"),
                ("decimals of 20 digits", "0.10000000000000000001", "0.2", "0.3"),
            )
        ),
        pytest.param(EITHER, write_problem("o1 - ta o2 - tb", "(p o2)"), id="either with a part"),
    ],
)
@pytest.mark.parametrize("options", [[], CHEAPEST], ids=["", "cheapest"])
def test_tasks_that_were_answered_wrongly(folder, domain, problem, options):
    assert check_answer(domain, problem, options, folder)


@pytest.mark.parametrize("way", range(len(WAYS)))
@settings(max_examples=80, phases=[Phase.generate])
@given(number=st.integers(0, 2**40))
def test_answers_are_those_of_pddl(folder, way, number):
    assume(check_answer(*make_task(number * len(WAYS) + way), WAYS[way], folder))


@settings(max_examples=60, phases=[Phase.generate])
@given(number=st.integers(0, 2**40), way=st.sampled_from(range(len(WAYS))))
def test_answers_with_axioms_are_those_of_pddl(folder, way, number):
    assume(check_answer(*make_task(number, axioms=True), WAYS[way], folder))
