# SPDX-License-Identifier: Apache-2.0
"""Programs in states: choices are tried and taken back, and only the stated effect counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.parser import parse_feature
from fcp_ros.abstraction.policy.programs import IfBranch, Program, RefinementMapping, parse_program
from fcp_ros.abstraction.policy.refining import (
    ActionRefiner,
    ProgramRun,
    ProgramSteps,
    TriesExceeded,
    compile_programs,
    describe_difference,
    has_effect,
)
from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QualitativeChange
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.domain.pddl import PddlTask, parse_pddl

WALKS = """(define (domain walks) (:requirements :strips)
  (:predicates (here ?x) (road ?x ?y) (seen ?x) (lamp ?x))
  (:action walk :parameters (?x ?y) :precondition (and (here ?x) (road ?x ?y))
    :effect (and (here ?y) (not (here ?x)) (seen ?y)))
  (:action light :parameters (?x) :precondition (here ?x) :effect (lamp ?x)))
"""


def make_task(roads: str) -> PddlTask:
    facts = " ".join(f"(road {a} {b})" for a, b in (road.split("-") for road in roads.split()))
    return parse_pddl(
        WALKS,
        "(define (problem p) (:domain walks) (:objects a b c d e)"
        f"(:init (here a) (seen a) {facts}) (:goal (here e)))",
    )


def open_state(task: PddlTask) -> tuple[RuleEngine, RelationalState]:
    return RuleEngine(task.domain), build_state(task.domain, task.instance, ())


def run_by_copies(program: Program, engine: RuleEngine, state: RelationalState) -> Iterator:
    """The obvious twin of a run: recursion over copies; for programs without loops.

    Yields:
        Steps and state of each end, in order.
    """
    if not program:
        yield (), state
        return
    first, *rest = program
    if isinstance(first, IfBranch):
        holds = all(
            (FeatureEvaluator([feature]).evaluate(state)[0] > 0) == wanted
            for feature, wanted in first.test.literals
        )
        yield from run_by_copies(
            (*(first.body if holds else first.otherwise), *rest), engine, state
        )
        return
    evaluator = FeatureEvaluator([])
    allowed = {p: evaluator.evaluate_concept(c, state) for p, c in first.constraints.items()}
    for binding in list(engine.bindings(first.rule, state, allowed)):
        after = state.copy()
        engine.apply(first.rule, binding, after)
        for steps, end in run_by_copies(tuple(rest), engine, after):
            yield ((first.rule, binding), *steps), end


ATOMS = st.sampled_from(["walk()", "walk(y: seen)", "walk(y: not(seen))", "light(x: not(lamp))"])
BRANCHES = st.builds(
    "if {} {{ {} }} else {{ {} }}".format,
    st.sampled_from(["any(lamp)", "not any(and(here, seen))", "count(seen)"]),
    ATOMS,
    ATOMS,
)
ROADS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")).map("-".join), max_size=9
)


@given(ROADS, st.lists(ATOMS | BRANCHES, min_size=1, max_size=4))
def test_runs_end_as_those_of_the_twin(roads: list[str], parts: list[str]) -> None:
    engine, state = open_state(make_task(" ".join(roads)))
    program = parse_program("; ".join(parts))
    wanted = [(steps, end.key()) for steps, end in run_by_copies(program, engine, state)]
    start = state.key()
    run = ProgramRun(compile_programs([program])[1][0], engine, state)
    found = []
    while run.find_next(10_000):
        found.append((tuple(run.steps), state.key()))
    assert found == wanted
    assert state.key() == start


def test_a_loop_ends_though_the_roads_are_a_circle() -> None:
    engine, state = open_state(make_task("a-b b-a b-c c-a c-d d-c"))
    program = parse_program("while not any(and(here, object.none)) { walk() }")
    run = ProgramRun(compile_programs([program])[1][0], engine, state)
    start = state.key()
    assert not run.find_next(10_000)
    assert state.key() == start


def test_a_loop_looks_for_a_way() -> None:
    task = make_task("a-b b-a b-c c-b a-d d-e")
    engine, state = open_state(task)
    program = parse_program("while not any(and(here, not(some(road, top)))) { walk() }; light()")
    run = ProgramRun(compile_programs([program])[1][0], engine, state)
    assert run.find_next(10_000)
    names = [engine.write_step(rule, b, state)[:2] for rule, b in run.steps]
    assert names[-1][0] == "e"
    assert [rule for rule, _ in run.steps][-3:] == ["walk", "walk", "light"]


def make_refiner(
    task: PddlTask, programs: list[str], **changes: str
) -> tuple[ActionRefiner, RelationalState]:
    engine, state = open_state(task)
    qnp = Qnp(
        "walks",
        ("lit",),
        ("seen",),
        {},
        {},
        (AbstractAction("go", {}, {n: QualitativeChange(c) for n, c in changes.items()}),),
    )
    features = {"lit": parse_feature("any(lamp)"), "seen": parse_feature("count(seen)")}
    parsed = tuple(parse_program(program, features) for program in programs)
    return ActionRefiner(qnp, RefinementMapping(features, {"go": parsed}), engine), state


def test_the_first_run_with_the_stated_effect_is_taken() -> None:
    task = make_task("a-b b-a b-c")
    refiner, state = make_refiner(task, ["walk()", "walk(); walk()"], seen="increase")
    assert refiner.evaluate(state) == (0, 1)
    _, steps, after = refiner.refine(("go",), state, (0, 1))
    assert [rule for rule, _ in steps] == ["walk"]
    assert after == (0, 2) == refiner.evaluate(state)
    # From b, walking back shows nothing new.
    _, steps, after = refiner.refine(("go",), state, after)
    assert after == (0, 3)
    start = state.key()
    assert refiner.refine(("go",), state, after) is None
    assert state.key() == start


def test_actions_with_one_program_share_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world decides which of them it is; a program that does neither runs once."""
    runs: list[ProgramRun] = []
    original = ProgramRun.__init__

    def count(run: ProgramRun, *more: object) -> None:
        runs.append(run)
        original(run, *more)

    monkeypatch.setattr(ProgramRun, "__init__", count)
    engine, state = open_state(make_task("a-b b-a b-c"))
    qnp = Qnp(
        "walks",
        ("lit",),
        ("seen",),
        {},
        {},
        (
            AbstractAction("shine", {}, {"lit": QualitativeChange.SET}),
            AbstractAction("rest", {"seen": True}, {"seen": QualitativeChange.DECREASE}),
            AbstractAction("look", {}, {"seen": QualitativeChange.INCREASE}),
        ),
    )
    features = {"lit": parse_feature("any(lamp)"), "seen": parse_feature("count(seen)")}
    walk = (parse_program("walk()", features),)
    mapping = RefinementMapping(features, dict.fromkeys(("shine", "rest", "look"), walk))
    refiner = ActionRefiner(qnp, mapping, engine)
    found = refiner.refine(("shine", "rest", "look"), state, (0, 1))
    assert found is not None
    assert (found[0], found[2], len(runs)) == ("look", (0, 2), 1)
    assert refiner.refine(("shine", "rest"), state, found[2]) is None
    assert len(runs) == 2


