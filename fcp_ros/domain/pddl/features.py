# SPDX-License-Identifier: Apache-2.0
"""What PDDL has and this planner does not: refused by name, with file and line, before parsing.

A requirement that a file merely declares does no harm; what it uses is looked for in the text.
"""

from __future__ import annotations

import re

from fcp_ros.domain.pddl.errors import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.source import Source
from fcp_ros.foundation.wording import suggest_name

_DOMAIN_SECTIONS = (
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":action",
)
_PROBLEM_SECTIONS = (
    ":domain",
    ":requirements",
    ":objects",
    ":init",
    ":goal",
    ":metric",
    ":length",
)
_SECTIONS = {
    ":durative-action": ("durative actions", "give durations in a YAML domain (docs/domain.md)"),
    ":derived": ("a derived predicate (axiom)", "let actions add and delete the predicate"),
    ":constraints": (
        "trajectory constraints",
        "state what may never hold as `constraints` of a YAML domain (docs/domain.md)",
    ),
    ":process": ("a process (PDDL+)", "describe what happens as actions"),
    ":event": ("an event (PDDL+)", "describe what happens as actions"),
    ":method": ("a method (HDDL)", "describe the task by a goal"),
    ":htn": ("a task network (HDDL)", "describe the task by a goal"),
    ":task": ("a task (HDDL)", "describe it as an action"),
}
_NUMBERS = "keep only action costs: (increase (total-cost) ...)"
_USES = (
    (r"\(\s*preference(?![\w-])", "a preference", "make it part of the goal, or drop it"),
    (r"\(\s*oneof(?![\w-])", "a non-deterministic effect (oneof)", "choose one outcome"),
    (r"\(\s*probabilistic(?![\w-])", "a probabilistic effect", "choose one outcome"),
    (r"\(\s*(?:assign|scale-up|scale-down|decrease)(?=[\s(])", "a numeric effect", _NUMBERS),
    (r"\(\s*(?:<=?|>=?)(?=[\s(])", "a numeric comparison", _NUMBERS),
    (r"\(\s*at\s+[\d.]+\s*\(", "a timed initial literal", "let an action bring it about"),
    (r":metric\s+maximize(?![\w-])", "a metric to be maximised", "minimise (total-cost)"),
)
_OBJECT_FLUENTS = re.compile(r"\)\s*-\s*(?!number(?![\w-]))[a-z(]")


def check_domain_features(source: Source) -> None:
    """Refuse what the domain file uses and this planner does not have.

    Raises:
        UnsupportedPddl: the first such feature.
        PddlError: a section that PDDL does not have.
    """
    _check_sections(source, _DOMAIN_SECTIONS, "domain")
    functions = source.section(":functions")
    if functions is not None:
        found = _OBJECT_FLUENTS.search(source.code, functions.start, functions.end)
        if found:
            raise UnsupportedPddl(
                source.file,
                source.line(found.start()),
                "a function whose value is an object",
                "use a predicate with one more argument",
            )
    _check_uses(source)


def check_problem_features(source: Source) -> None:
    """The same for a problem file."""
    _check_sections(source, _PROBLEM_SECTIONS, "problem")
    _check_uses(source)


def _check_sections(source: Source, known: tuple[str, ...], kind: str) -> None:
    for section in source.sections:
        if section.name in known:
            continue
        line = source.line(section.start)
        if section.name in _SECTIONS:
            feature, fix = _SECTIONS[section.name]
            raise UnsupportedPddl(source.file, line, feature, fix)
        message = f"unknown section {section.name} in a {kind} file"
        raise PddlError(source.file, line, message, suggest_name(section.name, known))


def _check_uses(source: Source) -> None:
    for pattern, feature, fix in _USES:
        found = re.search(pattern, source.code)
        if found:
            raise UnsupportedPddl(source.file, source.line(found.start()), feature, fix)
