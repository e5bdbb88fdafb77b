# SPDX-License-Identifier: Apache-2.0
"""A schema printed for reading: a line for each part, in the notation of the field."""

from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.cset.schema.symbols import Attribute, Function, PathEquation, Relation


def printed(
    name: str,
    types: Mapping[str, Sequence[str]],
    functions: Sequence[Function],
    relations: Sequence[Relation],
    attributes: Sequence[Attribute],
    equations: Sequence[PathEquation],
) -> str:
    """The parts of a schema, section by section; sections without entries are left out."""
    sections = (
        ("types", map(_type, types, types.values())),
        ("functions", (f"{f.name}: {f.source} -> {f.target}" for f in functions)),
        ("relations", map(_relation, relations)),
        ("attributes", map(_attribute, attributes)),
        ("equations", map(str, equations)),
    )
    lines = [f"schema {name}"]
    for title, entries in sections:
        lines.extend(_section(title, entries))
    return "\n".join(lines)


def _section(title: str, entries: Iterable[str]) -> list[str]:
    shown = [f"    {entry}" for entry in entries]
    return [f"  {title}", *shown] if shown else []


def _type(name: str, parents: Sequence[str]) -> str:
    return f"{name} is_a {', '.join(parents)}" if parents else name


def _relation(relation: Relation) -> str:
    legs = (
        f"{leg}: {type_}{' (functional)' if leg in relation.functional else ''}"
        for leg, type_ in relation.legs
    )
    return f"{relation.name}({', '.join(legs)}){' static' if relation.static else ''}"


def _attribute(attribute: Attribute) -> str:
    kind = attribute.kind.value
    if attribute.values:
        kind = f"{kind} {{{', '.join(attribute.values)}}}"
    return f"{attribute.owner}.{attribute.name}: {kind}"
