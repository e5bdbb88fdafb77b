# SPDX-License-Identifier: Apache-2.0
"""An addition joined to the text of a domain, and checks of its rules beyond those of every rule.

Models like to write rules without conditions, which make wishes true. A valid rule can still
describe no action of a robot; these checks find what can be found without knowing the world.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

from fcp_ros.domain.diagnostics import Diagnostic, Diagnostics, DomainError, Path
from fcp_ros.domain.expressions.syntax import list_variables
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.rule_spans import build_span
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.domain_files import parse_domain, parse_lines
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import suggest_name, to_printable
from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.grounding.generation import START, Grammar, Nonterminal, Symbol, SymbolSequence

OTHER = "other_"
DURATIONS = ("2", "5", "10", "20", "30", "60")


def build_rule_grammar(base: Domain) -> Grammar:
    """Build the grammar of rules over the types, relations and executors of a domain."""
    n = Nonterminal
    vocabulary = Vocabulary.of(base)
    executors = dict.fromkeys(rule.executor for rule in base.rules.values())
    static = {relation.name for relation in base.schema.relations if relation.static}
    types: dict[str, str] = {}
    atoms: list[SymbolSequence] = []
    changes: list[SymbolSequence] = []
    absences: list[SymbolSequence] = []
    for name, parameters in vocabulary.relations.items():
        legs = [types.setdefault(p.type, f"argument{len(types)}") for p in parameters]
        atom = _write_atom(name, [(n(leg),) for leg in legs])
        atoms.append(atom)
        if name not in static:
            changes.append(atom)
        absences.append(("not ", *atom))
        for place in range(len(legs) if len(legs) > 1 else 0):
            terms = [("?any",) if i == place else (n(leg),) for i, leg in enumerate(legs)]
            absences.append(("not ", *_write_atom(name, terms)))
    rules: dict[str, tuple[SymbolSequence, ...]] = {
        START: (("rules:\n", n("rules")),),
        "rules": ((n("rule"),), (n("rule"), n("rules"))),
        "rule": (
            (
                *("  ", n("name"), ":\n    parameters: {", n("parameters"), "}\n"),
                *("    when: [", n("conditions"), "]\n", n("effects")),
                *("    duration: ", n("duration"), "\n    executor: ", n("executor"), "\n"),
            ),
        ),
        "effects": (
            ("    delete: [", n("changes"), "]\n    add: [", n("changes"), "]\n"),
            ("    delete: [", n("changes"), "]\n"),
            ("    add: [", n("changes"), "]\n"),
        ),
        "name": ((n("letter"),), (n("letter"), n("name"))),
        "letter": tuple((letter,) for letter in (*ascii_lowercase, "_")),
        "parameters": ((n("parameter"),), (n("parameter"), ", ", n("parameters"))),
        "parameter": tuple(
            (f"{prefix}{type_}: {type_}",) for type_ in vocabulary.parents for prefix in ("", OTHER)
        ),
        "conditions": ((n("condition"),), (n("condition"), ", ", n("conditions"))),
        "condition": (("'", n("atom"), "'"), ("'", n("absence"), "'")),
        "changes": ((n("change"),), (n("change"), ", ", n("changes"))),
        "change": (("'", n("fact"), "'"),),
        "atom": tuple(atoms),
        "absence": tuple(absences),
        "fact": tuple(changes),
        "duration": tuple((duration,) for duration in DURATIONS),
        "executor": tuple((executor,) for executor in executors),
    }
    for type_, rule in types.items():
        rules[rule] = tuple(
            (f"{prefix}{name}",)
            for name in vocabulary.parents
            if vocabulary.common_subtypes((name, type_))
            for prefix in ("", OTHER)
        )
    return Grammar(rules)


def _write_atom(name: str, terms: Sequence[SymbolSequence]) -> SymbolSequence:
    symbols: list[Symbol] = [f"{name}("]
    for position, term in enumerate(terms):
        symbols += [", ", *term] if position else term
    return (*symbols, ")")


SOURCE = "addition"
"""The name of an addition in messages."""
SECTIONS = {"types": 40, "relations": 20, "rules": 12, "labels": 40, "synonyms": 40}
"""The keys of an addition, each with the most entries that it may have."""
MOST_CHARACTERS = 20_000
MARK = "generated"
"""Begins the description of each generated rule, and stands in the version of the domain."""

_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)


@dataclass(frozen=True)
class AmendedDomain:
    """A domain with an addition."""

    domain: Domain  # parsed from `text`
    text: str
    rules: tuple[str, ...]  # the names of the added rules
    lines: Mapping[str, int]
    entries: int


def take_off_fence(text: str) -> str:
    """Take off the lines of ``` that chat models like to put around."""
    return _FENCE.sub("", text).strip() + "\n"


def join_addition(
    base: str, addition: str, model: str, sections: Collection[str] = tuple(SECTIONS)
) -> AmendedDomain:
    """Join an addition to the text of a domain, and validate the whole.

    Args:
        model: its author, named in each rule's description.
        sections: the keys of `SECTIONS` that it may have.

    Raises:
        DomainError: every fault of the addition, with its line there and a fix.
    """
    if len(addition) > MOST_CHARACTERS:
        fault = f"the addition has {len(addition)} characters"
        raise DomainError([Diagnostic(SOURCE, 0, fault, f"write {MOST_CHARACTERS} at most")])
    parsed = parse_lines(addition, SOURCE)
    report = Diagnostics(SOURCE, dict(parsed.lines))
    whole = parse_lines(base, "domain").data
    if not isinstance(parsed.data, dict):
        report.add((), "this is no mapping", f"write keys such as {', '.join(sections)}")
        report.raise_if_any()
    for section, entries in parsed.data.items():
        if section in sections:
            _join_section(whole, section, entries, report)
        else:
            fix = f"use {', '.join(sections)}"
            report.add((section,), f"an addition has no key {section} here", fix)
    report.raise_if_any()
    rules = tuple(parsed.data.get("rules") or ())
    for name in rules:
        rule = whole["rules"][name]
        if isinstance(rule, dict):
            whole["rules"][name] = {
                "description": f"{MARK} by {to_printable(model)}, not reviewed",
                **rule,
            }
    whole["version"] = f"{whole['version']}+{MARK}"
    text = dump_yaml(whole, width=100)
    try:
        domain = parse_domain(text, SOURCE)
    except DomainError as error:
        lines = parse_lines(text, SOURCE).lines
        raise DomainError(_locate(error.diagnostics, lines, parsed.lines)) from None
    begins = {name: parsed.lines.get(("rules", name), 0) for name in rules}
    entries = sum(len(section or ()) for section in parsed.data.values())
    return AmendedDomain(domain, text, rules, begins, entries)


def _join_section(whole: dict[str, Any], section: str, entries: Any, report: Diagnostics) -> None:
    """Join one section of an addition to the data of the domain."""
    most = SECTIONS[section]
    if not isinstance(entries, dict):
        if entries is not None:
            report.add((section,), f"{section} is no mapping", "write name: {...} below it")
        return
    if len(entries) > most:
        report.add((section,), f"{section} has {len(entries)} entries", f"write {most} at most")
        return
    own = whole.get(section)
    own = whole[section] = own if isinstance(own, dict) else {}
    known = _list_labels(own) if section == "labels" else {}
    for name, entry in entries.items():
        if section == "labels":
            _join_labels(own, name, entry, known, report)
        elif name in own:
            fix = "leave it out if it is the same, or choose another name"
            report.add((section, name), f"the domain has a {section[:-1]} {name} already", fix)
        else:
            own[name] = entry


def _list_labels(own: Mapping[str, Any]) -> dict[str, str]:
    return {
        normalise_label(str(label)): type_
        for type_, labels in own.items()
        for label in (labels if isinstance(labels, list) else [])
    }


def _join_labels(
    own: dict[str, Any], type_: str, labels: Any, known: Mapping[str, str], report: Diagnostics
) -> None:
    """Join the labels of a type; one that has another type keeps that."""
    path = ("labels", type_)
    if not isinstance(labels, list):
        report.add(path, f"the labels of {type_} are no list", "write [label, label]")
        return
    for label in labels:
        other = known.get(normalise_label(str(label)), type_)
        if other != type_:
            fix = "leave it out; name the type of the domain in the rules"
            report.add(path, f"{label} is a label of {other} already", fix)
    own[type_] = [*own.get(type_, ()), *labels]


def _locate(
    faults: tuple[Diagnostic, ...], joined: Mapping[Path, int], own: Mapping[Path, int]
) -> list[Diagnostic]:
    """Give faults of the joined text the addition's lines; 0 where they have none."""
    by_line: dict[int, int] = {}
    for path, line in joined.items():
        if path in own:  # the innermost path of a line comes last
            by_line[line] = own[path]
    return [replace(fault, line=by_line.get(fault.line, 0), column=0) for fault in faults]


def check_generated(amended: AmendedDomain, base: Domain) -> list[Diagnostic]:
    """Check the generated rules of a valid domain, and that there is something new in it.

    Args:
        base: the domain as people wrote it; its rules show who acts, and by which executors.

    Returns:
        The faults.
    """
    actors = find_actors(base)
    executors = {rule.executor for rule in base.rules.values()}
    found: list[Diagnostic] = []
    if not amended.entries:
        found.append(Diagnostic(SOURCE, 1, "it adds nothing", "write what is missing"))
    for name in amended.rules:
        rule = amended.domain.rules[name]
        line = amended.lines.get(name, 0)
        faults = _find_faults(rule, amended.domain, actors, executors)
        found += [Diagnostic(SOURCE, line, f"rule {name}: {fault}", fix) for fault, fix in faults]
    return found


def find_actors(base: Domain) -> frozenset[str]:
    """Find the types of those who act: of the first parameter of each rule."""
    return frozenset(rule.parameters[0].type for rule in base.rules.values() if rule.parameters)


def _find_faults(
    rule: ActionRule, domain: Domain, actors: frozenset[str], executors: Iterable[str]
) -> Iterable[tuple[str, str]]:
    vocabulary = Vocabulary.of(domain)
    acting = {
        parameter.name
        for parameter in rule.parameters
        if any(vocabulary.is_subtype(parameter.type, actor) for actor in actors)
    }
    shown = " or ".join(sorted(actors))
    if not acting:
        yield "nobody does it", f"add a parameter of the type {shown}"
    elif not any(acting & set(list_variables(atom)) for atom in rule.positive()):
        who = sorted(acting)[0]
        yield (
            f"no condition in `when` says where {who} has to be or what it has to hold",
            f"add conditions with {who}, as the other rules have",
        )
    if rule.executor not in executors:
        fix = suggest_name(rule.executor, executors)
        yield f"there is no executor {rule.executor}", fix
    if rule.effects or rule.graded or rule.formulas:
        yield "it has effects, graded predicates or formulas", "use when, delete and add only"
    yield from _find_unbound(rule)
    try:
        build_span(rule, domain.schema)
    except ValueError as error:  # as for any rule that the verifier could not replay
        yield f"it can't be replayed ({error})", "change its conditions"


def _find_unbound(rule: ActionRule) -> Iterable[tuple[str, str]]:
    """Find parameters that no condition speaks of: these could be anything in the world."""
    bound = {name for atom in rule.positive() for name in list_variables(atom)}
    free = [name for name in rule.parameter_names if name not in bound]
    if free:
        yield (
            f"no condition in `when` speaks of {', '.join(free)}",
            "add a condition that it has to meet, or remove the parameter",
        )
