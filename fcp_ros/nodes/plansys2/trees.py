# SPDX-License-Identifier: Apache-2.0
"""Conditions and effects as plansys2_msgs/Tree, and back to PDDL.

PlanSys2's executor evaluates a negated conjunction as that of the negated parts
(plansys2_problem_expert/src/plansys2_problem_expert/Utils.cpp), and takes the root of a condition
for a conjunction: so negations are written in front of facts only, and roots are conjunctions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plansys2_msgs.msg import Node, Param, Tree

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl.formulas import MAX_DEPTH
from fcp_ros.domain.pddl.syntax_tree import (
    TOTAL_COST,
    TRUE,
    ActionEffect,
    Conjunction,
    Disjunction,
    DomainText,
    Formula,
    FunctionValue,
    Negation,
    Numeric,
    NumericComparison,
    NumericOperation,
    PddlTerm,
    PreferenceFormula,
    Quantified,
    TrajectoryFormula,
    Typed,
    children,
    conjuncts,
    list_ancestors,
    list_types,
    terms_of,
)
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import write_decimal

_COMPARISONS = {
    ">=": Node.COMP_GE,
    ">": Node.COMP_GT,
    "<=": Node.COMP_LE,
    "<": Node.COMP_LT,
    "=": Node.COMP_EQ,
}
_OPERATIONS = {
    "*": Node.ARITH_MULT,
    "/": Node.ARITH_DIV,
    "+": Node.ARITH_ADD,
    "-": Node.ARITH_SUB,
}
_CHANGES = {
    "assign": Node.ASSIGN,
    "increase": Node.INCREASE,
    "decrease": Node.DECREASE,
    "scale-up": Node.SCALE_UP,
    "scale-down": Node.SCALE_DOWN,
}
_WORDS = {Node.AND: "and", Node.OR: "or", Node.NOT: "not"}
_OPERATORS = {code: word for word, code in (_COMPARISONS | _OPERATIONS).items()}
_NAME = re.compile(r"\??[\w-]+\Z", re.ASCII)

MOST_NODES = 1_000
"""Nodes that a tree is read of; PlanSys2's own evaluation counts to 255."""

# --- writing


def write_param(domain: DomainText, name: str, types: Sequence[str]) -> Param:
    """Write an object or a parameter; the types below its own are its subtypes."""
    known = list_types(domain.types)
    below = [one for one in known if set(types) & set(list_ancestors(one, domain.types))]
    return Param(name=name, type=types[0], sub_types=[one for one in below if one != types[0]])


def write_parameters(
    domain: DomainText, parameters: Sequence[Typed], given: Sequence[str] = ()
) -> list[Param]:
    """Write the parameters of an action: as they are given, or as PlanSys2 numbers them."""
    names = name_parameters(parameters, given)
    return [write_param(domain, names[one.name], one.types) for one in parameters]


def name_parameters(parameters: Sequence[Typed], given: Sequence[str] = ()) -> dict[str, str]:
    return {one.name: given[n] if n < len(given) else f"?{n}" for n, one in enumerate(parameters)}


@dataclass(frozen=True)
class TreeNames:
    """The names in a tree."""

    domain: DomainText
    objects: Mapping[str, str]  # objects as they were given, by their lower-case names
    variables: Mapping[str, str] = field(default_factory=dict)  # what stands for each parameter

    def name(self, term: PddlTerm) -> str:
        names = self.variables if isinstance(term, Variable) else self.objects
        return names.get(term.name, term.name)


def write_condition(formula: Formula, names: TreeNames) -> Tree:
    """Write a condition; one that always holds is empty.

    Raises InputError for what the messages can't say.
    """
    writer = _TreeWriter(names)
    if formula != TRUE:
        writer.write_joined(Node.AND, conjuncts(formula))
    return writer.tree


def write_effects(effects: Sequence[ActionEffect], names: TreeNames) -> Tree:
    """Write effects, but the costs of actions, which PlanSys2 has no place for."""
    writer = _TreeWriter(names)
    if any(effect.condition != TRUE or effect.variables for effect in effects):
        raise InputError("plansys2_msgs has no conditional effects.")
    # What is added last stays: PlanSys2 carries effects out in their order.
    parts: list[Formula] = [Negation(atom) for effect in effects for atom in effect.delete]
    parts += [atom for effect in effects for atom in effect.add]
    changes = [n for e in effects for n in e.numeric if n.target.function != TOTAL_COST]
    if parts or changes:
        root = writer.write_joined(Node.AND, parts)
        for change in changes:
            node = writer.add(Node.FUNCTION_MODIFIER, modifier_type=_CHANGES[change.operator])
            node.children = [writer.write_number(n) for n in (change.target, change.amount)]
            root.children.append(node.node_id)
    return writer.tree


