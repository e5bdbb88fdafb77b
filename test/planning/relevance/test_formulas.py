# SPDX-License-Identifier: Apache-2.0
"""Planning with disjunctive and quantified conditions, in the forms of the IPC and at random."""

from __future__ import annotations

import itertools
from collections import deque
from unittest import mock

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pddl_interpreter import Interpreter
from pddl_states import name_steps
from random_pddl import effects, formulas, tasks

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.domain.pddl import normal_form
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.encoding import operators as encoding_operators
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.relevance import formulas as relevance_formulas

CHEAPEST = PlanningOptions(alpha=0.0, optimise=Optimise.COST, time_limit=60.0, improve_time=60.0)

# As IPC 1998 has it: parts are incorporated in an order, some for a while, with resources at hand.
ASSEMBLY = """(define (domain assembly) (:requirements :adl) (:types assembly resource)
(:predicates (available ?x) (complete ?a - assembly) (requires ?a - assembly ?r - resource)
  (committed ?r - resource ?a - assembly) (incorporated ?part ?whole - assembly)
  (part-of ?part ?whole - assembly) (transient-part ?part ?whole - assembly)
  (assemble-order ?part1 ?part2 ?whole - assembly) (remove-order ?part1 ?part2 ?whole - assembly))
(:action commit :parameters (?res - resource ?as - assembly) :precondition (available ?res)
  :effect (and (not (available ?res)) (committed ?res ?as)))
(:action release :parameters (?res - resource ?as - assembly) :precondition (committed ?res ?as)
  :effect (and (not (committed ?res ?as)) (available ?res)))
(:action assemble :parameters (?part - assembly ?whole - assembly)
  :precondition (and
    (forall (?res - resource) (imply (requires ?whole ?res) (committed ?res ?whole)))
    (or (part-of ?part ?whole) (transient-part ?part ?whole)) (available ?part)
    (forall (?prev - assembly) (imply (assemble-order ?prev ?part ?whole)
      (incorporated ?prev ?whole))))
  :effect (and (incorporated ?part ?whole) (not (available ?part))
    (when (and (forall (?p - assembly) (imply (part-of ?p ?whole)
            (or (= ?p ?part) (incorporated ?p ?whole))))
          (not (exists (?tr - assembly) (and (transient-part ?tr ?whole)
            (or (= ?tr ?part) (incorporated ?tr ?whole))))))
      (and (complete ?whole) (available ?whole)))))
(:action remove :parameters (?part - assembly ?whole - assembly)
  :precondition (and
    (forall (?res - resource) (imply (requires ?whole ?res) (committed ?res ?whole)))
    (incorporated ?part ?whole)
    (or (and (transient-part ?part ?whole)
          (forall (?prev - assembly) (imply (remove-order ?prev ?part ?whole)
            (incorporated ?prev ?whole))))
        (and (part-of ?part ?whole) (not (exists (?prev - assembly)
          (and (assemble-order ?prev ?part ?whole) (incorporated ?prev ?whole)))))))
  :effect (and (not (incorporated ?part ?whole)) (available ?part)
    (when (and (forall (?p - assembly) (imply (part-of ?p ?whole)
            (and (not (= ?p ?part)) (incorporated ?p ?whole))))
          (not (exists (?tr - assembly) (and (transient-part ?tr ?whole)
            (not (= ?tr ?part)) (incorporated ?tr ?whole)))))
      (and (complete ?whole) (available ?whole))))))"""


