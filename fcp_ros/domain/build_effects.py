# SPDX-License-Identifier: Apache-2.0
"""The key `effects` of a rule: what happens besides, where and for whatever a condition holds."""

from __future__ import annotations

from fcp_ros.domain.atom_check import AtomKind, AtomReader
from fcp_ros.domain.build_schema import check_name, check_type
from fcp_ros.domain.model import Effect, Parameter
from fcp_ros.domain.problems import Path, Report
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml_schema import EffectEntry, RuleEntry


def build_effects(
    rule: str, entry: RuleEntry, vocabulary: Vocabulary, path: Path, report: Report
) -> tuple[Effect, ...]:
    """All effects of a rule that can be read; what is wrong goes into the report."""
    return tuple(
        _build_effect(rule, effect, entry, vocabulary, (*path, "effects", position), report)
        for position, effect in enumerate(entry.effects)
    )


def _build_effect(
    rule: str,
    effect: EffectEntry,
    entry: RuleEntry,
    vocabulary: Vocabulary,
    path: Path,
    report: Report,
) -> Effect:
    for variable, type_ in effect.variables.items():
        here = (*path, "variables", variable)
        check_name(variable, "variable", here, report)
        check_type(type_, vocabulary, here, report, f"variable {variable} of an effect of {rule}")
        if variable in entry.parameters:
            message = f"{variable} is a parameter of {rule} and a variable of its effect"
            report.add(here, message, "rename the variable")
    names = {**entry.parameters, **effect.variables}
    reader = AtomReader(vocabulary, report, names, f"an effect of {rule}")
    return Effect(
        variables=tuple(Parameter(v, t) for v, t in effect.variables.items()),
        when=reader.literals(effect.when, (*path, "when")),
        add=reader.atoms(effect.add, AtomKind.RELATION, (*path, "add")),
        delete=reader.atoms(effect.delete, AtomKind.RELATION, (*path, "delete")),
    )
