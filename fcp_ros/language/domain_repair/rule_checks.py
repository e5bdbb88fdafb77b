# SPDX-License-Identifier: Apache-2.0
"""Checks of generated rules beyond those of every rule: somebody does it, with known means.

Models like to write rules without conditions, which make wishes true. A valid rule can still
describe no action of a robot; these checks find what can be found without knowing the world.
"""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import list_variables
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.rule_spans import build_span
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.language.domain_repair.addition import SOURCE, AmendedDomain


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
