# SPDX-License-Identifier: Apache-2.0
"""The bridge for PlanSys2: plans without messages, and its calls where plansys2_msgs is built."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from lifecycle_msgs.msg import Transition
from lone_nodes import lone_node

from fcp_ros.nodes.plansys2_bridge import Plansys2Bridge, make_plan
from fcp_ros.nodes.runtime.lifecycle import NodeState
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import RequestStart

DOMAIN = """; a robot that serves
(define (domain serving)
  (:requirements :typing :durative-actions :derived-predicates :action-costs)
  (:types place item - object robot)
  (:constants Depot - place)
  (:predicates (at ?r - robot ?p - place) (holds ?r - robot ?i - item) (lies ?i - item ?p - place)
    (free ?r - robot) (broken ?r - robot) (served ?p - place))
  (:functions (way ?from ?to - place))
  (:derived (served ?p - place) (exists (?i - item) (lies ?i ?p)))
  (:durative-action go :parameters (?r - robot ?from ?to - place)
    :duration (= ?duration (way ?from ?to))
    :condition (and (at start (at ?r ?from)) (over all (not (broken ?r))))
    :effect (and (at start (not (at ?r ?from))) (at end (at ?r ?to))))
  (:durative-action take :parameters (?r - robot ?i - item ?p - place)
    :duration (= ?duration 2)
    :condition (and (at start (free ?r)) (at start (lies ?i ?p)) (over all (at ?r ?p)))
    :effect (and (at start (not (free ?r))) (at start (not (lies ?i ?p))) (at end (holds ?r ?i))))
  (:action drop :parameters (?r - robot ?i - item ?p - place)
    :precondition (and (holds ?r ?i) (at ?r ?p))
    :effect (and (not (holds ?r ?i)) (free ?r) (lies ?i ?p))))
"""
PROBLEM = """(define (problem one) (:domain serving)
  (:objects R2 - robot Hall - place cup - item)
  (:init (at R2 Hall) (free R2) (lies cup Hall) {more}
    (= (way Hall Depot) 0.1) (= (way Depot Hall) 2.5e-7))
  (:goal {goal}))
"""
GOAL = "(and (lies cup Depot) (at R2 Hall))"
STEPS = ["(take R2 cup Hall)", "(go R2 Hall Depot)", "(drop R2 cup Depot)", "(go R2 Depot Hall)"]


def write_problem(goal: str = GOAL, more: str = "") -> str:
    return PROBLEM.format(goal=goal, more=more)


# --- plans, without any message


def plan(problem: str, limit: float = 60.0, cancelled=lambda: False):
    options = PlanningOptions(time_limit=limit, improve_time=0.0)
    return make_plan(DOMAIN, problem, options, RequestStart.now(), cancelled)


def test_objects_are_spelt_as_in_the_problem():
    found = plan(write_problem())
    assert [action.text for action in found.actions] == STEPS
    assert [action.duration for action in found.actions] == [2.0, 0.1, 0.001, 2.5e-7]


def test_each_way_to_have_no_plan_has_its_own_status():
    """PlanSys2 #140, #243: a time-out and a goal without a plan were the same."""
    broken = plan(write_problem(more="(broken R2)"))
    assert broken.status is PlanStatus.UNSOLVABLE_PROVEN
    assert "follow one another" in broken.sentence
    assert plan(write_problem(), limit=1e-6).status is PlanStatus.TIMEOUT
    assert plan(write_problem(), cancelled=lambda: True).status is PlanStatus.CANCELLED
    unknown = plan(write_problem().replace("(= (way Hall Depot) 0.1)", ""))
    assert unknown.status is PlanStatus.INVALID_REQUEST
    assert unknown.sentence == "The duration of go needs (way hall depot), which has no value."
    done = plan(write_problem("(free R2)"))
    assert done.status.solved
    assert (done.actions, done.sentence) == ((), "The goal holds already.")


# --- the services, as PlannerClient.cpp calls them: a request, and a look at `success`

needs_messages = pytest.mark.skipif(
    find_spec("plansys2_msgs") is None,
    reason="plansys2_msgs isn't built (docs/plansys2.md says how)",
)


class Client:
    def __init__(self, probe: Any, space: str) -> None:
        self.probe = probe
        self.space = space

    def ask(self, kind: str, name: str, **fields: Any) -> Any:
        type_ = getattr(import_module("plansys2_msgs.srv"), kind)
        return self.probe.ask(type_, f"{self.space}/planner/{name}", type_.Request(**fields))

    def get_plan(self, domain: str = DOMAIN, problem: str | None = None) -> Any:
        text = write_problem() if problem is None else problem
        return self.ask("GetPlan", "get_plan", domain=domain, problem=text)

    def validate(self, domain: str) -> Any:
        return self.ask("ValidateDomain", "validate_domain", domain=domain)


