# SPDX-License-Identifier: Apache-2.0
"""The sections `constraints` and `resources` of a domain file: what no plan may do."""

from __future__ import annotations

import math

from fcp_ros.domain.atom_check import AtomKind, AtomReader
from fcp_ros.domain.build_schema import check_name, check_type
from fcp_ros.domain.expression import TypedVariable, Variable
from fcp_ros.domain.model import Constraint, Resource
from fcp_ros.domain.problems import Path, Report
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml_schema import ConstraintEntry, DomainFile


def build_constraints(
    file: DomainFile, vocabulary: Vocabulary, report: Report
) -> tuple[Constraint, ...]:
    """All constraints that can be read; what is wrong goes into the report."""
    return tuple(
        _build_constraint(name, entry, vocabulary, report)
        for name, entry in file.constraints.items()
    )


def _build_constraint(
    name: str, entry: ConstraintEntry, vocabulary: Vocabulary, report: Report
) -> Constraint:
    path: Path = ("constraints", name)
    check_name(name, "constraint", path, report)
    for variable, type_ in entry.variables.items():
        here = (*path, "variables", variable)
        check_name(variable, "variable", here, report)
        check_type(type_, vocabulary, here, report, f"variable {variable} of {name}")
    if not entry.never:
        report.add(path, f"{name} forbids nothing", "write at least one atom under `never:`")
    reader = AtomReader(vocabulary, report, entry.variables, f"constraint {name}")
    read = [
        reader.atom(text, AtomKind.RELATION, (*path, "never", position))
        for position, text in enumerate(entry.never)
    ]
    never = tuple(atom for atom in read if atom is not None)
    used = {t.name for atom in never for t in atom.arguments if isinstance(t, Variable)}
    for variable in entry.variables:
        if variable not in used and len(never) == len(read):
            message = f"variable {variable} of {name} is used nowhere"
            report.add((*path, "variables", variable), message, "use it or drop it")
    variables = tuple(TypedVariable(v, t) for v, t in entry.variables.items())
    return Constraint(name, variables, never, entry.because)


def build_resources(file: DomainFile, report: Report) -> dict[str, Resource]:
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
