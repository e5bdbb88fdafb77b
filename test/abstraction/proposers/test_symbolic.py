# SPDX-License-Identifier: Apache-2.0
"""Policies learned from small tasks solve larger ones; all checks of the debugging loop hold."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmark.planning.classics import CLASSICS
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.features.parser import parse_feature
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.policy_file import parse_policy, write_policy
from fcp_ros.abstraction.policy.programs import write_program
from fcp_ros.abstraction.policy.runner import (
    Execution,
    ExecutionStatus,
    PolicyRunner,
)
from fcp_ros.abstraction.proposers import task_samples, task_variants
from fcp_ros.abstraction.proposers.assembly import name_features
from fcp_ros.abstraction.proposers.faults import (
    AbstractionFault,
    ProposerStopped,
)
from fcp_ros.abstraction.proposers.learning import SymbolicOptions, SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import TrainingTask, read_training_task
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.proposers.task_samples import SmallTasks
from fcp_ros.abstraction.proposers.task_variants import PlannedElements, find_goal_plan
from fcp_ros.abstraction.states.building import GoalAtoms, build_state, list_goal_atoms
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.pddl.task_reader import parse_pddl
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model import watch

COURIER = """(define (domain courier) (:requirements :strips :typing)
  (:types place parcel)
  (:predicates (here ?p - place) (lies ?x - parcel ?p - place) (held ?x - parcel) (idle))
  (:action go :parameters (?p ?q - place) :precondition (here ?p)
    :effect (and (here ?q) (not (here ?p))))
  (:action take :parameters (?x - parcel ?p - place)
    :precondition (and (here ?p) (lies ?x ?p) (idle))
    :effect (and (held ?x) (not (lies ?x ?p)) (not (idle))))
  (:action leave :parameters (?x - parcel ?p - place)
    :precondition (and (here ?p) (held ?x))
    :effect (and (lies ?x ?p) (idle) (not (held ?x)))))"""

BRIDGE = """(define (domain bridge) (:requirements :strips :typing)
  (:types plank)
  (:predicates (next ?a ?b - plank) (on ?a - plank) (worn ?a - plank))
  (:action walk :parameters (?a ?b - plank) :precondition (and (on ?a) (next ?a ?b))
    :effect (and (on ?b) (not (on ?a)) (worn ?a))))"""


def make_task(domain: str, name: str, objects: str, init: str, goal: str) -> TrainingTask:
    kind = domain.split("(define (domain ")[1].split(")")[0]
    task = parse_pddl(
        domain,
        f"(define (problem {name}) (:domain {kind}) (:objects {objects})"
        f" (:init {init}) (:goal (and {goal})))",
    )
    atoms = list_goal_atoms(task.goal, task.instance, task.domain)
    return TrainingTask(name, task.domain, task.instance, atoms)


def make_courier(name: str, places: int, starts: list[int], ends: list[int]) -> TrainingTask:
    objects = " ".join(f"p{n}" for n in range(places)) + " - place "
    objects += " ".join(f"x{n}" for n in range(len(starts))) + " - parcel"
    init = "(here p0) (idle) " + " ".join(f"(lies x{n} p{at})" for n, at in enumerate(starts))
    goal = " ".join(f"(lies x{n} p{at})" for n, at in enumerate(ends))
    return make_task(COURIER, name, objects, init, goal)


def run(policy: GeneralPolicy, task: TrainingTask) -> ExecutionStatus:
    state = build_state(task.domain, task.instance, task.goal)
    return PolicyRunner(policy, task.domain).run_state(state, task.goal).status


def test_a_courier_learned_on_few_parcels_delivers_many() -> None:
    training = (
        make_courier("a", 4, [1, 2], [3, 3]),
        make_courier("b", 4, [1, 1, 2], [2, 3, 0]),
        make_courier("c", 4, [3, 0], [0, 1]),
    )
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=30.0)))
    assert found.status is GeneralizationStatus.FOUND
    assert found.policy is not None
    many = make_courier("many", 30, [n % 30 for n in range(60)], [7 * n % 30 for n in range(60)])
    assert run(found.policy, many) is ExecutionStatus.REACHED


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (("any(boarded)", "count(boarded)"), ["b1", "n1"]),
        (("flag(idle)", "count(some(at, top))", "count(waiting)"), ["idle", "n1", "waiting"]),
        (("any(n1)", "count(some(at, top))"), ["b1", "n1"]),
        (("count(not(boarded))", "distance(here, road, home)"), ["n1", "n2"]),
    ],
)
def test_features_are_named_by_their_only_word(texts: tuple[str, ...], names: list[str]) -> None:
    assert name_features([parse_feature(text) for text in texts]) == names


def test_the_same_seed_learns_the_same_policy() -> None:
    training = (make_courier("a", 4, [1, 2], [3, 3]), make_courier("b", 4, [1, 1], [2, 3]))
    first, second = (
        SymbolicProposer(SymbolicOptions(seconds=30.0)).propose(training, (), lambda: None)
        for _ in range(2)
    )
    assert first == second


def make_bridge(name: str, rotten: str) -> TrainingTask:
    """A fork, whose ways differ in which plank is rotten."""
    return make_task(
        BRIDGE, name, "a b c d - plank", f"(on a) (next a b) (next a c) (next {rotten} d)", "(on d)"
    )


def test_a_fork_without_a_feature_that_sees_the_end_is_a_conflict() -> None:
    training = (make_bridge("left", "b"), make_bridge("right", "c"))
    options = SymbolicOptions(seconds=10.0, least_complexity=1, most_complexity=1)
    with pytest.raises(ProposerStopped) as stopped:
        SymbolicProposer(options).propose(training, (), lambda: None)
    assert stopped.value.status is GeneralizationStatus.NO_COMMON_POLICY
    (error,) = stopped.value.errors
    assert error.kind is AbstractionFault.CONFLICTING_STATES
    assert len(error.states) == 2


def test_more_complex_features_solve_the_fork() -> None:
    training = (make_bridge("left", "b"), make_bridge("right", "c"))
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=10.0)))
    assert found.status is GeneralizationStatus.FOUND


def test_cancelling_stops_learning() -> None:
    class Stopped(Exception):
        pass

    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise Stopped

    with pytest.raises(Stopped):
        SymbolicProposer().propose((make_courier("a", 4, [1, 2], [3, 3]),), (), check)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "domain", ["delivery", "ferry", "forest", "gripper", "heavy", "miconic", "spanner"]
)
def test_policies_of_seven_domains_solve_all_tests(domain: str, shared_dir: Path) -> None:
    folder = shared_dir / "bench" / "genplan" / domain

    def read(part: str) -> tuple[TrainingTask, ...]:
        files = sorted((folder / part).glob("*.pddl"))
        return tuple(read_training_task(folder / "domain.pddl", file) for file in files)

    found = generalize(read("train"), SymbolicProposer())
    assert found.policy is not None
    tested = (*read("test"), *read("test_large"))
    assert len(tested) == 12
    assert [run(found.policy, task) for task in tested] == [ExecutionStatus.REACHED] * 12


def test_a_domain_with_degrees_is_sampled_without_asking_for_any() -> None:
    """Parts of a large house are chosen by plans; nobody is there to judge `can_grasp`."""
    domain = load_domain(find_domain("household"))
    graph = load_scene_for(find_scene("twin_house_furnished"), domain.schema, domain.mapping)
    instance = scene_to_instance(graph, domain.schema, domain.mapping).instance
    text = "on(mug_1, counter_1)"
    goal = list_goal_atoms(
        check_goal(parse_expression(text), domain, instance, text), instance, domain
    )
    task = TrainingTask("house", domain, instance, goal)
    space = SmallTasks(PlannedElements(task), (), 0, random.Random(0)).draw(1, (), lambda: None)
    assert space is not None
    assert space.distances[0] > 0


PDDL = Path(__file__).parents[2] / "data" / "pddl"


def read_task(name: str, domain: Path, problem: str) -> TrainingTask:
    task = parse_pddl(domain.read_text(), problem)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    return TrainingTask(name, task.domain, task.instance, goal)


def draw_logistics() -> TrainingTask:
    (drawn,) = (one for one in CLASSICS if one.name == "logistics")
    return read_task("logistics", drawn.domain, drawn.problem(4, 3))


def draw_towers(blocks: Sequence[str], draw: random.Random) -> list[str]:
    """Draw towers, one of which has two blocks at least: its facts, from the table up."""
    while True:
        towers: list[list[str]] = []
        for block in draw.sample(blocks, len(blocks)):
            if towers and draw.random() < 0.7:
                draw.choice(towers).append(block)
            else:
                towers.append([block])
        if len(towers) < len(blocks):
            facts = []
            for tower in towers:
                facts += [f"(on-table {tower[0]})", f"(clear {tower[-1]})"]
                facts += [f"(on {upper} {lower})" for lower, upper in itertools.pairwise(tower)]
            return facts


def draw_blocks(size: int, seed: int) -> TrainingTask:
    draw = random.Random(f"{size} {seed}")
    blocks = [f"b{number}" for number in range(1, size + 1)]
    facts = draw_towers(blocks, draw)
    goal = [fact for fact in draw_towers(blocks, draw) if fact.startswith("(on ")]
    problem = f"""(define (problem drawn) (:domain blocks) (:objects {" ".join(blocks)})
      (:init (arm-empty) {" ".join(facts)}) (:goal (and {" ".join(goal)})))"""
    return read_task(f"blocks {size}", PDDL / "towers.pddl", problem)


def draw_transport(packages: int, seed: int) -> TrainingTask:
    """Draw packages and vehicles with limited room on a network of roads."""
    draw = random.Random(f"{packages} {seed}")
    places = [f"place{number}" for number in range(2 + packages // 2)]
    facts, goal = ["(next size1 size2)", "(next size2 size3)"], []
    for number, place in enumerate(places[1:], 1):
        other = draw.choice(places[:number])
        facts += [f"(road {place} {other})", f"(road {other} {place})"]
    vehicles = [f"vehicle{number}" for number in range(1 + packages // 5)]
    for vehicle in vehicles:
        size = draw.choice(("size2", "size3"))
        facts += [f"(at {vehicle} {draw.choice(places)})", f"(capacity {vehicle} {size})"]
    names = [f"package{number}" for number in range(packages)]
    for name in names:
        start, end = draw.sample(places, 2)
        facts.append(f"(at {name} {start})")
        goal.append(f"(at {name} {end})")
    problem = f"""(define (problem drawn) (:domain transport)
      (:objects {" ".join(places)} - place {" ".join(vehicles)} - vehicle
        {" ".join(names)} - package size1 size2 size3 - size)
      (:init {" ".join(facts)}) (:goal (and {" ".join(goal)})))"""
    return read_task(f"transport {packages}", PDDL / "transport.pddl", problem)


def test_subgoals_are_learned_where_several_vehicles_move() -> None:
    training = tuple(draw_transport(size, seed) for seed, size in enumerate((1, 2, 3, 4)))
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=60.0)))
    assert found.status is GeneralizationStatus.FOUND, found.sentence
    assert found.policy is not None
    texts = {write_program(program) for program in found.policy.refinement.list_programs()}
    assert texts == {"search 1"}
    again = parse_policy(write_policy(found.policy))
    assert run(again, draw_transport(12, 7)) is ExecutionStatus.REACHED


LAMPS = """(define (domain lamps) (:requirements :strips :typing) (:types lamp)
  (:predicates (dark ?l - lamp) (lit ?l - lamp) (dusty ?l - lamp) (clean ?l - lamp))
  (:action light :parameters (?l - lamp) :precondition (dark ?l)
    :effect (and (lit ?l) (not (dark ?l))))
  (:action wipe :parameters (?l - lamp) :precondition (dusty ?l)
    :effect (and (clean ?l) (not (dusty ?l)))))"""


def test_goals_of_several_relations_are_all_seen() -> None:
    """The goal of the first task alone does not say what features may ask for."""
    init = "(dark a) (dark b) (dusty a) (dusty b)"
    training = (
        make_task(LAMPS, "light", "a b - lamp", init, "(lit a) (lit b)"),
        make_task(LAMPS, "wipe", "a b - lamp", init, "(clean a) (clean b)"),
    )
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=60.0)))
    assert found.status is GeneralizationStatus.FOUND, found.sentence


HEAVY = """(define (domain heavy)
  (:predicates (heavier ?a ?b) (packed ?a) (unpacked ?a) (nothing-above ?a) (box-empty))
  (:action pack-first :parameters (?a) :precondition (box-empty)
    :effect (and (not (box-empty)) (packed ?a) (nothing-above ?a) (not (unpacked ?a))))
  (:action stack :parameters (?a ?b)
    :precondition (and (packed ?a) (nothing-above ?a) (heavier ?a ?b) (unpacked ?b))
    :effect (and (packed ?b) (nothing-above ?b) (not (nothing-above ?a)) (not (unpacked ?b)))))"""


def make_heavy(count: int, seed: int) -> TrainingTask:
    items = [f"i{n}" for n in range(count)]
    order = random.Random(seed).sample(items, count)
    pairs = ((a, b) for n, a in enumerate(order) for b in order[n + 1 :])
    init = " ".join([f"(unpacked {a})" for a in items] + [f"(heavier {a} {b})" for a, b in pairs])
    goal = " ".join(f"(packed {a})" for a in items)
    return make_task(HEAVY, f"h{count}", " ".join(items), f"(box-empty) {init}", goal)


def test_learned_steps_say_which_objects_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run tries one or two bindings a step, whatever the number of items (issue 28)."""
    training = tuple(make_heavy(count, count) for count in (2, 3, 4, 4))
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=60.0)))
    assert found.policy is not None, found.sentence
    tried = 0
    apply = RuleEngine.apply

    def count(self: RuleEngine, *step: Any) -> Any:
        nonlocal tried
        tried += 1
        return apply(self, *step)

    task = make_heavy(40, 7)
    monkeypatch.setattr(RuleEngine, "apply", count)
    assert run(found.policy, task) is ExecutionStatus.REACHED
    assert tried <= 2 * 40
    again = parse_policy(write_policy(found.policy))
    assert again.refinement == found.policy.refinement


