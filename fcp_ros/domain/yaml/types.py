# SPDX-License-Identifier: Apache-2.0
"""The sections `types`, `relations` and `attributes` of a domain file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fcp_ros.cset import Attribute, AttributeKind, Relation, Schema
from fcp_ros.domain.diagnostics import Diagnostics, Path, article
from fcp_ros.domain.model import BUILT_IN, TEXT, Parameter
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import DomainFile
from fcp_ros.foundation.wording import suggest_name

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def check_name(name: str, what: str, path: Path, report: Diagnostics) -> None:
    """Report a name that the goal grammar and ROS messages could not carry as it is."""
    if not IDENTIFIER.match(name):
        fix = f"use letters, digits and _ only, such as {re.sub(r'[^A-Za-z0-9_]+', '_', name)}"
        report.add(path, f"{name!r} can't be the name of a {what}", fix)


def check_type(
    type_: str, vocabulary: Vocabulary, path: Path, report: Diagnostics, what: str
) -> bool:
    """Report an unknown type; return True if it is known."""
    if type_ in vocabulary.parents:
        return True
    if type_ == TEXT:
        report.add(path, f"{what} can't have type text", "use one of the types of this file")
    else:
        fix = suggest_name(type_, vocabulary.parents)
        report.add(path, f"{what} has the unknown type {type_}", fix)
    return False


def check_declarations(
    declared: Mapping[str, str],
    noun: str,
    owner: str,
    path: Path,
    vocabulary: Vocabulary,
    report: Diagnostics,
) -> None:
    """Report parameters or variables (`noun`) whose name or type can't be used."""
    for name, type_ in declared.items():
        here = (*path, name)
        check_name(name, noun, here, report)
        check_type(type_, vocabulary, here, report, f"{noun} {name} of {owner}")


def build_vocabulary(file: DomainFile) -> Vocabulary:
    """Build the view of the types and predicates of a file that need not be sound."""
    return Vocabulary(
        {name: tuple(parents) for name, parents in file.types.items()},
        {name: build_parameters(entry.legs) for name, entry in file.relations.items()},
        {name: build_parameters(entry.parameters) for name, entry in file.graded.items()},
    )


def build_parameters(typing: Mapping[str, str]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, type_) for name, type_ in typing.items())


def build_schema(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> Schema | None:
    """Build the schema; None if it has a fault, which is reported."""
    before = len(report.diagnostics)
    _check_types(vocabulary, report)
    _check_relations(file, vocabulary, report)
    _check_attributes(file, vocabulary, report)
    if len(report.diagnostics) > before:
        return None
    return Schema(
        name=file.domain,
        types={name: tuple(parents) for name, parents in file.types.items()},
        relations=tuple(
            Relation(name, tuple(entry.legs.items()), tuple(entry.functional), entry.static)
            for name, entry in file.relations.items()
        ),
        attributes=tuple(
            Attribute(name, entry.of, AttributeKind(entry.kind), tuple(entry.values))
            for name, entry in file.attributes.items()
        ),
    )


def _check_types(vocabulary: Vocabulary, report: Diagnostics) -> None:
    if not vocabulary.parents:
        report.add(("types",), "the file has no type", "declare one, such as `room: []`")
    for name, parents in vocabulary.parents.items():
        path: Path = ("types", name)
        check_name(name, "type", path, report)
        if name == TEXT:
            report.add(path, "text is the built-in type of words", "choose another name")
        for position, parent in enumerate(parents):
            if check_type(parent, vocabulary, (*path, position), report, f"is_a of {name}") and (
                vocabulary.is_subtype(parent, name)
            ):
                message = f"{name} is {article(parent)}, and {parent} is {article(name)}: a circle"
                report.add((*path, position), message, f"take {parent} out of this list")


def _check_relations(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> None:
    for name, entry in file.relations.items():
        path: Path = ("relations", name)
        check_name(name, "relation", path, report)
        if name in file.types:
            report.add(path, f"{name} is a type already", "rename the relation")
        if name in BUILT_IN:
            report.add(path, f"{name} is built in", "rename the relation")
        if not entry.legs:
            report.add(path, f"{name} has no legs", "name at least one, such as {thing: item}")
        for leg, type_ in entry.legs.items():
            here = (*path, "legs", leg)
            check_name(leg, "leg", here, report)
            check_type(type_, vocabulary, here, report, f"leg {leg} of {name}")
        for position, leg in enumerate(entry.functional):
            if leg not in entry.legs:
                message = f"functional leg {leg} is not a leg of {name}"
                report.add((*path, "functional", position), message, suggest_name(leg, entry.legs))


def _check_attributes(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> None:
    for name, entry in file.attributes.items():
        path: Path = ("attributes", name)
        check_name(name, "attribute", path, report)
        check_type(entry.of, vocabulary, (*path, "of"), report, f"attribute {name}")
        if (entry.kind == "enum") != bool(entry.values):
            fix = "list its values" if entry.kind == "enum" else "drop them, or use kind: enum"
            report.add((*path, "kind"), f"attribute {name} of kind {entry.kind}: values", fix)
