# SPDX-License-Identifier: Apache-2.0
"""The answers of PlanSys2's domain expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from plansys2_msgs import srv
from plansys2_msgs.msg import Action, Derived, DurativeAction, Node

from fcp_ros.domain.pddl.syntax_tree import Typed, list_types, terms_of
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.plansys2.knowledge import Knowledge
from fcp_ros.nodes.plansys2.trees import (
    TreeNames,
    name_parameters,
    write_condition,
    write_effects,
    write_param,
    write_parameters,
)

Found = TypeVar("Found")


def get_domain(known: Knowledge, _request: Any, response: Any) -> None:
    response.domain = known.model.source.text


def get_name(known: Knowledge, _request: Any, response: Any) -> None:
    response.name = known.model.domain.name


def get_types(known: Knowledge, _request: Any, response: Any) -> None:
    response.types = list(list_types(known.model.domain.types))


def get_constants(known: Knowledge, request: Any, response: Any) -> None:
    wanted = request.type.lower()
    found = [one.name for one in known.model.domain.constants if wanted in one.types]
    response.constants = known.spell(found)


def get_actions(known: Knowledge, _request: Any, response: Any) -> None:
    durative = {action.name for action in known.model.domain.durative}
    response.actions = [a.name for a in known.model.domain.actions if a.name not in durative]


def get_durative_actions(known: Knowledge, _request: Any, response: Any) -> None:
    response.actions = [action.name for action in known.model.domain.durative]


def get_action(known: Knowledge, request: Any, response: Any) -> None:
    domain = known.model.domain
    durative = {action.name for action in domain.durative}
    plain = {action.name: action for action in domain.actions if action.name not in durative}
    action = _find(plain, request.action, "action")
    names = _name_in(known, action.parameters, request.parameters)
    response.action = Action(
        name=request.action,
        parameters=write_parameters(domain, action.parameters, request.parameters),
        preconditions=write_condition(action.precondition, names),
        effects=write_effects(action.effects, names),
    )


def get_durative_action(known: Knowledge, request: Any, response: Any) -> None:
    domain, name = known.model.domain, request.durative_action
    action = _find({one.name: one for one in domain.durative}, name, "durative action")
    names = _name_in(known, action.parameters, request.parameters)
    response.durative_action = DurativeAction(
        name=name,
        parameters=write_parameters(domain, action.parameters, request.parameters),
        at_start_requirements=write_condition(action.at_start, names),
        over_all_requirements=write_condition(action.over_all, names),
        at_end_requirements=write_condition(action.at_end, names),
        at_start_effects=write_effects(action.start_effects, names),
        at_end_effects=write_effects(action.end_effects, names),
    )


def get_predicates(known: Knowledge, _request: Any, response: Any) -> None:
    domain = known.model.domain
    own = (name for name in domain.predicates if name not in domain.derived)
    response.states = [Node(node_type=Node.PREDICATE, name=name) for name in own]


def get_predicate(known: Knowledge, request: Any, response: Any) -> None:
    legs = known.model.domain.predicates
    response.node = _write_signature(known, Node.PREDICATE, legs, request, "predicate")


def get_functions(known: Knowledge, _request: Any, response: Any) -> None:
    names = known.model.domain.functions
    response.states = [Node(node_type=Node.FUNCTION, name=name) for name in names]


def get_function(known: Knowledge, request: Any, response: Any) -> None:
    legs = known.model.domain.functions
    response.node = _write_signature(known, Node.FUNCTION, legs, request, "function")


def get_derived_predicates(known: Knowledge, _request: Any, response: Any) -> None:
    names = [axiom.head.predicate for axiom in known.model.domain.axioms]
    response.states = [Node(node_type=Node.PREDICATE, name=name) for name in names]


def get_derived_predicate(known: Knowledge, request: Any, response: Any) -> None:
    domain, name = known.model.domain, request.predicate.lower()
    response.predicates = [
        Derived(
            predicate=Node(
                node_type=Node.PREDICATE,
                name=name,
                parameters=_name_legs(known, axiom.parameters),
            ),
            preconditions=write_condition(
                axiom.body, _name_in(known, [Typed(t.name) for t in terms_of(axiom.head)])
            ),
        )
        for axiom in domain.axioms
        if axiom.head.predicate == name
    ]
    if not response.predicates:
        raise _refuse(request.predicate, "derived predicate", domain.derived)


SERVICES = (
    ("get_domain", srv.GetDomain, get_domain),
    ("get_domain_name", srv.GetDomainName, get_name),
    ("get_domain_types", srv.GetDomainTypes, get_types),
    ("get_domain_constants", srv.GetDomainConstants, get_constants),
    ("get_domain_actions", srv.GetDomainActions, get_actions),
    ("get_domain_action_details", srv.GetDomainActionDetails, get_action),
    ("get_domain_durative_actions", srv.GetDomainActions, get_durative_actions),
    (
        "get_domain_durative_action_details",
        srv.GetDomainDurativeActionDetails,
        get_durative_action,
    ),
    ("get_domain_predicates", srv.GetStates, get_predicates),
    ("get_domain_predicate_details", srv.GetNodeDetails, get_predicate),
    ("get_domain_functions", srv.GetStates, get_functions),
    ("get_domain_function_details", srv.GetNodeDetails, get_function),
    ("get_domain_derived_predicates", srv.GetStates, get_derived_predicates),
    (
        "get_domain_derived_predicate_details",
        srv.GetDomainDerivedPredicateDetails,
        get_derived_predicate,
    ),
)
"""Name, type, and the function that fills in the response; raises InputError to refuse."""


def _write_signature(
    known: Knowledge, kind: int, legs: Mapping[str, Sequence[Typed]], request: Any, what: str
) -> Node:
    own = _find(legs, request.expression, what)
    name = request.expression.lower()
    return Node(node_type=kind, name=name, parameters=_name_legs(known, own))


def _name_in(known: Knowledge, parameters: Sequence[Typed], given: Sequence[str] = ()) -> TreeNames:
    variables = name_parameters(parameters, given)
    return TreeNames(known.model.domain, known.problem.spelling, variables)


def _name_legs(known: Knowledge, legs: Sequence[Typed]) -> list[Any]:
    """Name parameters by type and number, as PlanSys2 does: `?robot0`."""
    domain = known.model.domain
    return [write_param(domain, f"?{leg.types[0]}{n}", leg.types) for n, leg in enumerate(legs)]


def _find(known: Mapping[str, Found], name: str, what: str) -> Found:
    found = known.get(name.lower())
    if found is None:
        raise _refuse(name, what, known)
    return found


def _refuse(name: str, what: str, known: Any) -> InputError:
    names = ", ".join(sorted(known)) or "none"
    return InputError(f"The domain has no {what} {name!r}; it has: {names}.")