def test_other_effects_are_told_and_taken_back() -> None:
    task = make_task("a-b b-a b-c")
    refiner, state = make_refiner(task, ["walk(); walk()"], lit="set")
    other: list[tuple[ProgramSteps, tuple[int, ...], tuple[int, ...]]] = []
    start = state.key()
    found = refiner.iterate_refinements("go", state, lambda *seen: other.append(seen))
    assert list(found) == []
    assert [after for _, _, after in other] == [(0, 2), (0, 3)]
    assert state.key() == start
    action = AbstractAction("go", {}, {"lit": QualitativeChange.SET})
    said = describe_difference(action, ("lit", "seen"), (0, 1), (0, 2))
    assert said == "lit goes from 0 to 0, and is to be set"


def test_a_closed_iterator_takes_its_run_back() -> None:
    refiner, state = make_refiner(make_task("a-b a-c"), ["walk()"], seen="increase")
    start = state.key()
    found = refiner.iterate_refinements("go", state)
    next(found)
    assert state.key() != start
    found.close()
    assert state.key() == start


def test_the_number_of_tries_is_bounded() -> None:
    task = make_task(" ".join(f"{a}-{b}" for a in "abcde" for b in "abcde" if a != b))
    refiner, state = make_refiner(task, ["walk(); walk(); walk()"], lit="set")
    refiner._most_tries = 20
    start = state.key()
    with pytest.raises(TriesExceeded):
        refiner.refine(("go",), state, refiner.evaluate(state))
    assert state.key() == start