def write_assembly(size):
    """A whole of halves, each of parts that go in one after the other; one part is transient."""
    parts = [f"p{n}" for n in range(size)]
    halves = {"left": parts[: size // 2], "right": parts[size // 2 :]}
    facts = [f"(available {part})" for part in parts] + ["(available r0) (available r1)"]
    for half, own in halves.items():
        facts.append(f"(part-of {half} whole) (requires {half} r0)")
        facts += [f"(part-of {part} {half})" for part in own]
        facts += [f"(assemble-order {a} {b} {half})" for a, b in itertools.pairwise(own)]
    facts.append("(requires whole r0) (requires whole r1) (available jig)")
    facts.append("(transient-part jig whole) (assemble-order jig left whole)")
    facts.append("(remove-order right jig whole)")
    return f"""(define (problem a) (:domain assembly) (:objects whole left right jig
        {" ".join(parts)} - assembly r0 r1 - resource) (:init {" ".join(facts)})
        (:goal (complete whole)))"""


IPC = {
    "assembly": (ASSEMBLY, write_assembly),
}


def read(domain, problem):
    texts = read_texts(Source("domain", domain), Source("problem", problem))
    return Interpreter(texts), work_out(texts)


def replay(twin, task, result):
    """Count the steps of a plan, after the interpreter of PDDL has done them."""
    state = twin.initial
    for action, arguments in name_steps(task, result):
        state = twin.step(state, action, arguments)
        assert state is not None
    assert twin.reaches_goal(state)
    return len(result.plan.steps)


@pytest.mark.parametrize("name", IPC)
@pytest.mark.parametrize("size", [8, 16])
def test_tasks_of_the_ipc_are_planned(name, size, degrees):
    domain, write = IPC[name]
    twin, task = read(domain, write(size))
    result = plan(
        PlanningRequest(task.domain, task.instance, task.goal, PlanningOptions(alpha=0.0))
    )
    assert result.status in (PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING)
    replay(twin, task, result)


def find_distance(twin, limit):
    """Return the fewest steps to the goal; None without a plan, -1 beyond a limit of states."""
    distance = {twin.initial: 0}
    queue = deque(distance)
    while queue:
        state = queue.popleft()
        if twin.reaches_goal(state):
            return distance[state]
        if len(distance) > limit:
            return -1
        for _, _, after in sorted(twin.transitions(state)):
            if after not in distance:
                distance[after] = distance[state] + 1
                queue.append(after)
    return None


@pytest.fixture(params=["cases", "clauses", "few blocks"])
def way(request, monkeypatch):
    """All conditions stay formulas; disjunctions become cases, or clauses as far as possible."""
    monkeypatch.setattr(normal_form, "MAX_ALTERNATIVES", 1)
    if request.param != "cases":
        monkeypatch.setattr(relevance_formulas, "MAX_CASES", 1)
    if request.param == "few blocks":
        monkeypatch.setattr(encoding_operators, "MAX_BLOCKS", 2)
    return request.param


@st.composite
def aims(draw):
    """A random task whose rules have formulas, and whose goal a random walk has reached."""
    domain, problem = draw(tasks())
    conditions = [draw(formulas({}, 3)) for _ in range(2)]
    quantified = [
        f"(:action more{n} :parameters (?p0 - a) :precondition (and (not (one ?p0)) {condition} "
        f"{draw(formulas({'p0': 'a'}, 3))}) :effect (and {draw(effects({'p0': 'a'}))}))"
        for n, condition in enumerate(conditions)
    ]
    domain = f"{domain[:-1]}{' '.join(quantified)})"
    twin = Interpreter(read_texts(Source("domain", domain), Source("problem", problem)))
    state = twin.initial
    for _ in range(draw(st.integers(1, 5))):
        following = sorted(after for _, _, after in twin.transitions(state))
        if following:
            state = draw(st.sampled_from(following))
    changed = [f"({' '.join(fact)})" for fact in sorted(state - twin.initial)]
    changed += [f"(not ({' '.join(fact)}))" for fact in sorted(twin.initial - state)]
    assume(changed)
    parts = draw(st.lists(st.sampled_from(changed), unique=True, min_size=1, max_size=3))
    if draw(st.integers(0, 4)) == 0:
        parts.append(draw(formulas({}, 1)))
    start = problem.index("(:goal")
    return domain, f"{problem[:start]}(:goal (and {' '.join(parts)})))"


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(aims())
def test_plans_are_as_short_as_the_interpreter_s(way, degrees, texts):
    twin, task = read(*texts)
    distance = find_distance(twin, 400)
    assume(distance != -1)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, CHEAPEST))
    if result.status is PlanStatus.UNSUPPORTED:
        assume(False)
    if distance is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    else:
        assert result.status is PlanStatus.SOLVED_OPTIMALLY
        assert replay(twin, task, result) == distance


