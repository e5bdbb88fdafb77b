# SPDX-License-Identifier: Apache-2.0
"""Durative actions of PDDL 2.1: their reader, and actions without durations in their place.

A plan of those, one step after the other, is a plan with the durative ones. There may be plans with
the durative ones only, in which one action has to happen while another one is under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from operator import add, mul, sub, truediv

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.formulas import FormulaReader
from fcp_ros.domain.pddl.source_text import PddlError, Source
from fcp_ros.domain.pddl.syntax_tree import (
    FALSE,
    TRUE,
    ActionEffect,
    Conjunction,
    Disjunction,
    DomainText,
    DurativeAction,
    Equality,
    Formula,
    FunctionValue,
    Negation,
    Numeric,
    NumericOperation,
    PddlAction,
    Quantified,
    change_parts,
    terms_of,
)
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.s_expressions import SList, SNode, preview

_DURATION = "write :duration (= ?duration number)"
_START, _OVER, _END = ("at", "start"), ("over", "all"), ("at", "end")
_TIMES = {
    "condition": (_START, _OVER, _END),
    "effect": (_START, _END),
}
Value = Mapping[tuple[str, ...], Fraction]

# --- reading


def read_durative_action(
    formulas: FormulaReader,
    section: SList,
    given: Mapping[str, int],  # key -> position of what follows it
    name: str,
    spelling: str,
) -> DurativeAction:
    """Read a section `:durative-action`.

    Raises UnsupportedPddl for durations that are no equations, and for effects that are
    conditional, quantified or continuous. Raises PddlError for a mistake, with its line.
    """
    source = formulas.source
    place = given.get(":parameters")
    parameters = formulas.read_variables(section[place], section, place) if place else ()
    duration = _read_duration(formulas, section, given.get(":duration"))
    conditions: dict[tuple[str, str], list[Formula]] = {_START: [], _OVER: [], _END: []}
    if place := given.get(":condition"):
        for time, node in _list_timed(source, section, place, "condition"):
            conditions[time].append(formulas.read_formula(node[2], node, 2))
    effects: dict[tuple[str, str], list[ActionEffect]] = {_START: [], _END: []}
    if place := given.get(":effect"):
        for time, node in _list_timed(source, section, place, "effect"):
            effects[time].extend(formulas.read_effects(node[2], node, 2))
            if any(effect.variables or effect.condition != TRUE for effect in effects[time]):
                feature = f"a conditional effect of the durative action {name}"
                raise source.refusal(node.start, feature, "make several actions of it")
    return DurativeAction(
        name,
        parameters,
        duration,
        at_start=_join_all(conditions[_START]),
        over_all=_join_all(conditions[_OVER]),
        at_end=_join_all(conditions[_END]),
        start_effects=tuple(effects[_START]),
        end_effects=tuple(effects[_END]),
        spelling=spelling,
        at=section.start,
    )


def _read_duration(formulas: FormulaReader, section: SList, place: int | None) -> Numeric:
    source = formulas.source
    node = section[place] if place else section
    if not place or not isinstance(node, SList):
        raise source.error(section.start, "the action has no duration", _DURATION)
    if len(node) != 3 or node[:2] != ["=", "?duration"]:
        feature = f"the duration {preview(node)}"
        raise source.refusal(node.start, feature, _DURATION)
    return formulas.read_numeric(node[2], node, 2)


def _list_timed(
    source: Source, parent: SList, position: int, kind: str
) -> Iterator[tuple[tuple[str, str], SList]]:
    """List the parts `(at start ...)` of a condition or effect, in whatever conjunctions."""
    waiting: list[tuple[SNode, SList, int]] = [(parent[position], parent, position)]
    while waiting:
        node, above, at = waiting.pop()
        if isinstance(node, str):
            raise source.misplacement(above, at, f"write ({' '.join(_START)} {kind})")
        if not node:
            continue
        if node[0] == "and":
            waiting.extend((node[n], node, n) for n in reversed(range(1, len(node))))
            continue
        time = next((one for one in _TIMES[kind] if tuple(node[:2]) == one), None)
        if time is None:
            raise _refuse_untimed(source, node, kind)
        if len(node) != 3:
            fix = f"write ({' '.join(time)} {kind})"
            raise source.error(node.start, f"{preview(node)} has no {kind}", fix)
        yield time, node


def _refuse_untimed(source: Source, node: SList, kind: str) -> PddlError:
    if node[0] in ("forall", "when", "increase", "decrease", "preference"):
        feature = f"{preview(node)} in the {kind} of a durative action"
        return source.refusal(node.start, feature, "keep to (at start ...), (at end ...)")
    times = ", ".join(f"({' '.join(time)} ...)" for time in _TIMES[kind])
    message = f"{preview(node)} does not say when"
    return source.error(node.start, message, f"write it within one of {times}")


# --- actions without durations


def sequence_actions(domain: DomainText, source: Source) -> DomainText:
    """Add an action without a duration for each durative one, which stays as well.

    Raises UnsupportedPddl for a quantifier that hides a parameter.
    """
    actions = tuple(_sequence(action, source) for action in domain.durative)
    return replace(domain, actions=(*domain.actions, *actions)) if actions else domain


def _sequence(action: DurativeAction, source: Source) -> PddlAction:
    first, last = _merge(action.start_effects), _merge(action.end_effects)
    later = (_regress(part, first, source) for part in (action.over_all, action.at_end))
    lasting = {  # of each fact of the start: when it is not deleted at the end
        atom: _join_all(_differ(atom, deleted) for deleted in last.delete) for atom in first.add
    }
    plain = ActionEffect(
        add=(*(atom for atom, when in lasting.items() if when == TRUE), *last.add),
        delete=(*first.delete, *last.delete),
        numeric=(*first.numeric, *last.numeric),
    )
    others = (
        ActionEffect(condition=when, add=(atom,))
        for atom, when in lasting.items()
        if when not in (TRUE, FALSE)
    )
    return PddlAction(
        action.name,
        action.parameters,
        _join_all((action.at_start, *later)),
        (plain, *others),
        action.spelling,
        action.at,
    )


def _merge(effects: Iterable[ActionEffect]) -> ActionEffect:
    """Join effects without conditions and variables."""
    several = tuple(effects)
    return ActionEffect(
        add=tuple(atom for effect in several for atom in effect.add),
        delete=tuple(atom for effect in several for atom in effect.delete),
        numeric=tuple(change for effect in several for change in effect.numeric),
    )


def _regress(formula: Formula, change: ActionEffect, source: Source) -> Formula:
    """Return the condition in a state that holds exactly if `formula` does after a change."""
    if isinstance(formula, Atom):
        stays = [_differ(formula, deleted) for deleted in change.delete]
        comes = [_negate(_differ(formula, added)) for added in change.add]
        return _any_of([_join_all([formula, *stays]), *comes])
    if isinstance(formula, Quantified):
        named = {term.name for atom in (*change.add, *change.delete) for term in terms_of(atom)}
        hidden = next((one for one in formula.variables if one.name in named), None)
        if hidden is not None:
            feature = f"a quantifier over ?{hidden.name}, which is another thing at the start"
            raise source.refusal(formula.at, feature, "rename the variable")
    return change_parts(formula, lambda part: _regress(part, change, source))


def _differ(one: Atom, other: Atom) -> Formula:
    """Return the condition for two atoms with variables to be different facts."""
    if one.predicate != other.predicate or len(one.arguments) != len(other.arguments):
        return TRUE
    pairs = [p for p in zip(terms_of(one), terms_of(other), strict=True) if p[0] != p[1]]
    if any(isinstance(left, Constant) and isinstance(right, Constant) for left, right in pairs):
        return TRUE
    return _any_of([Negation(Equality(left, right)) for left, right in pairs])


def _negate(formula: Formula) -> Formula:
    if formula == TRUE:
        return FALSE
    return TRUE if formula == FALSE else Negation(formula)


def _join_all(parts: Iterable[Formula]) -> Formula:
    kept = [part for part in parts if part != TRUE]
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Conjunction(tuple(kept))


def _any_of(parts: Iterable[Formula]) -> Formula:
    kept = [part for part in parts if part != FALSE]
    if TRUE in kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Disjunction(tuple(kept))


# --- durations

_OPERATORS = {"+": add, "-": sub, "*": mul, "/": truediv}


def compute_duration(
    action: DurativeAction, arguments: Iterable[str], values: Mapping[str, Value]
) -> Fraction:
    """Compute the duration of an action with objects (lower case) by the values of functions.

    Raises InputError if a function has no value, or it divides by zero; one sentence which.
    """
    names = (parameter.name for parameter in action.parameters)
    bound = dict(zip(names, arguments, strict=True))

    def compute(number: Numeric) -> Fraction:
        if isinstance(number, Fraction):
            return number
        if isinstance(number, NumericOperation):
            first, *others = map(compute, number.operands)
            if not others and number.operator == "-":
                return -first
            for other in others:
                first = Fraction(_OPERATORS[number.operator](first, other))
            return first
        if isinstance(number, FunctionValue):
            given = tuple(
                bound.get(term.name, term.name) if isinstance(term, Variable) else term.name
                for term in number.arguments
            )
            if (value := values.get(number.function, {}).get(given)) is not None:
                return value
            text = " ".join((number.function, *given))
            raise InputError(f"The duration of {action.name} needs ({text}), which has no value.")
        raise InputError(f"The duration of {action.name} counts violations of preferences.")

    try:
        return compute(action.duration)
    except ZeroDivisionError:
        raise InputError(f"The duration of {action.name} divides by zero.") from None
