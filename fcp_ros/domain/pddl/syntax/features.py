# SPDX-License-Identifier: Apache-2.0
"""PDDL that is read and that no stage after this one supports: refused by name, with its place.

A requirement that a file merely declares does no harm; only what is used is looked for. Sections
and effects that the syntax tree has no place for are refused where they are read.
"""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import (
    TOTAL_COST,
    TOTAL_TIME,
    TRUE,
    ActionEffect,
    DomainText,
    Formula,
    FunctionValue,
    Metric,
    Numeric,
    NumericChange,
    NumericComparison,
    PddlAction,
    PreferenceFormula,
    ProblemText,
    place_of,
    subformulas,
    summands,
)
from fcp_ros.domain.pddl.syntax.writer import write_formula, write_numeric

_NUMBERS = "keep only action costs: (increase (total-cost) ...)"


def check_domain_features(domain: DomainText, source: Source) -> None:
    """Refuse the first feature of a domain that is not supported.

    Raises:
        UnsupportedPddl: names the feature and says how to do without it.
    """
    _check_constraints(domain.constraints, source)
    for action in domain.actions:
        _check_formula(action.precondition, source)
        for effect in action.effects:
            _check_formula(effect.condition, source)
            for change in effect.numeric:
                _check_change(change, effect, action, source)


def check_problem_features(problem: ProblemText, source: Source) -> None:
    """Refuse the first feature of a problem that is not supported.

    Raises:
        UnsupportedPddl: as `check_domain_features`.
    """
    _check_constraints(problem.constraints, source)
    _check_formula(problem.goal, source)
    if problem.metric is not None:
        _check_metric(problem.metric, source)


def _check_constraints(constraints: Formula, source: Source) -> None:
    if constraints != TRUE:
        raise source.refusal(
            place_of(constraints),
            "trajectory constraints",
            "state what may never hold as `constraints` of a YAML domain (docs/domain.md)",
        )


def _check_formula(formula: Formula, source: Source) -> None:
    for part in subformulas(formula):
        if isinstance(part, PreferenceFormula):
            raise source.refusal(part.at, "a preference", "make it part of the goal, or drop it")
        if isinstance(part, NumericComparison):
            equal = part.operator == "="
            feature = (
                f"the numeric condition {write_formula(part)}" if equal else "a numeric comparison"
            )
            raise source.refusal(part.at, feature, _NUMBERS)


def _check_change(
    change: NumericChange, effect: ActionEffect, action: PddlAction, source: Source
) -> None:
    inside = f", in action {action.name},"
    if change.operator != "increase" or change.target != FunctionValue(TOTAL_COST):
        feature = f"a numeric effect on {write_numeric(change.target)}{inside}"
        raise source.refusal(change.at, feature, _NUMBERS)
    if effect.variables or effect.condition != TRUE:
        feature = f"a cost that depends on a condition{inside}"
        raise source.refusal(change.at, feature, "make it an action of its own")
    if not _is_cost(summands(change.amount)):
        feature = f"the cost {write_numeric(change.amount)}{inside}"
        fix = "use numbers, functions of the initial state, and their sums"
        raise source.refusal(change.at, feature, fix)


def _is_cost(parts: Iterable[Numeric]) -> bool:
    """Return True if all parts are numbers, or functions that no action changes."""
    return all(
        isinstance(part, float) or (isinstance(part, FunctionValue) and part.function != TOTAL_COST)
        for part in parts
    )


def _check_metric(metric: Metric, source: Source) -> None:
    if not metric.minimise:
        fix = "minimise (total-cost)"
        raise source.refusal(metric.at, "a metric to be maximised", fix)
    # The length of the plan, where nothing has a duration.
    if metric.value not in (FunctionValue(TOTAL_COST), FunctionValue(TOTAL_TIME)):
        fix = "write (:metric minimize (total-cost)), or drop it"
        raise source.refusal(metric.at, "a metric other than (total-cost)", fix)