CAKES = """(define (domain cakes) (:requirements :strips :typing) (:types cake guest)
  (:predicates (plain ?c - cake) (whole ?c - cake) (picky ?g - guest) (easy ?g - guest)
    (fed ?g - guest))
  (:action feed :parameters (?c - cake ?g - guest) :precondition (and (whole ?c) (easy ?g))
    :effect (and (fed ?g) (not (whole ?c))))
  (:action feed-plain :parameters (?c - cake ?g - guest)
    :precondition (and (whole ?c) (plain ?c) (picky ?g))
    :effect (and (fed ?g) (not (whole ?c)))))"""


def make_cakes() -> TrainingTask:
    init = "(whole a) (whole b) (whole c) (plain a) (easy g) (easy h) (picky p)"
    goal = "(fed g) (fed h) (fed p)"
    return make_task(CAKES, "cakes", "a b c - cake g h p - guest", init, goal)


def make_small(task: TrainingTask, width: int = 0) -> SmallTasks:
    return SmallTasks(PlannedElements(task), (), width, random.Random(0))


def test_a_run_that_went_astray_is_sampled_where_it_did() -> None:
    """The space begins before the last plain cake goes to a guest who would eat any."""
    small = make_small(make_cakes())
    steps = (("feed", ("b", "g")), ("feed", ("a", "h")))
    failed = Execution(ExecutionStatus.NO_REFINEMENT, steps)
    (space,) = small.follow(failed, lambda: None)
    assert space.distances[0] == 2  # before (feed a h)
    fed = {
        name
        for name in ("g", "h", "p")
        if space.states[0].concepts["fed"] >> small.state.positions[name] & 1
    }
    assert fed == {"g"}
    assert -1 in space.distances
    assert list(small.follow(failed, lambda: None)) == []


