# SPDX-License-Identifier: Apache-2.0
"""An addition to a domain in YAML: what it may hold, and how it joins the text of the domain.

An addition has the keys of a domain file that name what there is and what can be done. It can't
touch what the domain has already; faults of the joined text are told with the addition's lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.domain.diagnostics import Diagnostic, Diagnostics, DomainError, Path
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.domain_files import parse_domain, parse_lines
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import to_printable
from fcp_ros.foundation.yaml_text import dump_yaml

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
