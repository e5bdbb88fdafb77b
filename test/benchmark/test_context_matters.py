# SPDX-License-Identifier: Apache-2.0
"""The tasks of the Context-Matters benchmark: domains, states, and what is read from the data."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from benchmark.context_matters.__main__ import Name, main
from benchmark.context_matters.answers import (
    GoalReader,
    Setting,
    answer_task,
    describe,
    replay_steps,
)
from benchmark.context_matters.instances import (
    DATA,
    SPLITS,
    HouseTask,
    Thing,
    build_state,
    domain_of,
    read_tasks,
)
from benchmark.context_matters.pddl import check_plan, find_witness, inline_derived
from benchmark.context_matters.references import (
    AcceptedGoal,
    Reference,
    read_references,
    read_variants,
)
from benchmark.context_matters.scoring import Outcome, check, judge_answer
from fcp_ros.cset import Fact
from fcp_ros.cset.state_facts import facts
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus
from fcp_ros.planning import PlanningRequest, PlanningResult, plan
from fcp_ros.planning.model.result import PlanStatus, Relaxation
from fcp_ros.relaxation.plan_instruction import InstructionResult

ROOT = Path(__file__).resolve().parents[2]
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the Context-Matters data is not here")


def make_task(split, *things, rooms=("kitchen_1", "hall_2"), sentence="do it"):
    """A task in a house of two rooms."""
    return HouseTask(f"{split}/Test/p", split, "Test", "p", sentence, rooms[0], rooms, things)


def state_facts(task):
    """The initial facts of a task as text."""
    return {
        f"{fact.relation}({', '.join(fact.arguments)})"
        for fact in facts(build_state(task, domain_of(task.split)))
    }


def test_things_on_furniture_have_no_room_and_the_others_have():
    task = make_task(
        "dining_setup",
        Thing("dining_table_1", "dining_table", "hall_2", False),
        Thing("sink_2", "sink", "kitchen_1", False),
        Thing("vase_3", "vase", "hall_2", True, "dining_table_1"),
        Thing("vase_4", "vase", "kitchen_1", True, "sink_2"),
    )
    assert state_facts(task) == {
        "at(robot_1, kitchen_1)",
        "at(dining_table_1, hall_2)",
        "at(sink_2, kitchen_1)",
        "is_on(vase_3, dining_table_1)",
        "at(vase_4, kitchen_1)",
    }


def test_waste_belongs_in_the_bin_for_its_material():
    things = (
        Thing("cola_can_1", "cola_can", "hall_2", True),
        Thing("full_glass_bottle_2", "full_glass_bottle", "hall_2", True),
        Thing("banana_peel_3", "banana_peel", "hall_2", True),
        Thing("metal_bin_4", "metal_bin", "hall_2", True),
        Thing("glass_bin_5", "glass_bin", "hall_2", True),
        Thing("undefined_bin_6", "undefined_bin", "hall_2", True),
        Thing("mop_7", "mop", "hall_2", True),
    )
    found = state_facts(make_task("house_cleaning", *things))
    assert {text for text in found if text.startswith("belongs_in")} == {
        "belongs_in(cola_can_1, metal_bin_4)"
    }
    sorted_ = {"is_sorted(metal_bin_4)", "is_sorted(glass_bin_5)"}
    assert {text for text in found if text.startswith("is_sorted")} == sorted_
    assert {"is_clean(mop_7)", "dirty_floor(kitchen_1)", "dirty_floor(hall_2)"} <= found


def test_things_are_kept_where_their_labels_say():
    things = (
        Thing("book into the shelf_1", "book into the shelf", "hall_2", True),
        Thing("shelf_2", "shelf", "hall_2", True),
        Thing("locker_3", "locker", "hall_2", True),
    )
    found = state_facts(make_task("office_setup", *things))
    assert "belongs_in(book into the shelf_1, shelf_2)" in found
    assert not any(text.startswith("inside") or "locker_3)" in text for text in found)


def test_washing_begins_with_machines_closed_and_empty():
    things = (
        Thing("dirty_shirt_1", "dirty_shirt", "hall_2", True),
        Thing("plate_2", "plate", "hall_2", True),
        Thing("washing_machine_3", "washing_machine", "hall_2", True),
    )
    found = state_facts(make_task("laundry", *things))
    assert {
        "is_dirty(dirty_shirt_1)",
        "is_clean(plate_2)",
        "is_closed(washing_machine_3)",
        "is_empty(washing_machine_3)",
    } <= found


def test_names_given_twice_are_refused():
    twice = Thing("cup_1", "cup", "hall_2", True)
    with pytest.raises(ValueError, match="gives a name twice"):
        build_state(make_task("dining_setup", twice, twice), domain_of("dining_setup"))


@needs_data
@pytest.mark.parametrize("split", SPLITS)
def test_rules_are_called_as_in_the_data(split):
    theirs = (DATA / f"{split.replace('_', '-')}-domain.pddl").read_text(encoding="utf-8")
    actions = re.findall(r"\(:action (\S+)\s+:parameters\s*\(([^)]*)\)", theirs)
    wanted = {name: tuple(re.findall(r"\?(\w+)", typed)) for name, typed in actions}
    assert {r.name: r.parameter_names for r in domain_of(split).rules.values()} == wanted


@needs_data
def test_the_instances_with_scenes_load():
    tasks = read_tasks()
    assert len(tasks) == 69
    entries = {entry["id"]: entry for entry in json.loads((DATA / "instances.json").read_text())}
    for task in tasks:
        entry = entries[task.name]
        assert len(task.rooms) == entry["n_rooms"]
        assert len(task.things) == entry["n_base_objects"] + len(entry["added"])
        state = build_state(task, domain_of(task.split))
        for thing in task.things:
            type_ = state.type_of(state.id_of(thing.name))
            if thing.is_item and thing.category not in _PLACES:
                assert state.schema.is_subtype(type_, "grabbable"), thing
            placed = [f for f in facts(state) if f.arguments[0] == thing.name]
            assert sum(f.relation in ("at", "is_on") for f in placed) == 1
        assert Fact("at", ("robot_1", task.start)) in facts(state)
    assert len(read_tasks(without_scene=True)) == 75


_BINS = ("rubbish", "organic", "plastic", "paper", "metal", "glass", "undefined")
_PLACES = ("table", "desk", "shelf", "locker", *(f"{kind}_bin" for kind in _BINS))


# --- PDDL


def office_task():
    """An office with a book, a shelf and a lamp."""
    things = (
        Thing("book into the shelf_1", "book into the shelf", "hall_2", True),
        Thing("shelf_2", "shelf", "kitchen_1", False),
        Thing("lamp_3", "lamp", "hall_2", True),
    )
    return make_task("office_setup", *things)


def plan_text(task, goal):
    """Plan a goal in the state of a task; return domain, states of the replay, steps and goal."""
    domain = domain_of(task.split)
    state = build_state(task, domain)
    result = plan(PlanningRequest(domain, state, check(goal, domain, state)))
    assert result.plan is not None, result.message
    states, problems = replay_steps(domain, state, result.plan.steps)
    assert not problems
    return domain, states, result.plan.steps, check(goal, domain, state)


@needs_data
def test_a_plan_is_checked_in_pddl():
    inside = 'inside("book into the shelf_1", shelf_2)'
    goal = f"{inside} and at(shelf_2, hall_2) and at(lamp_3, kitchen_1)"
    domain, states, steps, checked = plan_text(office_task(), goal)
    found = check_plan("office_setup", domain, states, steps, checked)
    assert found.valid, found.problems
    assert found.checkers == ("own definition", "PDDL reader and verifier")
    assert find_witness(checked, states[-1], domain) == {
        Fact("inside", ("book into the shelf_1", "shelf_2")),
        Fact("at", ("shelf_2", "hall_2")),
        Fact("at", ("lamp_3", "kitchen_1")),
    }
    short = check_plan("office_setup", domain, states, steps[:-1], checked)
    assert not short.valid
    wrong = check_plan("office_setup", domain, states, steps[1:], checked)
    assert not wrong.valid
    assert len(wrong.problems) == 2


def test_derived_predicates_are_replaced_by_their_definitions():
    text = """(define (domain d) (:requirements :derived-predicates) (:predicates (in ?x ?y))
      (:derived (empty ?m - box) (forall (?x - object) (not (in ?x ?m))))
      (:action push :parameters (?b - box) :precondition (and (empty ?b)) :effect (in ?b ?b)))"""
    assert "(and (forall (?x - object) (not (in ?x ?b))))" in inline_derived(text)
    assert "derived" not in inline_derived(text)


# --- scoring


def make_answer(task, goal, steps=None, relaxations=(), status=PlanStatus.SOLVED_SATISFICING):
    """An answer as if a goal had been read and planned, with its states."""
    domain = domain_of(task.split)
    state = build_state(task, domain)
    reading = Reading(goal, 1.0, goal)
    read = Interpretation(task.sentence, ReadingStatus.READ, "", (reading,))
    if status is not PlanStatus.SOLVED_SATISFICING:
        return InstructionResult(read, PlanningResult(status, "no")), domain, (state,)
    planned = plan(PlanningRequest(domain, state, check(goal, domain, state)))
    states, _ = replay_steps(domain, state, planned.plan.steps)
    result = replace(planned, relaxations=relaxations)
    return InstructionResult(read, result), domain, states


LAMP, SHELF = "at(lamp_3, kitchen_1)", "at(shelf_2, hall_2)"
BOTH = AcceptedGoal(0, f"{LAMP} and {SHELF}")
UNREACHABLE = "at(shelf_2, hall_2) and at(shelf_2, kitchen_1)"
GIVEN_UP = Relaxation("drop", "the shelf", "nothing", 0.5, "There is no shelf.")


@pytest.mark.parametrize(
    ("goal", "relaxations", "reference", "outcome"),
    [
        (BOTH.text, (), Reference(BOTH, True), Outcome.REACHED),
        (BOTH.text, (GIVEN_UP,), Reference(BOTH, True), Outcome.NEEDLESS),
        (LAMP, (), Reference(BOTH, True), Outcome.OTHER),
        (LAMP, (), Reference(BOTH, True, AcceptedGoal(0, LAMP)), Outcome.LENIENT),
        (BOTH.text, (), Reference(BOTH, True, never=(LAMP,)), Outcome.FORBIDDEN),
        (LAMP, (), Reference(BOTH, False, impossible=True), Outcome.CLAIMED),
        (
            LAMP,
            (GIVEN_UP,),
            Reference(BOTH, False, relaxations=(AcceptedGoal(1, LAMP),)),
            Outcome.RELAXED,
        ),
        (LAMP, (), Reference(BOTH, False, relaxations=(AcceptedGoal(1, LAMP),)), Outcome.SILENT),
        (
            LAMP,
            (GIVEN_UP,),
            Reference(BOTH, False, relaxations=(AcceptedGoal(1, SHELF), AcceptedGoal(2, LAMP))),
            Outcome.TOO_FAR,
        ),
        (
            LAMP,
            (GIVEN_UP,),
            Reference(
                BOTH, False, relaxations=(AcceptedGoal(1, UNREACHABLE), AcceptedGoal(2, LAMP))
            ),
            Outcome.RELAXED,
        ),
    ],
)
def test_answers_are_judged_by_what_was_reached(goal, relaxations, reference, outcome):
    answer, domain, states = make_answer(office_task(), goal, relaxations=relaxations)
    assert judge_answer(answer, reference, domain, states).outcome is outcome


@pytest.mark.parametrize(
    ("reference", "outcome"),
    [
        (Reference(BOTH, True), Outcome.NO_PLAN),
        (Reference(BOTH, False, relaxations=(AcceptedGoal(1, LAMP),)), Outcome.NO_PLAN),
        (Reference(BOTH, False, refusal="fair"), Outcome.REFUSED),
        (Reference(BOTH, False, impossible=True), Outcome.REFUSED),
    ],
)
def test_refusals_are_right_where_nothing_better_exists(reference, outcome):
    status = PlanStatus.UNSOLVABLE_PROVEN
    answer, domain, states = make_answer(office_task(), LAMP, status=status)
    assert judge_answer(answer, reference, domain, states).outcome is outcome
    unsure, domain, states = make_answer(office_task(), LAMP, status=PlanStatus.TIMEOUT)
    assert judge_answer(unsure, reference, domain, states).outcome is Outcome.NO_PLAN


@needs_data
def test_references_and_variants_fit_the_domains():
    tasks = {task.name: task for task in read_tasks(without_scene=True)}
    references = read_references()
    assert set(references) == set(tasks)
    variants = read_variants(tasks.values())
    assert len(variants) == 30
    cases = [(tasks[name], reference) for name, reference in references.items()]
    for task, reference in (*cases, *((v.task, v.reference) for v in variants)):
        domain = domain_of(task.split)
        state = build_state(task, domain)
        accepted = (reference.whole, reference.lenient, *reference.relaxations)
        for goal in accepted:
            if goal is not None:
                check(goal.text, domain, state)
        for text in reference.never:
            check(text, domain, state)


@needs_data
def test_a_task_is_answered_and_judged():
    task = next(t for t in read_tasks() if t.name == "office_setup/Parole/problem_1")
    reference = read_references()[task.name]
    answer = answer_task(task, reference, Setting(GoalReader(reference.whole.text)))
    assert not answer.error
    assert answer.judgement.outcome is Outcome.REACHED
    assert answer.valid
    assert not answer.relaxed
    found = describe(answer)
    assert found["outcome"] == "reached"
    assert found["plan"][-1].startswith(("push", "drop"))


# --- runs


def run_without_data(*arguments):
    """Run the benchmark as a user does it who has no data."""
    return subprocess.run(
        [sys.executable, "-m", "benchmark.context_matters", *arguments],
        cwd=ROOT,
        env={**os.environ, "FCP_CONTEXT_MATTERS": "/nowhere", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_missing_data_is_said():
    done = run_without_data("tasks", "--quick")
    assert done.returncode == 2
    assert "/nowhere is not there" in done.stderr


@pytest.mark.thorough
@needs_data
def test_a_run_of_one_task_passes_over_the_parts_without_it(tmp_path, capsys):
    figures = tmp_path / "figures.json"
    parts = [Name.TASKS, Name.PLANNING, Name.IMPOSSIBLE, Name.READING]
    with suppress(typer.Exit):  # a busy machine may miss the goals for time
        main(parts, quick=True, only="office_setup/Parole/problem_1", output=figures)
    found = json.loads(figures.read_text(encoding="utf-8"))
    tasks, planning, impossible, reading = found["parts"]
    assert [verdict["value"] for verdict in tasks["verdicts"][:3]] == ["1 of 1 (100.0%)"] * 3
    assert [verdict["value"] for verdict in planning["verdicts"]] == ["1 of 1 (100.0%)"] * 2
    assert [verdict["met"] for verdict in impossible["verdicts"]] == [True, None]
    assert reading["lines"] == reading["verdicts"] == []
    assert "nothing to run" in reading["notes"][0]
    assert found["answers"]["tasks"][0]["outcome"] == "reached"
    assert "office_setup" in capsys.readouterr().out