@dataclass
class _TreeWriter:
    names: TreeNames
    tree: Tree = field(default_factory=Tree)

    def add(self, kind: int, **fields: object) -> Node:
        node = Node(node_type=kind, node_id=len(self.tree.nodes), **fields)
        self.tree.nodes.append(node)
        return node

    def write_joined(
        self, kind: int, parts: Iterable[Formula], negate: bool = False, **fields: object
    ) -> Node:
        node = self.add(kind, **fields)
        node.children = [self.write(part, negate).node_id for part in parts]
        return node

    def write(self, formula: Formula, negate: bool) -> Node:
        if isinstance(formula, Negation):
            return self.write(formula.body, not negate)
        if isinstance(formula, Conjunction | Disjunction):
            both = isinstance(formula, Conjunction) is not negate
            return self.write_joined(Node.AND if both else Node.OR, children(formula), negate)
        if isinstance(formula, Quantified) and formula.universal is negate:
            return self._write_exists(formula, negate)
        if isinstance(formula, Quantified | PreferenceFormula | TrajectoryFormula):
            raise InputError(
                "plansys2_msgs has no node for forall, preferences and constraints, and PlanSys2 "
                "mistakes (not (exists ...))."
            )
        if negate:
            node = self.add(Node.NOT)
            body = self.write(formula, False)
            body.negate = True
            node.children = [body.node_id]
            return node
        if isinstance(formula, Atom):
            legs = self.names.domain.predicates[formula.predicate]
            params = self._write_terms(tuple(terms_of(formula)), legs)
            return self.add(Node.PREDICATE, name=formula.predicate, parameters=params)
        if isinstance(formula, NumericComparison):
            kind = _COMPARISONS[formula.operator]
            node = self.add(Node.EXPRESSION, expression_type=kind)
            node.children = [self.write_number(n) for n in (formula.left, formula.right)]
            return node
        node = self.add(Node.EXPRESSION, expression_type=Node.COMP_EQ)
        node.children = [self._write_same(term) for term in (formula.left, formula.right)]
        return node

    def _write_exists(self, formula: Quantified, negate: bool) -> Node:
        own = {one.name: f"?{one.name}" for one in formula.variables}
        names = replace(self.names, variables={**self.names.variables, **own})
        bound = write_parameters(self.names.domain, formula.variables, tuple(own.values()))
        inner = _TreeWriter(names, self.tree)
        return inner.write_joined(Node.EXISTS, [formula.body], negate, parameters=bound)

    def write_number(self, number: Numeric) -> int:
        """Write a number; return the place of its node."""
        if isinstance(number, Fraction):
            return int(self.add(Node.NUMBER, value=float(number)).node_id)
        if isinstance(number, FunctionValue):
            legs = self.names.domain.functions.get(number.function, ())
            params = self._write_terms(number.arguments, legs)
            node = self.add(Node.FUNCTION, name=number.function, parameters=params)
            return int(node.node_id)
        if isinstance(number, NumericOperation):
            kind = _OPERATIONS[number.operator]
            node = self.add(Node.EXPRESSION, expression_type=kind)
            node.children = [self.write_number(operand) for operand in number.operands]
            return int(node.node_id)
        raise InputError("plansys2_msgs has no node for violations of preferences.")

    def _write_terms(self, terms: Sequence[PddlTerm], legs: Sequence[Typed]) -> list[Param]:
        return [
            Param(name=self.names.name(term), type=leg.types[0])
            for term, leg in zip(terms, legs, strict=True)
        ]

    def _write_same(self, term: PddlTerm) -> int:
        node = self.add(Node.PARAMETER, parameters=[Param(name=self.names.name(term))])
        return int(node.node_id)


# --- reading


def read_tree(tree: Tree) -> str:
    """Return the condition of a tree in PDDL; an empty tree is "".

    Raises InputError for a tree that is none, is too large, or has no condition in it.
    """
    return _TreeReader(tree.nodes).read(0, 0) if tree.nodes else ""


class _TreeReader:
    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._read = 0

    def read(self, place: int, depth: int) -> str:
        # A child may be a parent, or have many: what is read is counted, not what is there.
        self._read += 1
        if self._read > MOST_NODES or depth > MAX_DEPTH:
            raise InputError(
                f"The tree goes on beyond {MOST_NODES} nodes or {MAX_DEPTH} levels, or in a circle."
            )
        if place >= len(self._nodes):
            raise InputError(f"The tree has {len(self._nodes)} nodes, and names node {place}.")
        node = self._nodes[place]
        inner = " ".join(self.read(child, depth + 1) for child in node.children)
        kind = node.node_type
        if kind in _WORDS:
            return f"({_WORDS[kind]} {inner})"
        if kind == Node.EXPRESSION and node.expression_type in _OPERATORS:
            return f"({_OPERATORS[node.expression_type]} {inner})"
        if kind in (Node.PREDICATE, Node.FUNCTION):
            return f"({' '.join(map(_check, (node.name, *read_names(node))))})"
        if kind == Node.EXISTS:
            variables = " ".join(f"{_check(p.name)}{_type(p)}" for p in node.parameters)
            return f"(exists ({variables}) {inner})"
        if kind == Node.NUMBER:
            return write_decimal(Fraction(repr(node.value)))
        if kind == Node.CONSTANT:
            return _check(node.name)
        if kind == Node.PARAMETER and node.parameters:
            return _check(node.parameters[0].name)
        raise InputError(f"Node {place} is of the kind {kind}, which is no part of a condition.")


def read_names(node: Node) -> list[str]:
    return [param.name for param in node.parameters]


def _type(param: Param) -> str:
    return f" - {_check(param.type)}" if param.type else ""


def _check(name: str) -> str:
    if not _NAME.match(name):
        raise InputError(f"{name!r} is no name: write letters, digits, - and _.")
    return str(name)
