# SPDX-License-Identifier: Apache-2.0
"""The section `rules` of a domain file."""

from __future__ import annotations

import math
import re

from fcp_ros.domain.atom_check import AtomKind, AtomReader
from fcp_ros.domain.build_schema import check_name, check_type
from fcp_ros.domain.expression import Atom
from fcp_ros.domain.model import ActionRule, Duration, Literal, Parameter
from fcp_ros.domain.problems import Path, Report, suggestion
from fcp_ros.domain.rule_sense import check_sense
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml_schema import DomainFile, DurationEntry, RuleEntry

_ACTION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*\Z")


def build_rules(file: DomainFile, vocabulary: Vocabulary, report: Report) -> dict[str, ActionRule]:
    """All rules that can be read; what is wrong goes into the report."""
    if not file.rules:
        report.add(("rules",), "there is no rule", "describe at least one action")
    return {
        name: _build_rule(name, entry, file, vocabulary, report)
        for name, entry in file.rules.items()
    }


def _build_rule(
    name: str, entry: RuleEntry, file: DomainFile, vocabulary: Vocabulary, report: Report
) -> ActionRule:
    path: Path = ("rules", name)
    check_name(name, "rule", path, report)
    for parameter, type_ in entry.parameters.items():
        here = (*path, "parameters", parameter)
        check_name(parameter, "parameter", here, report)
        check_type(type_, vocabulary, here, report, f"parameter {parameter} of {name}")
    reader = AtomReader(vocabulary, report, entry.parameters, f"rule {name}")
    rule = ActionRule(
        name=name,
        parameters=tuple(Parameter(p, t) for p, t in entry.parameters.items()),
        when=_literals(reader, entry.when, (*path, "when")),
        add=_atoms(reader, entry.add, AtomKind.RELATION, (*path, "add")),
        delete=_atoms(reader, entry.delete, AtomKind.RELATION, (*path, "delete")),
        graded=_atoms(reader, entry.graded, AtomKind.GRADED, (*path, "graded")),
        duration=_duration(entry, (*path, "duration"), report),
        uses=dict(entry.uses),
        executor=entry.executor,
    )
    _check_uses(entry, file, path, report)
    if not _ACTION_NAME.match(entry.executor):
        message = f"executor {entry.executor!r} of {name} is not a relative action name"
        report.add((*path, "executor"), message, f"write a name without leading /, such as {name}")
    complete = (
        len(rule.when) == len(entry.when)
        and len(rule.add) == len(entry.add)
        and len(rule.delete) == len(entry.delete)
        and len(rule.graded) == len(entry.graded)
    )
    if complete:
        check_sense(rule, file.relations, path, report)
    return rule


def _literals(reader: AtomReader, texts: list[str], path: Path) -> tuple[Literal, ...]:
    read = (reader.literal(text, (*path, i)) for i, text in enumerate(texts))
    return tuple(literal for literal in read if literal is not None)


def _atoms(reader: AtomReader, texts: list[str], kind: AtomKind, path: Path) -> tuple[Atom, ...]:
    read = (reader.atom(text, kind, (*path, i)) for i, text in enumerate(texts))
    return tuple(atom for atom in read if atom is not None)


def _duration(entry: RuleEntry, path: Path, report: Report) -> Duration:
    given = entry.duration
    if not isinstance(given, DurationEntry):
        given = DurationEntry(base=given)
    for key, seconds in (("base", given.base), ("per_metre", given.per_metre)):
        if not math.isfinite(seconds) or seconds < 0:
            fix = "give a finite number of seconds, 0 or more"
            report.add((*path, key), f"duration {key} is {seconds}", fix)
    if given.base == 0 and given.per_metre == 0:
        report.add(path, "the duration is always 0", "give the expected seconds")
    between = tuple(given.between) if given.between is not None else None
    if (between is None) != (given.per_metre == 0):
        fix = "give both, such as {base: 2, per_metre: 2, between: [from, to]}"
        report.add(path, "per_metre and between belong together", fix)
    for parameter in between or ():
        if parameter not in entry.parameters:
            fix = suggestion(parameter, entry.parameters)
            report.add((*path, "between"), f"unknown parameter {parameter} in the duration", fix)
    if between is not None and len(between) != 2:
        report.add((*path, "between"), "between takes two parameters", "name exactly two")
    pair = (between[0], between[1]) if between is not None and len(between) == 2 else None
    return Duration(given.base, given.per_metre, pair)


def _check_uses(entry: RuleEntry, file: DomainFile, path: Path, report: Report) -> None:
    for resource, amount in entry.uses.items():
        here = (*path, "uses", resource)
        if resource not in file.resources:
            report.add(here, f"unknown resource {resource}", suggestion(resource, file.resources))
        if not math.isfinite(amount):
            report.add(here, f"the use of {resource} is {amount}", "give a finite number")