def test_a_part_is_sampled_where_too_much_is_left_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_samples, "MOST_LEFT", 3)
    small = make_small(make_cakes())
    failed = Execution(ExecutionStatus.NO_REFINEMENT, (("feed", ("b", "g")),))
    spaces = list(small.follow(failed, lambda: None))
    assert spaces
    for space in spaces:
        assert space.distances[0] > 0
        assert {"b", "g"} <= set(space.states[0].objects)


def test_few_plans_are_made_for_the_same_goal_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def plan(task: TrainingTask, facts: GoalAtoms, *options: Any, **named: Any) -> Any:
        calls.append(facts)
        return find_goal_plan(task, facts, *options, **named)

    monkeypatch.setattr(task_variants, "find_goal_plan", plan)
    task, source = make_cakes(), random.Random(0)
    planned = PlannedElements(task)
    found = [planned.find(task.goal[:1], source, lambda: None) for _ in range(20)]
    assert len(calls) == task_variants.PLANS
    assert all(elements is not None and "g" in elements for elements in found)


def test_a_busy_machine_takes_no_plan_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """While others have the processor, the clock runs on: the samples are the same all the same."""
    seconds = itertools.count(0.0, 0.01)
    clock = SimpleNamespace(monotonic=seconds.__next__, thread_time=time.thread_time)
    task = draw_logistics()
    monkeypatch.setattr(watch, "time", clock)
    planned = PlannedElements(task).find(task.goal[:2], random.Random(0), lambda: None)
    assert planned is not None
    assert next(seconds) > task_variants.PLANNING_TIME


