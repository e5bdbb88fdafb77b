# SPDX-License-Identifier: Apache-2.0
"""Whether an effect that is well formed can ever happen and do something.

Unlike parameters, the variables of an effect may be the same element as another one, or as a
parameter. So only atoms that are written the same are surely the same tuple, and only atoms that
differ in parameters alone are surely different ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.domain.atom_relations import bare, covers, functional_conflict
from fcp_ros.domain.expression import Atom, Variable
from fcp_ros.domain.model import ActionRule, Effect
from fcp_ros.domain.problems import Path, Report
from fcp_ros.domain.yaml_schema import RelationEntry


def check_effects(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Report
) -> None:
    """Report why an effect could never happen, or would change nothing or the unchangeable."""
    for position, effect in enumerate(rule.effects):
        here = (*path, "effects", position)
        _check_changes(rule, effect, relations, here, report)
        _check_contradictions(rule, effect, here, report)
        _check_functional(rule, effect, relations, here, report)
        _check_variables(rule, effect, here, report)


def _positive(effect: Effect) -> tuple[Atom, ...]:
    return tuple(literal.atom for literal in effect.when if not literal.negated)


def _check_changes(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Report,
) -> None:
    if not effect.add and not effect.delete:
        report.add(path, f"an effect of {rule.name} changes nothing", "say what it adds or deletes")
    if not effect.variables and not effect.when:
        message = f"an effect of {rule.name} has neither variables nor a condition"
        report.add(path, message, "put what it does under `add:` and `delete:` of the rule")
    asked = {*rule.positive(), *_positive(effect)}
    for key, changed in (("add", effect.add), ("delete", effect.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = bare(atom)
            if relations[atom.predicate].static:
                message = f"{rule.name} changes {text}, but {atom.predicate} is static"
                report.add(here, message, f"drop it, or drop `static` of {atom.predicate}")
            if key == "delete" and atom not in asked:
                message = f"an effect of {rule.name} deletes {text}, which it does not ask for"
                report.add(here, message, "put the same atom under its `when:` too")
            if key == "add" and atom in effect.delete:
                message = f"an effect of {rule.name} adds and deletes {text}"
                report.add(here, message, "keep one of them")
            if key == "delete" and atom in rule.add:
                message = f"an effect of {rule.name} deletes {text}, which the rule adds"
                report.add(here, message, "what is added stays: drop one of them")


def _check_contradictions(rule: ActionRule, effect: Effect, path: Path, report: Report) -> None:
    names = {*rule.parameter_names, *(variable.name for variable in effect.variables)}
    asked = (*rule.positive(), *_positive(effect))
    for position, literal in enumerate(effect.when):
        if literal.negated:
            pairs = [(literal.atom, a) for a in asked if covers(literal.atom, a, names)]
        else:
            pairs = [
                (absent, literal.atom)
                for absent in rule.negative()
                if covers(absent, literal.atom, rule.parameter_names)
            ]
        for absent, atom in pairs[:1]:
            message = (
                f"an effect of {rule.name} asks for {bare(atom)} and for not {bare(absent)}: "
                "it can never happen"
            )
            report.add((*path, "when", position), message, "drop one of them")


def _check_functional(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Report,
) -> None:
    """Over parameters alone: what variables are bound to is only known in a state."""
    parameters = set(rule.parameter_names)

    def certain(atom: Atom) -> bool:
        return all(isinstance(t, Variable) and t.name in parameters for t in atom.arguments)

    gone = {*rule.delete, *effect.delete}
    there = [a for a in (*rule.positive(), *_positive(effect)) if certain(a) and a not in gone]
    left = dict.fromkeys([*there, *rule.add, *(a for a in effect.add if certain(a))])
    if functional_conflict([*there, *rule.add], relations) is not None:
        return  # not this effect's fault
    found = functional_conflict(left, relations)
    if found is not None:
        one, other, leg = found
        message = (
            f"an effect of {rule.name} leaves both {bare(one)} and {bare(other)}, but "
            f"{one.predicate} is functional in {leg} (at most one each)"
        )
        report.add((*path, "add"), message, "delete the old one, or add only one")


def _check_variables(rule: ActionRule, effect: Effect, path: Path, report: Report) -> None:
    atoms = (*(literal.atom for literal in effect.when), *effect.add, *effect.delete)
    used = {t.name for atom in atoms for t in atom.arguments if isinstance(t, Variable)}
    for variable in effect.variables:
        if variable.name not in used:
            message = f"variable {variable.name} of an effect of {rule.name} is used nowhere"
            report.add((*path, "variables", variable.name), message, "use it or drop it")
