# SPDX-License-Identifier: Apache-2.0
"""The check that a well-formed rule, and each of its effects, can ever apply and do something.

Parameters bind distinct elements (DESIGN section 4: matches are monic), so two atoms over
different parameters are different tuples. All checks below follow from that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import Atom, Variable, atoms
from fcp_ros.domain.model import ActionRule, Effect
from fcp_ros.domain.yaml.atoms import covers, find_functional_conflict, write_bare
from fcp_ros.domain.yaml.entries import RelationEntry
from fcp_ros.foundation.wording import suggest_name


def check_sense(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """Report why the rule could never apply, or would change nothing or the unchangeable."""
    _check_changes(rule, relations, path, report)
    check_effects(rule, relations, path, report)
    _check_metric(rule, relations, (*path, "metric"), report)
    _check_contradictions(rule, report)
    _check_parameters(rule, path, report)
    when = rule.positive()
    _check_functional(
        when, relations, (*path, "when"), report, f"{rule.name} asks for", "drop one of them"
    )
    kept = [atom for atom in when if atom not in rule.delete]
    if not find_functional_conflict(when, relations):
        _check_functional(
            [*kept, *(a for a in rule.add if a not in kept)],
            relations,
            (*path, "add"),
            report,
            f"{rule.name} leaves",
            "delete the old one, or add only one",
        )


def _check_changes(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    if not rule.add and not rule.delete and not rule.effects:
        report.add(path, f"{rule.name} changes nothing", "say what it adds or deletes")
    for key, changed in (("add", rule.add), ("delete", rule.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = write_bare(atom)
            if relations[atom.predicate].static:
                message = f"{rule.name} changes {text}, but {atom.predicate} is static"
                report.add(here, message, f"drop it, or drop `static` of {atom.predicate}")
            if key == "delete" and atom not in rule.positive():
                message = f"{rule.name} deletes {text}, which it does not ask for"
                report.add(here, message, "put the same atom under `when:` too")
            if key == "add" and atom in rule.delete:
                message = f"{rule.name} adds and deletes {text}"
                report.add(here, message, "keep one of them")


def _check_contradictions(rule: ActionRule, report: Diagnostics) -> None:
    for literal in rule.when:
        if not literal.negated:
            continue
        for atom in rule.positive():
            if covers(literal.atom, atom, rule.parameter_names):
                message = (
                    f"{rule.name} asks for {write_bare(atom)} and for "
                    f"not {write_bare(literal.atom)}: it can never apply"
                )
                report.add_at(literal.line, message, "drop one of them")


def _check_metric(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """A rule that moves one thing along a relation, from one place to another, and nothing else."""
    name = rule.metric
    if not name:
        return
    if name not in relations:
        message = f"{rule.name} moves along the unknown relation {name}"
        report.add(path, message, suggest_name(name, relations))
        return
    entry = relations[name]
    if len(entry.functional) != 1 or len(entry.legs) != 2:
        message = f"{rule.name} moves along {name}, which does not say where one thing is"
        fix = "name a relation of two legs, one of them functional, such as at(robot, place)"
        report.add(path, message, fix)
    elif not _moves(rule, list(entry.legs).index(entry.functional[0])):
        message = f"{rule.name} does more, or something else, than move along {name}"
        fix = f"delete one {name} and add one {name} of the same {entry.functional[0]}, only that"
        report.add(path, message, f"{fix}; or drop `metric`")


def _moves(rule: ActionRule, mover: int) -> bool:
    if rule.effects or len(rule.delete) != 1 or len(rule.add) != 1:
        return False
    old, new = rule.delete[0], rule.add[0]
    return old.predicate == new.predicate == rule.metric and (
        old.arguments[mover] == new.arguments[mover]
    )


def _check_parameters(rule: ActionRule, path: Path, report: Diagnostics) -> None:
    used = {
        term.name
        for atom in (
            *_atoms_of(rule),
            *rule.graded,
            *(a for e in rule.effects for a in _atoms_of(e)),
        )
        for term in atom.arguments
        if isinstance(term, Variable)
    }
    for name in rule.parameter_names:
        if name not in used:
            message = f"parameter {name} of {rule.name} is used nowhere"
            report.add((*path, "parameters", name), message, "use it or drop it")


def _atoms_of(part: ActionRule | Effect) -> Iterator[Atom]:
    yield from (literal.atom for literal in part.when)
    yield from part.add
    yield from part.delete
    for formula in part.formulas:
        yield from atoms(formula)


def _check_functional(
    atoms: Iterable[Atom],
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
    what: str,
    fix: str,
) -> None:
    found = find_functional_conflict(atoms, relations)
    if found is None:
        return
    one, other, leg = found
    message = (
        f"{what} both {write_bare(one)} and {write_bare(other)}, but {one.predicate} is functional "
        f"in {leg} (at most one each)"
    )
    report.add(path, f"{message}: it can never apply", fix)


def check_effects(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """Report why an effect could never happen, or would change nothing or the unchangeable."""
    for position, effect in enumerate(rule.effects):
        here = (*path, "effects", position)
        _check_effect_changes(rule, effect, relations, here, report)
        _check_effect_contradictions(rule, effect, report)
        _check_effect_functional(rule, effect, relations, here, report)
        _check_effect_variables(rule, effect, here, report)


def _check_effect_changes(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    if not effect.add and not effect.delete:
        report.add(path, f"an effect of {rule.name} changes nothing", "say what it adds or deletes")
    if not effect.variables and not effect.when:
        message = f"an effect of {rule.name} has neither variables nor a condition"
        report.add(path, message, "put what it does under `add:` and `delete:` of the rule")
    asked = {*rule.positive(), *effect.positive()}
    for key, changed in (("add", effect.add), ("delete", effect.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = write_bare(atom)
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


def _check_effect_contradictions(rule: ActionRule, effect: Effect, report: Diagnostics) -> None:
    names = {*rule.parameter_names, *(variable.name for variable in effect.variables)}
    asked = (*rule.positive(), *effect.positive())
    for literal in effect.when:
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
                f"an effect of {rule.name} asks for {write_bare(atom)} and for "
                f"not {write_bare(absent)}: it can never happen"
            )
            report.add_at(literal.line, message, "drop one of them")


def _check_effect_functional(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    """Over parameters alone: what variables are bound to is only known in a state."""
    parameters = set(rule.parameter_names)

    def certain(atom: Atom) -> bool:
        return all(isinstance(t, Variable) and t.name in parameters for t in atom.arguments)

    gone = {*rule.delete, *effect.delete}
    there = [a for a in (*rule.positive(), *effect.positive()) if certain(a) and a not in gone]
    left = dict.fromkeys([*there, *rule.add, *(a for a in effect.add if certain(a))])
    if find_functional_conflict([*there, *rule.add], relations) is not None:
        return  # not this effect's fault
    found = find_functional_conflict(left, relations)
    if found is not None:
        one, other, leg = found
        message = (
            f"an effect of {rule.name} leaves both {write_bare(one)} and {write_bare(other)}, but "
            f"{one.predicate} is functional in {leg} (at most one each)"
        )
        report.add((*path, "add"), message, "delete the old one, or add only one")


def _check_effect_variables(
    rule: ActionRule, effect: Effect, path: Path, report: Diagnostics
) -> None:
    used = {t.name for a in _atoms_of(effect) for t in a.arguments if isinstance(t, Variable)}
    for variable in effect.variables:
        if variable.name not in used:
            message = f"variable {variable.name} of an effect of {rule.name} is used nowhere"
            report.add((*path, "variables", variable.name), message, "use it or drop it")