def test_the_processor_s_time_for_a_plan_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(process_time=itertools.count().__next__)
    monkeypatch.setattr(task_variants, "time", clock)
    task = draw_logistics()
    assert find_goal_plan(task, task.goal, 0.5, seed=0).status is PlanStatus.CANCELLED


def test_a_proposer_that_is_told_a_fault_goes_on_where_it_was() -> None:
    """Kinds of policies that few tasks have none of, more tasks have none of either."""
    reports: list[list[str]] = []
    training = tuple(draw_transport(size, seed) for seed, size in enumerate((1, 2, 3)))
    proposer = SymbolicProposer(SymbolicOptions(), lambda sentence: reports[-1].append(sentence))
    for _ in range(2):
        reports.append([])
        proposer.propose(training, (), lambda: None)
    assert "steps" in reports[0][0]
    assert "subgoals" in reports[0][-1]
    assert all("subgoals" in sentence for sentence in reports[1][:1])


def test_any_towers_are_built() -> None:
    """Blocks with any goals: an order of features, where clingo found no choice of steps."""
    training = tuple(draw_blocks(size, seed) for seed, size in enumerate((3, 4, 4)))
    found = generalize(training, SymbolicProposer(SymbolicOptions(seconds=120.0)))
    assert found.policy is not None, found.sentence
    assert run(found.policy, draw_blocks(12, 7)) is ExecutionStatus.REACHED
