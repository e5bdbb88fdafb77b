# SPDX-License-Identifier: Apache-2.0
"""The section `rules` of a domain file."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import TypedVariable, Variable
from fcp_ros.domain.model import ActionRule, Constraint, Effect, Parameter
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.amounts import build_cost, build_duration, build_window
from fcp_ros.domain.yaml.atoms import AtomReader, PredicateKind
from fcp_ros.domain.yaml.entries import ConstraintEntry, DomainFile, EffectEntry, RuleEntry
from fcp_ros.domain.yaml.rule_checks import check_sense
from fcp_ros.domain.yaml.types import check_name, check_type
from fcp_ros.foundation.wording import suggest_name

_ACTION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*\Z")


def build_rules(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, ActionRule]:
    """All rules that can be read; what is wrong goes into the report."""
    if not file.rules:
        report.add(("rules",), "there is no rule", "describe at least one action")
    return {
        name: _build_rule(name, entry, file, vocabulary, report)
        for name, entry in file.rules.items()
    }


def _build_rule(
    name: str, entry: RuleEntry, file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> ActionRule:
    path: Path = ("rules", name)
    check_name(name, "rule", path, report)
    for parameter, type_ in entry.parameters.items():
        here = (*path, "parameters", parameter)
        check_name(parameter, "parameter", here, report)
        check_type(type_, vocabulary, here, report, f"parameter {parameter} of {name}")
    reader = AtomReader(vocabulary, report, entry.parameters, f"rule {name}")
    duration = build_duration(entry, (*path, "duration"), report)
    when, formulas = reader.conditions(entry.when, (*path, "when"))
    rule = ActionRule(
        name=name,
        parameters=tuple(Parameter(p, t) for p, t in entry.parameters.items()),
        when=when,
        add=reader.atoms(entry.add, PredicateKind.RELATION, (*path, "add")),
        delete=reader.atoms(entry.delete, PredicateKind.RELATION, (*path, "delete")),
        graded=reader.atoms(entry.graded, PredicateKind.GRADED, (*path, "graded")),
        duration=duration,
        uses=dict(entry.uses),
        executor=entry.executor,
        effects=build_effects(name, entry, vocabulary, path, report),
        cost=build_cost(name, entry, (*path, "cost"), report),
        window=build_window(name, entry.window, duration, (*path, "window"), report),
        metric=entry.metric,
        formulas=formulas,
    )
    _check_uses(entry, file, path, report)
    if not _ACTION_NAME.match(entry.executor):
        message = f"executor {entry.executor!r} of {name} is not a relative action name"
        report.add((*path, "executor"), message, f"write a name without leading /, such as {name}")
    if is_readable(rule, entry):
        check_sense(rule, file.relations, path, report)
    return rule


def is_readable(rule: ActionRule, entry: RuleEntry) -> bool:
    """Return True if every atom of the entry could be read."""
    parts = [(rule.graded, entry.graded), *_atom_lists(rule, entry)]
    for effect, given in zip(rule.effects, entry.effects, strict=True):
        parts.extend(_atom_lists(effect, given))
    return all(len(read) == len(texts) for read, texts in parts)


def _atom_lists(
    read: ActionRule | Effect, entry: RuleEntry | EffectEntry
) -> list[tuple[Sequence[object], Sequence[str]]]:
    conditions = (*read.when, *read.formulas)
    return [(conditions, entry.when), (read.add, entry.add), (read.delete, entry.delete)]


def _check_uses(entry: RuleEntry, file: DomainFile, path: Path, report: Diagnostics) -> None:
    for resource, amount in entry.uses.items():
        here = (*path, "uses", resource)
        if resource not in file.resources:
            report.add(here, f"unknown resource {resource}", suggest_name(resource, file.resources))
        if not math.isfinite(amount):
            report.add(here, f"the use of {resource} is {amount}", "give a finite number")


def build_effects(
    rule: str, entry: RuleEntry, vocabulary: Vocabulary, path: Path, report: Diagnostics
) -> tuple[Effect, ...]:
    """All effects of a rule that can be read; what is wrong goes into the report."""
    return tuple(
        _build_effect(rule, effect, entry, vocabulary, (*path, "effects", position), report)
        for position, effect in enumerate(entry.effects)
    )


def _build_effect(
    rule: str,
    effect: EffectEntry,
    entry: RuleEntry,
    vocabulary: Vocabulary,
    path: Path,
    report: Diagnostics,
) -> Effect:
    for variable, type_ in effect.variables.items():
        here = (*path, "variables", variable)
        check_name(variable, "variable", here, report)
        check_type(type_, vocabulary, here, report, f"variable {variable} of an effect of {rule}")
        if variable in entry.parameters:
            message = f"{variable} is a parameter of {rule} and a variable of its effect"
            report.add(here, message, "rename the variable")
    names = {**entry.parameters, **effect.variables}
    reader = AtomReader(vocabulary, report, names, f"an effect of {rule}")
    when, formulas = reader.conditions(effect.when, (*path, "when"))
    return Effect(
        variables=tuple(Parameter(v, t) for v, t in effect.variables.items()),
        when=when,
        add=reader.atoms(effect.add, PredicateKind.RELATION, (*path, "add")),
        delete=reader.atoms(effect.delete, PredicateKind.RELATION, (*path, "delete")),
        formulas=formulas,
    )


def build_constraints(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> tuple[Constraint, ...]:
    """All constraints that can be read; what is wrong goes into the report."""
    return tuple(
        _build_constraint(name, entry, vocabulary, report)
        for name, entry in file.constraints.items()
    )


def _build_constraint(
    name: str, entry: ConstraintEntry, vocabulary: Vocabulary, report: Diagnostics
) -> Constraint:
    path: Path = ("constraints", name)
    check_name(name, "constraint", path, report)
    for variable, type_ in entry.variables.items():
        here = (*path, "variables", variable)
        check_name(variable, "variable", here, report)
        check_type(type_, vocabulary, here, report, f"variable {variable} of {name}")
    if not entry.never:
        report.add(path, f"{name} forbids nothing", "write at least one atom under `never:`")
    reader = AtomReader(vocabulary, report, entry.variables, f"constraint {name}")
    read = [
        reader.atom(text, PredicateKind.RELATION, (*path, "never", position))
        for position, text in enumerate(entry.never)
    ]
    never = tuple(atom for atom in read if atom is not None)
    used = {t.name for atom in never for t in atom.arguments if isinstance(t, Variable)}
    for variable in entry.variables:
        if variable not in used and len(never) == len(read):
            message = f"variable {variable} of {name} is used nowhere"
            report.add((*path, "variables", variable), message, "use it or drop it")
    variables = tuple(TypedVariable(v, t) for v, t in entry.variables.items())
    return Constraint(name, variables, never, entry.because)
