# SPDX-License-Identifier: Apache-2.0
"""Live bridges, and PlanSys2's clients: the calls of its C++ sources, one by one."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from importlib import import_module
from typing import Any

import pytest

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


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a domain."""
    file = tmp_path_factory.mktemp("plansys2") / "serving.pddl"
    file.write_text(DOMAIN)
    return str(file)


@pytest.fixture(scope="module")
def bridge(ros_environment, probe, serving, until):
    """Starts a bridge with parameters, in a new namespace; returns the node and its clients."""
    from lone_nodes import lone_node

    from fcp_ros.nodes.plansys2.node import Plansys2Bridge

    numbers = itertools.count()
    with ExitStack() as stack:

        def start(**parameters: Any):
            space = f"served_{next(numbers)}"
            values = {"model_file": serving, **parameters}
            node = stack.enter_context(lone_node(Plansys2Bridge, space, **values))
            return node, Clients(probe, space)

        yield start


class Clients:
    """What PlannerClient.cpp, DomainExpertClient.cpp and ProblemExpertClient.cpp call.

    A client of theirs makes a request, waits for the answer (1 s; here longer, since test machines
    are busy), and looks at `success`; `PlannerClient` waits for its time limit.
    """

    def __init__(self, probe: Any, space: str) -> None:
        self.probe = probe
        self.space = space

    @property
    def msg(self) -> Any:
        return import_module("plansys2_msgs.msg")

    def ask(self, kind: str, name: str, **fields: Any) -> Any:
        type_ = getattr(import_module("plansys2_msgs.srv"), kind)
        return self.probe.ask(type_, f"{self.space}/{name}", type_.Request(**fields))

    def node(self, expression: str, value: float = 0.0) -> Any:
        """Utils.cpp: fromStringPredicate, fromStringFunction."""
        kind = self.msg.Node.FUNCTION if value else self.msg.Node.PREDICATE
        name, *words = expression[1:-1].split(" ")
        params = [self.msg.Param(name=word) for word in words]
        return self.msg.Node(node_type=kind, name=name, parameters=params, value=value)

    def tree(self, *expressions: str) -> Any:
        """Utils.cpp: fromPredicates."""
        root = self.msg.Node(node_type=self.msg.Node.AND)
        root.children = list(range(1, len(expressions) + 1))
        nodes = [root]
        for number, expression in enumerate(expressions, 1):
            node = self.node(expression)
            node.node_id = number
            nodes.append(node)
        return self.msg.Tree(nodes=nodes)

    def add_instance(self, name: str, type_: str) -> Any:
        param = self.msg.Param(name=name, type=type_)
        return self.ask("AffectParam", "problem_expert/add_problem_instance", param=param)

    def affect(self, what: str, expression: str, value: float = 0.0) -> Any:
        """Call a service of type AffectNode, such as ``add_problem_predicate``."""
        return self.ask("AffectNode", f"problem_expert/{what}", node=self.node(expression, value))

    def exists(self, expression: str) -> bool:
        name = "problem_expert/exist_problem_predicate"
        return bool(self.ask("ExistNode", name, node=self.node(expression)).exist)

    def set_goal(self, *expressions: str) -> Any:
        tree = self.tree(*expressions)
        return self.ask("AddProblemGoal", "problem_expert/add_problem_goal", tree=tree)

    def get_plan(self) -> Any:
        """Terminal.cpp: getPlan(domain_client_->getDomain(), problem_client_->getProblem())."""
        domain = self.ask("GetDomain", "domain_expert/get_domain").domain
        problem = self.ask("GetProblem", "problem_expert/get_problem").problem
        return self.ask("GetPlan", "planner/get_plan", domain=domain, problem=problem)

    def set_up(self) -> None:
        """Begin anew: a robot in the hall, and a cup in the kitchen."""
        assert self.ask("ClearProblemKnowledge", "problem_expert/clear_problem_knowledge").success
        for name, type_ in (("R2", "robot"), ("kitchen", "place"), ("Hall", "place"),
                            ("cup", "item")):  # fmt: skip
            assert self.add_instance(name, type_).success
        for fact in ("(at R2 Hall)", "(free R2)", "(lies cup kitchen)"):
            assert self.affect("add_problem_predicate", fact).success
        for way, seconds in (("Hall kitchen", 10.0), ("kitchen Hall", 12.5), ("Hall Depot", 5.0)):
            assert self.affect("add_problem_function", f"(way {way})", seconds).success
