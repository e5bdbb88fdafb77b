# SPDX-License-Identifier: Apache-2.0
"""The numbers of a rule: how long it takes, what it costs, and when it may run."""

from __future__ import annotations

import math

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.model import Cost, CostTerm, Duration, Resource, Window
from fcp_ros.domain.yaml.entries import (
    CostEntry,
    CostTermEntry,
    DomainFile,
    DurationEntry,
    RuleEntry,
    WindowEntry,
)
from fcp_ros.domain.yaml.types import check_name
from fcp_ros.foundation.wording import suggest_name


def build_duration(entry: RuleEntry, path: Path, report: Diagnostics) -> Duration:
    """The key `duration`; what is wrong goes into the report."""
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
            fix = suggest_name(parameter, entry.parameters)
            report.add((*path, "between"), f"unknown parameter {parameter} in the duration", fix)
    if between is not None and len(between) != 2:
        report.add((*path, "between"), "between takes two parameters", "name exactly two")
    pair = (between[0], between[1]) if between is not None and len(between) == 2 else None
    return Duration(given.base, given.per_metre, pair)


def build_window(
    rule: str, entry: WindowEntry, duration: Duration, path: Path, report: Diagnostics
) -> Window:
    """The key `window`; what is wrong goes into the report."""
    opens, closes = entry.opens, entry.closes
    fix = "give seconds from the start of the plan, such as {opens: 0, closes: 600}"
    if not math.isfinite(opens) or opens < 0:
        report.add((*path, "opens"), f"the window of {rule} opens at {opens}", fix)
    elif math.isnan(closes) or closes < 0:
        report.add((*path, "closes"), f"the window of {rule} closes at {closes}", fix)
    elif closes <= opens:
        message = f"the window of {rule} closes at {closes:g} s and opens at {opens:g} s"
        report.add(path, message, "let it close after it opens")
    elif closes - opens < duration.base:
        message = (
            f"{rule} takes at least {duration.base:g} s, but its window is open for "
            f"{closes - opens:g} s: it can never run"
        )
        report.add(path, message, "let it close later, or shorten the duration")
    return Window(opens, closes)


def build_cost(rule: str, entry: RuleEntry, path: Path, report: Diagnostics) -> Cost:
    """The key `cost`; what is wrong goes into the report."""
    given = entry.cost
    if not isinstance(given, CostEntry):
        given = CostEntry(base=given)
        _check_cost(given.base, path, rule, report)
        return Cost(given.base)
    _check_cost(given.base, (*path, "base"), rule, report)
    terms = tuple(
        _term(rule, term, entry, (*path, "terms", position), report)
        for position, term in enumerate(given.terms)
    )
    return Cost(given.base, terms)


def _term(
    rule: str, given: CostTermEntry, entry: RuleEntry, path: Path, report: Diagnostics
) -> CostTerm:
    if not given.parameters:
        fix = "name the parameters that it depends on, or add it to `base:`"
        report.add((*path, "parameters"), f"a cost term of {rule} depends on nothing", fix)
    for position, name in enumerate(given.parameters):
        here = (*path, "parameters", position)
        if name not in entry.parameters:
            message = f"unknown parameter {name} in the cost of {rule}"
            report.add(here, message, suggest_name(name, entry.parameters))
        elif name in given.parameters[:position]:
            message = f"a cost term of {rule} names {name} twice"
            report.add(here, message, "name it once")
    table: dict[tuple[str, ...], float] = {}
    for number, row in enumerate(given.table):
        here = (*path, "table", number)
        elements = tuple(row.elements)
        if len(elements) != len(given.parameters):
            message = (
                f"a cost row of {rule} names {len(elements)} elements for "
                f"{len(given.parameters)} parameters"
            )
            report.add(here, message, f"write one for each of [{', '.join(given.parameters)}]")
        elif elements in table:
            message = f"the cost of {rule} for ({', '.join(elements)}) stands here twice"
            report.add(here, message, "keep one of them")
        _check_cost(row.cost, (*here, "cost"), rule, report)
        table.setdefault(elements, row.cost)
    return CostTerm(tuple(given.parameters), table)


def _check_cost(cost: float, path: Path, rule: str, report: Diagnostics) -> None:
    if not math.isfinite(cost) or cost < 0:
        report.add(path, f"a cost of {rule} is {cost}", "give a finite number, 0 or more")


def build_resources(file: DomainFile, report: Diagnostics) -> dict[str, Resource]:
    """All resources; what is wrong goes into the report."""
    for name, entry in file.resources.items():
        path: Path = ("resources", name)
        check_name(name, "resource", path, report)
        if not all(math.isfinite(x) for x in (entry.initial, entry.minimum, entry.maximum)):
            report.add(path, f"a number of {name} is not finite", "give finite numbers")
        elif not entry.minimum <= entry.initial <= entry.maximum:
            message = (
                f"{name} starts at {entry.initial:g}, outside "
                f"[{entry.minimum:g}, {entry.maximum:g}]"
            )
            report.add((*path, "initial"), message, "keep minimum <= initial <= maximum")
    return {
        name: Resource(name, entry.initial, entry.minimum, entry.maximum, entry.unit)
        for name, entry in file.resources.items()
    }
