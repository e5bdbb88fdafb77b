# SPDX-License-Identifier: Apache-2.0
"""The metric of a problem as costs: of actions, and of preferences that are given up.

A metric is a weighted sum of counts of violations and of functions that actions only increase.
Each such function becomes a part of total-cost; total-time is one that each action increases by 1.
A preference in a precondition splits its action:
one half requires the condition, the other one its negation, and costs more.

PDDL 2.1 (Fox and Long 2003, section 3.1) leaves a function undefined where the initial state gives
no value, and an effect that reads it cannot be applied, rather than being free. So an action that
adds the value of such a function to its cost gets a static condition: the value is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.pddl_task import MetricValue
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.syntax_writer import write_numeric
from fcp_ros.domain.pddl.universe import Universe, list_required
from fcp_ros.foundation.wording import FreeNames

COST = pddl.FunctionValue(pddl.TOTAL_COST)
TIMES = "*"
"""Between a function and its weight; no name of PDDL has it."""
MAX_SPLIT = 6
"""Preferences in one precondition; each doubles the number of rules."""


@dataclass(frozen=True)
class PricedTask:
    """A task without metric but for total-cost."""

    domain: pddl.DomainText
    problem: pddl.ProblemText  # its metric is total-cost if anything is minimised
    goal: pddl.Formula  # of the problem, with all trajectory constraints
    prices: Mapping[str, Fraction]  # name of a preference -> the cost of each of its violations
    metric: MetricValue


def price_task(
    domain: pddl.DomainText, problem: pddl.ProblemText, sources: tuple[Source, Source]
) -> PricedTask:
    """Turn the metric of a problem into costs.

    Raises UnsupportedPddl for a metric that is no such sum.
    """
    parts = (problem.goal, domain.constraints, problem.constraints)
    goal = (
        pddl.Conjunction(tuple(p for p in parts if p != pddl.TRUE))
        if parts[1:] != (pddl.TRUE, pddl.TRUE)
        else parts[0]
    )
    names = pddl.list_preferences(domain, problem)
    metric = problem.metric
    steps_only = metric is None or metric == pddl.Metric(True, pddl.FunctionValue(pddl.TOTAL_TIME))
    if steps_only and not names:
        return PricedTask(domain, problem, goal, {}, MetricValue())
    if metric is None:
        prices: dict[str, Fraction] = dict.fromkeys(names, Fraction(1))
        weights: dict[str, Fraction] = {}
        value = MetricValue()
    else:
        prices, weights, constant = _read_sum(metric, names, sources[1])
        given = ((problem.values.get(name, {}).get((), 0), w) for name, w in weights.items())
        constant += sum((value * weight for value, weight in given), Fraction(0))
        factor = 1 if metric.minimise else -1
        value = MetricValue(factor * constant, factor)
    values, functions = dict(problem.values), dict(domain.functions)
    actions = tuple(
        half
        for action in domain.actions
        for half in _split(_weigh(action, weights, values), prices, sources[0])
    )
    for name in values.keys() - problem.values.keys():
        functions[name] = functions[name.partition(TIMES)[0]]
    return PricedTask(
        replace(domain, functions=functions, actions=actions, constraints=pddl.TRUE),
        replace(problem, values=values, metric=pddl.Metric(True, COST)),
        goal,
        prices,
        value,
    )


# --- the sum


def _read_sum(
    metric: pddl.Metric, names: Iterable[str], source: Source
) -> tuple[dict[str, Fraction], dict[str, Fraction], Fraction]:
    constant = Fraction(0)
    prices = dict.fromkeys(names, Fraction(0))
    weights: dict[str, Fraction] = {}
    sign = Fraction(1 if metric.minimise else -1)
    for weight, part in _list_terms(metric.value, sign, metric, source):
        if isinstance(part, Fraction):
            constant += weight * part
        elif isinstance(part, pddl.ViolationCount):
            prices[part.preference] += weight
        else:
            weights[part.function] = weights.get(part.function, Fraction(0)) + weight
    for kind, found in (("preference", prices), ("function", weights)):
        wrong = next((name for name, weight in found.items() if weight < 0), None)
        if wrong is not None:
            feature = f"a metric that is better the more the {kind} {wrong} counts"
            raise source.refusal(metric.at, feature, "give it a weight of 0 or more")
    return prices, weights, constant


def _list_terms(
    number: pddl.Numeric, weight: Fraction, metric: pddl.Metric, source: Source
) -> Iterator[tuple[Fraction, pddl.ViolationCount | pddl.FunctionValue | Fraction]]:
    if isinstance(number, (pddl.ViolationCount, Fraction)) or (
        isinstance(number, pddl.FunctionValue) and not number.arguments
    ):
        yield weight, number
        return
    if isinstance(number, pddl.NumericOperation):
        operator, operands = number.operator, number.operands
        if operator in ("+", "-"):
            for position, operand in enumerate(operands):
                negative = operator == "-" and (position > 0 or len(operands) == 1)
                yield from _list_terms(operand, -weight if negative else weight, metric, source)
            return
        constants = [operand for operand in operands if isinstance(operand, Fraction)]
        others = [operand for operand in operands if not isinstance(operand, Fraction)]
        if operator == "*" and len(others) <= 1:
            for constant in constants:
                weight *= constant
            yield from _list_terms(others[0] if others else Fraction(1), weight, metric, source)
            return
        divisor = operands[-1]
        if operator == "/" and len(operands) == 2 and isinstance(divisor, Fraction) and divisor:
            yield from _list_terms(operands[0], weight / divisor, metric, source)
            return
    feature = f"{write_numeric(number)} in a metric"
    fix = "write a weighted sum of (is-violated name) and functions without arguments"
    raise source.refusal(metric.at, feature, fix)


# --- actions


def _weigh(
    action: pddl.PddlAction,
    weights: Mapping[str, Fraction],
    values: dict[str, Mapping[tuple[str, ...], Fraction]],
) -> pddl.PddlAction:
    """Make the functions of the metric parts of total-cost; others count nothing."""
    # A function of objects that a weighted one is increased by is replaced by a copy with other
    # values, which is added to `values`.
    effects = []
    for effect in action.effects:
        numeric = tuple(
            replace(change, target=COST, amount=_scale(change.amount, w, values))
            for change in effect.numeric
            if (w := weights.get(change.target.function, Fraction(0))) > 0
        )
        effects.append(replace(effect, numeric=numeric))
    if weights.get(pddl.TOTAL_TIME, 0) > 0:
        effects.append(_charge(weights[pddl.TOTAL_TIME]))
    return replace(action, effects=tuple(effects))


def _scale(
    amount: pddl.Numeric, weight: Fraction, values: dict[str, Mapping[tuple[str, ...], Fraction]]
) -> pddl.Numeric:
    if weight == 1:
        return amount
    found: list[pddl.Numeric] = []
    for part in pddl.summands(amount):
        if isinstance(part, Fraction):
            found.append(part * weight)
        elif isinstance(part, pddl.FunctionValue):
            name = f"{part.function}{TIMES}{weight}"
            given = values.get(part.function, {})
            values.setdefault(name, {key: value * weight for key, value in given.items()})
            found.append(replace(part, function=name))
    return pddl.NumericOperation("+", tuple(found))


def _split(
    action: pddl.PddlAction, prices: Mapping[str, Fraction], source: Source
) -> Iterator[pddl.PddlAction]:
    """Yield an action for each choice of preferences of its precondition to give up."""
    parts = tuple(pddl.conjuncts(action.precondition))
    preferred = [part for part in parts if isinstance(part, pddl.PreferenceFormula)]
    others = tuple(part for part in parts if not isinstance(part, pddl.PreferenceFormula))
    preferred = [part for part in preferred if prices.get(part.name, 0) > 0]
    if len(preferred) > MAX_SPLIT:
        feature = f"{len(preferred)} preferences in the precondition of {action.name}"
        raise source.refusal(action.at, feature, f"use at most {MAX_SPLIT}")
    for given_up in itertools.product((False, True), repeat=len(preferred)):
        chosen = list(zip(preferred, given_up, strict=True))
        conditions = tuple(pddl.Negation(p.body) if up else p.body for p, up in chosen)
        total = sum(prices[p.name] for p, up in chosen if up)
        effects = (*action.effects, _charge(Fraction(total))) if total else action.effects
        yield replace(
            action, precondition=pddl.Conjunction((*others, *conditions)), effects=effects
        )


def _charge(cost: Fraction) -> pddl.ActionEffect:
    """Make the effect of costing so much."""
    return pddl.ActionEffect(numeric=(pddl.NumericChange("increase", COST, cost),))


Objects = tuple[str, ...]


def require_known_values(
    domain: pddl.DomainText, problem: pddl.ProblemText, source: Source
) -> tuple[pddl.DomainText, pddl.ProblemText]:
    """Return a domain and a problem whose actions require the values that their costs read.

    An action whose other conditions and types leave only known values is not changed. A function
    without any value is noted. `source`: the domain file, for notes.
    """
    adder = _ConditionAdder(domain, problem)
    actions = tuple(map(adder.add_conditions, domain.actions))
    if not adder.known:
        return domain, problem
    legs = {adder.known[name]: domain.functions[name] for name in adder.known}
    facts = {
        predicate: frozenset(problem.values.get(name, {}))
        for name, predicate in adder.known.items()
    }
    notes = [
        source.note(
            action.at,
            f"{action.name} can't be done: its cost reads {part.function}, which has no value",
            f"give the values in the problem, as (= ({part.function} ...) 1)",
        )
        for action in domain.actions
        for part in dict.fromkeys(action.cost)
        if isinstance(part, pddl.FunctionValue) and not problem.values.get(part.function)
    ]
    predicates = {**domain.predicates, **legs}
    return (
        replace(domain, predicates=predicates, actions=actions, notes=(*domain.notes, *notes)),
        replace(problem, facts={**problem.facts, **facts}),
    )


class _ConditionAdder:
    """Adds conditions to actions."""

    def __init__(self, domain: pddl.DomainText, problem: pddl.ProblemText) -> None:
        # function -> the predicate of the objects for which it has a value
        self.known: dict[str, str] = {}
        self._values = problem.values
        self._universe = Universe(domain, problem)
        self._free = FreeNames()
        for name in domain.predicates:
            self._free.take(name)

    def add_conditions(self, action: pddl.PddlAction) -> pddl.PddlAction:
        missing = tuple(
            Atom(self._name_known(part.function), part.arguments)
            for part in dict.fromkeys(action.cost)
            if isinstance(part, pddl.FunctionValue) and not self._is_known(part, action)
        )
        if not missing:
            return action
        return replace(action, precondition=pddl.Conjunction((*missing, action.precondition)))

    def _name_known(self, function: str) -> str:
        found = self.known.get(function)
        if found is None:
            found = self.known[function] = self._free.take(f"known-{function}")
        return found

    def _is_known(self, part: pddl.FunctionValue, action: pddl.PddlAction) -> bool:
        """Return True if a function has a value wherever the action's static conditions hold."""
        given = self._values.get(part.function, {})
        if any(
            all(at in given for at in self._list_arguments(part, atom))
            for atom in list_required(action.precondition)
            if self._universe.is_static(atom.predicate)
            and {t for t in part.arguments if isinstance(t, Variable)} <= set(pddl.terms_of(atom))
        ):
            return True
        objects = {
            Variable(p.name): sorted(self._universe.candidates(p)) for p in action.parameters
        }
        count = 1
        for term in dict.fromkeys(part.arguments):
            count *= len(objects[term]) if isinstance(term, Variable) else 1
        return count <= len(given) and all(
            at in given for at in _list_bindings(part.arguments, objects)
        )

    def _list_arguments(self, part: pddl.FunctionValue, atom: Atom) -> Iterable[Objects]:
        """List the arguments of a function for which an atom holds."""
        terms = tuple(pddl.terms_of(atom))
        for objects in self._universe.facts(atom.predicate):
            bound: dict[pddl.PddlTerm, str] = {
                term: term.name for term in terms if isinstance(term, Constant)
            }
            if all(
                bound.setdefault(term, name) == name
                for term, name in zip(terms, objects, strict=True)
            ):
                yield tuple(
                    term.name if isinstance(term, Constant) else bound[term]
                    for term in part.arguments
                )


def _list_bindings(
    terms: Iterable[pddl.PddlTerm], objects: Mapping[Variable, Iterable[str]]
) -> Iterable[Objects]:
    """List the objects that terms may stand for, in all combinations."""
    terms = tuple(terms)
    variables = [term for term in dict.fromkeys(terms) if isinstance(term, Variable)]
    for chosen in product(*(objects[variable] for variable in variables)):
        bound = dict(zip(variables, chosen, strict=True))
        yield tuple(term.name if isinstance(term, Constant) else bound[term] for term in terms)