@pytest.fixture(scope="module")
def bridge(ros_environment, probe):
    """Starts a bridge with parameters, in a new namespace; returns the node and its client."""
    numbers = itertools.count()
    with ExitStack() as stack:

        def start(**parameters: Any):
            space = f"served_{next(numbers)}"
            node = stack.enter_context(lone_node(Plansys2Bridge, space, **parameters))
            return node, Client(probe, space)

        yield start


@pytest.fixture(scope="module")
def client(bridge, until):
    node, client = bridge(improve_time=0.0)
    until(lambda: node.is_active, "the bridge")
    return client


def test_without_the_messages_it_says_what_to_do(bridge, until, monkeypatch):
    monkeypatch.setattr("fcp_ros.nodes.plansys2_bridge.find_spec", lambda _name: None)
    node, _ = bridge()
    until(lambda: node.fault, "the reason")
    assert "the package plansys2_msgs is not installed: build and source it" in node.fault
    assert node.state is NodeState.UNCONFIGURED


@needs_messages
def test_requests_at_once_are_all_answered(client):
    """PlanSys2 #221."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.get_plan(), range(8)))
    assert [[item.action for item in answer.plan.items] for answer in answers] == [STEPS] * 8
    items = answers[0].plan.items
    assert [round(item.duration, 3) for item in items] == [2.0, 0.1, 0.001, 0.0]
    # BTBuilder::to_action_id: an action and its time in ms have to be one of a kind
    assert len({(i.action, int(i.time * 1000)) for i in items}) == len(STEPS)


@needs_messages
def test_a_goal_that_holds_already_needs_no_steps(client):
    answer = client.get_plan(problem=write_problem("(free R2)"))
    assert answer.success
    assert list(answer.plan.items) == []
    assert "holds already" in answer.error_info


@needs_messages
def test_bad_requests_are_answered_and_do_no_harm(client):
    """pyrobosim #229: a bad request hung the client."""
    for domain, problem in (("", ""), ("(define", "("), ("\0", "a"), ("(define (domain d))", "")):
        answer = client.get_plan(domain, problem)
        assert not answer.success
        assert answer.error_info.startswith("INVALID_REQUEST: the ")
    assert not client.validate("(").success
    timed = "(define (domain d) (:durative-action a :duration (<= ?duration 1)))"
    assert "not supported: the duration" in client.validate(timed).error_info
    assert client.validate(DOMAIN).success
    assert client.get_plan().success


TILES = [f"t{n}" for n in range(1, 16)]


def write_tiles() -> tuple[str, str]:
    """Fifteen tiles of which two have changed places: there is no plan, and no short proof."""
    places = [f"p{x}-{y}" for y in range(4) for x in range(4)]
    beside = [
        f"(beside p{x}-{y} p{x + dx}-{y + dy})"
        for y in range(4) for x in range(4) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
        if 0 <= x + dx < 4 and 0 <= y + dy < 4
    ]  # fmt: skip
    domain = (
        "(define (domain tiles) (:types tile place) (:predicates (on ?t - tile ?p - place) "
        "(blank ?p - place) (beside ?a ?b - place)) (:action slide :parameters (?t - tile ?a ?b - "
        "place) :precondition (and (on ?t ?a) (blank ?b) (beside ?a ?b)) :effect (and (not (on ?t "
        "?a)) (on ?t ?b) (blank ?a) (not (blank ?b)))))"
    )
    now = [f"(on {t} {p})" for t, p in zip(TILES, places, strict=False)]
    swapped = [TILES[1], TILES[0], *TILES[2:]]
    goal = [f"(on {t} {p})" for t, p in zip(swapped, places, strict=False)]
    return domain, (
        f"(define (problem one) (:domain tiles) (:objects {' '.join(TILES)} - tile "
        f"{' '.join(places)} - place) (:init {' '.join((*now, *beside))} (blank p3-3)) "
        f"(:goal (and {' '.join(goal)})))"
    )


@needs_messages
def test_a_time_limit_is_told_before_the_client_gives_up(bridge, until):
    """PlanSys2 #140, #243: silence, and the same answer as for a goal without a plan."""
    node, client = bridge(plan_solver_timeout=1.0)
    until(lambda: node.is_active, "the bridge")
    answer = client.get_plan(*write_tiles())
    assert not answer.success
    assert answer.error_info.startswith("TIMEOUT: ")
    assert "0.9 s" in answer.error_info


@needs_messages
def test_a_deactivation_ends_a_search_with_a_sentence(bridge, until, probe):
    node, client = bridge(plan_solver_timeout=3600.0, queue_size=0)
    until(lambda: node.is_active, "the bridge")
    tiles = write_tiles()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get_plan, *tiles)
        until(lambda: node.diagnose().values["requests_for_plans"] == 1, "the search")
        assert "busy" in client.get_plan(*tiles).error_info
        assert client.validate(DOMAIN).success, "it waits for no plan"
        name = f"{client.space}/plansys2_bridge"
        assert probe.change_state(name, Transition.TRANSITION_DEACTIVATE)
        answer = waiting.result(60.0)
    assert not answer.success
    assert "deactivated" in answer.error_info
    assert "is inactive. Activate it" in client.get_plan(*tiles).error_info
