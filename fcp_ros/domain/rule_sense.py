# SPDX-License-Identifier: Apache-2.0
"""Whether a rule that is well formed can ever apply and do something.

Parameters bind distinct elements (DESIGN section 4: matches are monic), so two atoms over
different parameters are different tuples. All checks below follow from that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcp_ros.domain.expression import Atom, Variable, term_text
from fcp_ros.domain.model import ActionRule
from fcp_ros.domain.problems import Path, Report
from fcp_ros.domain.yaml_schema import RelationEntry


def check_sense(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Report
) -> None:
    """Report why the rule could never apply, or would change nothing or the unchangeable."""
    _check_effects(rule, relations, path, report)
    _check_contradictions(rule, path, report)
    _check_parameters(rule, path, report)
    when = rule.positive()
    _check_functional(
        when, relations, (*path, "when"), report, f"{rule.name} asks for", "drop one of them"
    )
    kept = [atom for atom in when if atom not in rule.delete]
    if not _conflict(when, relations):
        _check_functional(
            [*kept, *(a for a in rule.add if a not in kept)],
            relations,
            (*path, "add"),
            report,
            f"{rule.name} leaves",
            "delete the old one, or add only one",
        )


def _check_effects(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Report
) -> None:
    if not rule.add and not rule.delete:
        report.add(path, f"{rule.name} changes nothing", "say what it adds or deletes")
    for key, changed in (("add", rule.add), ("delete", rule.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = _bare(atom)
            if relations[atom.predicate].static:
                message = f"{rule.name} changes {text}, but {atom.predicate} is static"
                report.add(here, message, f"drop it, or drop `static` of {atom.predicate}")
            if key == "delete" and atom not in rule.positive():
                message = f"{rule.name} deletes {text}, which it does not ask for"
                report.add(here, message, "put the same atom under `when:` too")
            if key == "add" and atom in rule.delete:
                message = f"{rule.name} adds and deletes {text}"
                report.add(here, message, "keep one of them")


def _check_contradictions(rule: ActionRule, path: Path, report: Report) -> None:
    for position, literal in enumerate(rule.when):
        if not literal.negated:
            continue
        for atom in rule.positive():
            if _covers(literal.atom, atom, frozenset(rule.parameter_names)):
                message = (
                    f"{rule.name} asks for {_bare(atom)} and for "
                    f"not {_bare(literal.atom)}: it can never apply"
                )
                report.add((*path, "when", position), message, "drop one of them")


def _covers(absent: Atom, atom: Atom, parameters: frozenset[str]) -> bool:
    """Whether `atom` is an instance of the absent pattern."""
    if absent.predicate != atom.predicate:
        return False
    bound: dict[str, object] = {}
    for pattern, term in zip(absent.arguments, atom.arguments, strict=True):
        if isinstance(pattern, Variable) and pattern.name not in parameters:
            if bound.setdefault(pattern.name, term) != term:
                return False
        elif pattern != term:
            return False
    return True


def _check_parameters(rule: ActionRule, path: Path, report: Report) -> None:
    used = {
        term.name
        for atom in (*(x.atom for x in rule.when), *rule.add, *rule.graded)
        for term in atom.arguments
        if isinstance(term, Variable)
    }
    for name in rule.parameter_names:
        if name not in used:
            message = f"parameter {name} of {rule.name} is used nowhere"
            report.add((*path, "parameters", name), message, "use it or drop it")


def _conflict(
    atoms: Iterable[Atom], relations: Mapping[str, RelationEntry]
) -> tuple[Atom, Atom, str] | None:
    """Two different atoms that share a functional leg, and that leg."""
    seen: dict[tuple[str, str, object], Atom] = {}
    for atom in atoms:
        entry = relations[atom.predicate]
        for leg, term in zip(entry.legs, atom.arguments, strict=True):
            if leg in entry.functional:
                other = seen.setdefault((atom.predicate, leg, term), atom)
                if other != atom:
                    return other, atom, leg
    return None


def _check_functional(
    atoms: Iterable[Atom],
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Report,
    what: str,
    fix: str,
) -> None:
    found = _conflict(atoms, relations)
    if found is None:
        return
    one, other, leg = found
    message = (
        f"{what} both {_bare(one)} and {_bare(other)}, but {one.predicate} is functional "
        f"in {leg} (at most one each)"
    )
    report.add(path, f"{message}: it can never apply", fix)


def _bare(atom: Atom) -> str:
    """The atom as it stands in a domain file, parameters without question marks."""
    words = (t.name if isinstance(t, Variable) else term_text(t) for t in atom.arguments)
    return f"{atom.predicate}({', '.join(words)})"
