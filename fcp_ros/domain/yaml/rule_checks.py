# SPDX-License-Identifier: Apache-2.0
"""The check that a well-formed rule, and each of its effects, can ever apply and do something.

Parameters bind distinct elements (docs/design.md: matches are monic), so two atoms over
different parameters are different tuples. All checks below follow from that alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import Atom, Variable, atoms, list_variables
from fcp_ros.domain.model import ActionRule, Effect
from fcp_ros.domain.yaml.atoms import covers, find_functional_conflict, write_bare
from fcp_ros.domain.yaml.entries import RelationEntry
from fcp_ros.foundation.wording import suggest_name


def check_sense(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """Report a rule that can never apply, changes nothing, or changes a static relation."""
    if not rule.add and not rule.delete and not rule.effects:
        report.add(path, f"{rule.name} changes nothing", "say what it adds or deletes")
    asked = rule.positive()
    _check_changes(rule, rule.name, asked, "`when:`", relations, path, report)
    for position, effect in enumerate(rule.effects):
        _check_effect(rule, effect, relations, (*path, "effects", position), report)
    _check_metric(rule, relations, (*path, "metric"), report)
    for literal in rule.when:
        if literal.negated:
            against = [(literal.atom, a) for a in asked]
            _check_contradictions(
                against, rule.parameter_names, literal.line, rule.name, "apply", report
            )
    _check_parameters(rule, path, report)
    if _check_functional(asked, relations, (*path, "when"), report, f"{rule.name} asks for"):
        return
    kept = [atom for atom in asked if atom not in rule.delete]
    left = [*kept, *(atom for atom in rule.add if atom not in kept)]
    _check_functional(left, relations, (*path, "add"), report, f"{rule.name} leaves")


def _check_effect(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    owner = f"an effect of {rule.name}"
    if not effect.add and not effect.delete:
        report.add(path, f"{owner} changes nothing", "say what it adds or deletes")
    if not effect.variables and not effect.when:
        message = f"{owner} has neither variables nor a condition"
        report.add(path, message, "put what it does under `add:` and `delete:` of the rule")
    asked = (*rule.positive(), *effect.positive())
    _check_changes(effect, owner, asked, "its `when:`", relations, path, report)
    for position, atom in enumerate(effect.delete):
        if atom in rule.add:
            message = f"{owner} deletes {write_bare(atom)}, which the rule adds"
            report.add(
                (*path, "delete", position), message, "what is added stays: drop one of them"
            )
    names = {*rule.parameter_names, *(variable.name for variable in effect.variables)}
    for literal in effect.when:
        against = [(absent, literal.atom) for absent in rule.negative()]
        if literal.negated:
            against = [(literal.atom, atom) for atom in asked]
        known = names if literal.negated else rule.parameter_names
        _check_contradictions(against, known, literal.line, owner, "happen", report)
    _check_effect_functional(rule, effect, relations, (*path, "add"), report)
    used = {name for atom in _list_atoms(effect) for name in list_variables(atom)}
    for variable in effect.variables:
        if variable.name not in used:
            message = f"variable {variable.name} of {owner} is used nowhere"
            report.add((*path, "variables", variable.name), message, "use it or drop it")


def _check_changes(
    part: ActionRule | Effect,
    owner: str,
    asked: Collection[Atom],
    key_of_conditions: str,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    for key, changed in (("add", part.add), ("delete", part.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = write_bare(atom)
            if relations[atom.predicate].static:
                message = f"{owner} changes {text}, but {atom.predicate} is static"
                report.add(here, message, f"drop it, or drop `static` of {atom.predicate}")
            if key == "delete" and atom not in asked:
                message = f"{owner} deletes {text}, which it does not ask for"
                report.add(here, message, f"put the same atom under {key_of_conditions} too")
            if key == "add" and atom in part.delete:
                report.add(here, f"{owner} adds and deletes {text}", "keep one of them")


def _check_contradictions(
    pairs: Iterable[tuple[Atom, Atom]],
    names: Collection[str],
    line: int,
    owner: str,
    verb: str,
    report: Diagnostics,
) -> None:
    """Report the first pair of an absence and an atom that it rules out."""
    for absent, atom in pairs:
        if covers(absent, atom, names):
            message = (
                f"{owner} asks for {write_bare(atom)} and for not {write_bare(absent)}: "
                f"it can never {verb}"
            )
            report.add_at(line, message, "drop one of them")
            return


def _check_metric(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """Check that a rule with `metric` moves one thing along that relation and does nothing else."""
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
    elif not _is_move(rule, list(entry.legs).index(entry.functional[0])):
        message = f"{rule.name} does more, or something else, than move along {name}"
        fix = f"delete one {name} and add one {name} of the same {entry.functional[0]}, only that"
        report.add(path, message, f"{fix}; or drop `metric`")


def _is_move(rule: ActionRule, mover: int) -> bool:
    if rule.effects or len(rule.delete) != 1 or len(rule.add) != 1:
        return False
    old, new = rule.delete[0], rule.add[0]
    return old.predicate == new.predicate == rule.metric and (
        old.arguments[mover] == new.arguments[mover]
    )


def _check_parameters(rule: ActionRule, path: Path, report: Diagnostics) -> None:
    inside = (atom for effect in rule.effects for atom in _list_atoms(effect))
    used = {
        name
        for atom in (*_list_atoms(rule), *rule.graded, *inside)
        for name in list_variables(atom)
    }
    for name in rule.parameter_names:
        if name not in used:
            message = f"parameter {name} of {rule.name} is used nowhere"
            report.add((*path, "parameters", name), message, "use it or drop it")


def _list_atoms(part: ActionRule | Effect) -> Iterator[Atom]:
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
    start: str,
) -> bool:
    """Report two atoms of which at most one holds; return True if there are any."""
    found = find_functional_conflict(atoms, relations)
    if found is None:
        return False
    one, other, leg = found
    message = (
        f"{start} both {write_bare(one)} and {write_bare(other)}, but {one.predicate} is "
        f"functional in {leg} (at most one each)"
    )
    fix = "drop one of them" if path[-1] == "when" else "delete the old one, or add only one"
    report.add(path, message, fix)
    return True


def _check_effect_functional(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    """Check the atoms over parameters alone: variables are bound in a state only."""
    parameters = set(rule.parameter_names)

    def certain(atom: Atom) -> bool:
        return all(isinstance(t, Variable) and t.name in parameters for t in atom.arguments)

    gone = {*rule.delete, *effect.delete}
    there = [a for a in (*rule.positive(), *effect.positive()) if certain(a) and a not in gone]
    left = dict.fromkeys([*there, *rule.add, *(a for a in effect.add if certain(a))])
    if find_functional_conflict([*there, *rule.add], relations) is not None:
        return  # not this effect's fault
    _check_functional(left, relations, path, report, f"an effect of {rule.name} leaves")