@pytest.mark.parametrize(
    ("change", "before", "after", "fits"),
    [
        (None, 2, 2, True),
        ("decrease", 2, 0, True),
        ("decrease", 2, 2, False),
        ("increase", 0, 3, True),
        ("increase", 1, 1, False),
        ("set", 0, 1, True),
        ("set", 1, 0, False),
        ("clear", 1, 0, True),
        ("clear", 0, 1, False),
    ],
)
def test_effects_are_compared(change: str | None, before: int, after: int, fits: bool) -> None:
    changes = (None if change is None else QualitativeChange(change),)
    assert has_effect(changes, (before,), (after,)) is fits


def end_lower_by_copies(engine: RuleEngine, state: RelationalState, way: str) -> set[int]:
    """The obvious twin of `lower way { walk() }`: recursion over copies; keys of the ends."""
    evaluator = FeatureEvaluator([parse_feature(way)])
    (before,) = evaluator.evaluate(state)
    if not before:
        return {state.key()}
    ends: set[int] = set()
    for binding in list(engine.bindings("walk", state)):
        after = state.copy()
        engine.apply("walk", binding, after)
        if evaluator.evaluate(after)[0] < before:
            ends |= end_lower_by_copies(engine, after, way)
    return ends


@given(st.sets(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=12))
def test_lower_ends_where_every_step_was_nearer(roads) -> None:
    engine, state = open_state(make_task(" ".join(f"{a}-{b}" for a, b in roads)))
    way = "distance(here, road, and(not(some(road, top)), not(seen)))"
    (program,) = compile_programs([parse_program(f"lower {way} {{ walk() }}")])[1]
    before, ends = state.key(), []
    run = ProgramRun(program, engine, state)
    while run.find_next(10_000):
        ends.append(state.key())
    assert state.key() == before
    assert len(ends) == len(set(ends)), "each end comes once"
    assert set(ends) == end_lower_by_copies(engine, state.copy(), way)


def test_lower_takes_many_shortest_ways_as_one() -> None:
    """Of ten forks in a row there are 1,024 shortest ways, and one try for each road."""
    forks = 10
    roads = [
        f"(road m{n} {side}{n}) (road {side}{n} m{n + 1})" for n in range(forks) for side in "lr"
    ]
    objects = " ".join(f"{c}{n}" for n in range(forks + 1) for c in "mlr")
    task = parse_pddl(
        WALKS.replace("(here ?y) (not (here ?x)) (seen ?y)", "(here ?y) (not (here ?x))"),
        f"(define (problem p) (:domain walks) (:objects {objects})"
        f"(:init (here m0) {' '.join(roads)}) (:goal (here m{forks})))",
    )
    engine, state = open_state(task)
    text = "lower distance(here, road, not(some(road, top))) { walk() }"
    _, (program,) = compile_programs([parse_program(text)])
    run = ProgramRun(program, engine, state)
    found = 0
    while run.find_next(200):
        found += 1
    assert found == 1
    assert run.tries <= 4 * forks


def test_a_lower_within_a_lower_is_measured_by_itself() -> None:
    """The inner loop begins again in each round of the outer one."""
    engine, state = open_state(make_task("a-b b-c c-d d-e"))
    text = "lower count(not(lamp)) { lower distance(here, road, not(lamp)) { walk() }; light() }"
    _, (program,) = compile_programs([parse_program(text)])
    run = ProgramRun(program, engine, state)
    assert run.find_next(1_000)
    assert [rule for rule, _ in run.steps] == ["light", *["walk", "light"] * 4]
