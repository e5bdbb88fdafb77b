# SPDX-License-Identifier: Apache-2.0
"""The answers of PlanSys2's problem expert: questions, and changes of what is known."""

from __future__ import annotations

from typing import Any

from plansys2_msgs import msg, srv
from plansys2_msgs.msg import Node, Param

from fcp_ros.domain.pddl.syntax_tree import TRUE, Typed
from fcp_ros.domain.pddl.syntax_writer import write_formula, write_list
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.plansys2.knowledge import Knowledge, split_words
from fcp_ros.nodes.plansys2.trees import (
    TreeNames,
    read_names,
    read_tree,
    write_condition,
    write_param,
)


def write_knowledge(known: Knowledge) -> msg.Knowledge:
    goal = known.problem.goal
    return msg.Knowledge(
        instances=known.spell(one.name for one in known.instances),
        predicates=[write_list(name, words) for name, words in _list_facts(known)],
        functions=[
            write_list(name, known.spell(words))
            for name, given in known.problem.values.items()
            for words in given
        ],
        goal="" if goal == TRUE else write_formula(goal),
    )


# --- questions


def get_problem(known: Knowledge, _request: Any, response: Any) -> None:
    response.problem = known.write()


def get_goal(known: Knowledge, _request: Any, response: Any) -> None:
    names = TreeNames(known.model.domain, known.problem.spelling)
    response.tree = write_condition(known.problem.goal, names)


def is_goal_satisfied(known: Knowledge, request: Any, response: Any) -> None:
    response.satisfied = known.holds(known.read_goal(_require(read_tree(request.tree))))


def get_instance(known: Knowledge, request: Any, response: Any) -> None:
    response.instance = _write_instance(known, known.find_instance(request.instance))


def get_instances(known: Knowledge, _request: Any, response: Any) -> None:
    response.instances = [_write_instance(known, one) for one in known.instances]


def get_predicate(known: Knowledge, request: Any, response: Any) -> None:
    name, *words = split_words(request.expression) or [""]
    if not known.has_fact(name, words):
        raise InputError(f"{request.expression!r} does not hold.")
    response.node = _write_node(Node.PREDICATE, name, words)


def get_predicates(known: Knowledge, _request: Any, response: Any) -> None:
    response.states = [
        _write_node(Node.PREDICATE, name, words) for name, words in _list_facts(known)
    ]


def exist_predicate(known: Knowledge, request: Any, response: Any) -> None:
    response.exist = known.has_fact(request.node.name, read_names(request.node))


def get_function(known: Knowledge, request: Any, response: Any) -> None:
    name, *words = split_words(request.expression) or [""]
    value = known.find_value(name, words)
    if value is None:
        raise InputError(f"{request.expression!r} has no value.")
    response.node = _write_node(Node.FUNCTION, name, words, float(value))


def get_functions(known: Knowledge, _request: Any, response: Any) -> None:
    response.states = [
        _write_node(Node.FUNCTION, name, known.spell(words), float(value))
        for name, given in known.problem.values.items()
        for words, value in given.items()
    ]


def exist_function(known: Knowledge, request: Any, response: Any) -> None:
    response.exist = known.find_value(request.node.name, read_names(request.node)) is not None


QUESTIONS = (
    ("get_problem", srv.GetProblem, get_problem),
    ("get_problem_goal", srv.GetProblemGoal, get_goal),
    ("is_problem_goal_satisfied", srv.IsProblemGoalSatisfied, is_goal_satisfied),
    ("get_problem_instance", srv.GetProblemInstanceDetails, get_instance),
    ("get_problem_instances", srv.GetProblemInstances, get_instances),
    ("get_problem_predicate", srv.GetNodeDetails, get_predicate),
    ("get_problem_predicates", srv.GetStates, get_predicates),
    ("exist_problem_predicate", srv.ExistNode, exist_predicate),
    ("get_problem_function", srv.GetNodeDetails, get_function),
    ("get_problem_functions", srv.GetStates, get_functions),
    ("exist_problem_function", srv.ExistNode, exist_function),
)
"""Name, type, and the function that fills in the response; raises InputError to refuse."""


# --- changes


def add_problem(known: Knowledge, request: Any) -> Knowledge:
    return known.add_problem(request.problem)


def add_goal(known: Knowledge, request: Any) -> Knowledge:
    return known.set_goal(_require(read_tree(request.tree)))


def remove_goal(known: Knowledge, _request: Any) -> Knowledge:
    return known.clear_goal()


def add_instance(known: Knowledge, request: Any) -> Knowledge:
    return known.add_instance(request.param.name, request.param.type)


def remove_instance(known: Knowledge, request: Any) -> Knowledge:
    return known.remove_instance(request.param.name)


def add_predicate(known: Knowledge, request: Any) -> Knowledge:
    return known.add_fact(request.node.name, read_names(request.node))


def remove_predicate(known: Knowledge, request: Any) -> Knowledge:
    return known.remove_fact(request.node.name, read_names(request.node))


def add_function(known: Knowledge, request: Any) -> Knowledge:
    return known.set_value(request.node.name, read_names(request.node), request.node.value)


def update_function(known: Knowledge, request: Any) -> Knowledge:
    node = request.node
    if known.find_value(node.name, read_names(node)) is None:
        text = write_list(node.name, read_names(node))
        raise InputError(f"{text} has no value yet: add it first.")
    return add_function(known, request)


def remove_function(known: Knowledge, request: Any) -> Knowledge:
    return known.remove_value(request.node.name, read_names(request.node))


def clear(known: Knowledge, _request: Any) -> Knowledge:
    return Knowledge.empty(known.model)


CHANGES = (
    ("add_problem", srv.AddProblem, add_problem),
    ("add_problem_goal", srv.AddProblemGoal, add_goal),
    ("remove_problem_goal", srv.RemoveProblemGoal, remove_goal),
    ("add_problem_instance", srv.AffectParam, add_instance),
    ("remove_problem_instance", srv.AffectParam, remove_instance),
    ("add_problem_predicate", srv.AffectNode, add_predicate),
    ("remove_problem_predicate", srv.AffectNode, remove_predicate),
    ("add_problem_function", srv.AffectNode, add_function),
    ("update_problem_function", srv.AffectNode, update_function),
    ("remove_problem_function", srv.AffectNode, remove_function),
    ("clear_problem_knowledge", srv.ClearProblemKnowledge, clear),
)
"""Name, type, and the function that makes the change; raises InputError to refuse it."""


def _list_facts(known: Knowledge) -> list[tuple[str, list[str]]]:
    return [
        (name, known.spell(words))
        for name, tuples in known.facts.items()
        for words in sorted(tuples)
    ]


def _write_instance(known: Knowledge, instance: Typed) -> Param:
    (name,) = known.spell((instance.name,))
    return write_param(known.model.domain, name, instance.types)


def _write_node(kind: int, name: str, words: list[str], value: float = 0.0) -> Node:
    return Node(node_type=kind, name=name, parameters=[Param(name=w) for w in words], value=value)


def _require(text: str) -> str:
    if not text:
        raise InputError("The tree has no nodes: send a condition.")
    return text