LAMPS = """
domain: lamps
version: "1"
types: {robot: [], lamp: [], room: []}
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  in: {legs: {lamp: lamp, room: room}, static: true}
  lit: {legs: {lamp: lamp}}
  broken: {legs: {lamp: lamp}, static: true}
  read: {legs: {robot: robot}}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  switch:
    parameters: {robot: robot, lamp: lamp, room: room}
    when: ['at(robot, room)', 'in(lamp, room)', 'not broken(lamp)']
    add: ['lit(lamp)']
    duration: 1
    executor: switch
  read:
    parameters: {robot: robot, room: room}
    when: ['at(robot, room)', CONDITION]
    add: ['read(robot)']
    duration: 1
    executor: read
scene:
  layers: {room: room}
  unknown: lamp
"""


def make_lamps(condition, rooms, lamps):
    """Return the domain, and a state with some lamps in each room; the first lamp is broken."""
    domain = parse_domain(LAMPS.replace("CONDITION", f"'{condition}'"))
    builder = InstanceBuilder(domain.schema)
    robot = builder.add("robot", "bot")
    for number in range(rooms):
        room = builder.add("room", f"r{number}")
        if number == 0:
            builder.relate("at", robot, room)
        for place in range(lamps):
            lamp = builder.add("lamp", f"l{number}_{place}")
            builder.relate("in", lamp, room)
            if number == place == 0:
                builder.relate("broken", lamp)
    return domain, builder.build()


@pytest.mark.parametrize(
    ("condition", "rooms", "lamps", "steps"),
    [
        ("exists ?l: lamp (in(?l, room) and lit(?l))", 3, 4, 2),
        ("exists ?l: lamp (in(?l, room) and lit(?l))", 1, 80, 2),
        ("exists ?l: lamp (in(?l, room) and lit(?l))", 2, 1, 3),
        ("forall ?l: lamp (lit(?l) or broken(?l))", 2, 2, 5),
        ("forall ?l: lamp (in(?l, room) or not lit(?l))", 2, 3, 1),
        ("forall ?r: room (exists ?l: lamp (in(?l, ?r) and lit(?l)))", 3, 3, 6),
        ("forall ?r: room (exists ?l: lamp (in(?l, ?r) and lit(?l)))", 3, 8, 6),
        ("exists ?r: room (forall ?l: lamp (not in(?l, ?r) or lit(?l)))", 2, 3, 5),
    ],
)
def test_conditions_are_met_in_the_fewest_steps(condition, rooms, lamps, steps, degrees):
    domain, state = make_lamps(condition, rooms, lamps)
    goal = check_goal(parse_expression("read(bot)"), domain, state)
    result = plan(PlanningRequest(domain, state, goal, CHEAPEST, degrees()))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert len(result.plan.steps) == steps


def test_a_condition_with_too_many_cases_is_refused_by_name(degrees):
    condition = (
        "exists ?r: room (forall ?l: lamp (not in(?l, ?r) or lit(?l))) or "
        "exists ?l: lamp (not lit(?l) and not broken(?l) and read(robot))"
    )
    domain, state = make_lamps(condition, 10, 10)
    goal = check_goal(parse_expression("read(bot)"), domain, state)
    with mock.patch.object(relevance_formulas, "MAX_CASES", 1):
        result = plan(PlanningRequest(domain, state, goal, CHEAPEST, degrees()))
    assert result.status is PlanStatus.UNSUPPORTED
    assert "The rule read has the condition `exists ?r: room" in result.message
