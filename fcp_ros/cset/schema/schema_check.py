# SPDX-License-Identifier: Apache-2.0
"""The checks that the parts of a schema must pass."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fcp_ros.cset.schema.names import unknown_name
from fcp_ros.cset.schema.symbols import Attribute, AttributeKind, Function, PathEquation, Relation


def closure(name: str, parents: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """`name` and everything above it, also where `parents` has cycles or dangling names."""
    found: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current not in found:
            found.add(current)
            todo.extend(parents.get(current, ()))
    return frozenset(found)


def problems_of(
    types: Mapping[str, tuple[str, ...]],
    functions: Sequence[Function],
    relations: Sequence[Relation],
    attributes: Sequence[Attribute],
    equations: Sequence[PathEquation] = (),
) -> list[str]:
    """All that is wrong with the parts of a schema, one clause each; empty when it is valid."""
    return [
        *_type_problems(types),
        *_duplicates("function", (function.name for function in functions)),
        *_duplicates("type or relation", (*types, *(relation.name for relation in relations))),
        *(
            unknown_name("type", end, types, f"function {function.name!r}")
            for function in functions
            for end in (function.source, function.target)
            if end not in types
        ),
        *(text for relation in relations for text in _relation_problems(relation, types)),
        *_attribute_problems(types, relations, attributes),
        *_equation_problems(types, functions, relations, equations),
    ]


def _type_problems(types: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    for name, parents in types.items():
        for parent in parents:
            if parent not in types:
                yield unknown_name("type", parent, types, f"the parents of type {name!r}")
        if any(name in closure(parent, types) for parent in parents):
            yield f"type {name!r} is among its own ancestors; remove one is_a of the cycle"


def _relation_problems(relation: Relation, types: Mapping[str, Any]) -> Iterable[str]:
    where = f"relation {relation.name!r}"
    legs = [leg for leg, _ in relation.legs]
    if not legs:
        yield f"{where} has no legs; give it at least one"
    yield from (f"{text} of {where}" for text in _duplicates("leg", legs))
    for leg, type_ in relation.legs:
        if type_ not in types:
            yield unknown_name("type", type_, types, f"leg {leg!r} of {where}")
    for leg in relation.functional:
        if leg not in legs:
            yield unknown_name("leg", leg, legs, where)


def _attribute_problems(
    types: Mapping[str, tuple[str, ...]],
    relations: Sequence[Relation],
    attributes: Sequence[Attribute],
) -> Iterable[str]:
    owners = (*types, *(relation.name for relation in relations))
    for attribute in attributes:
        where = f"attribute {attribute.name!r}"
        if attribute.owner not in owners:
            yield unknown_name("type", attribute.owner, owners, f"the owner of {where}")
        if (attribute.kind is AttributeKind.ENUM) != bool(attribute.values):
            yield f"{where} of {attribute.owner!r}: values are listed for kind enum, and only there"
    for name in owners:
        above = closure(name, types)
        owned = (a.name for a in attributes if a.owner in above)
        yield from (f"{text} of type {name!r}" for text in _duplicates("attribute", owned))


def _equation_problems(
    types: Mapping[str, tuple[str, ...]],
    functions: Sequence[Function],
    relations: Sequence[Relation],
    equations: Sequence[PathEquation],
) -> Iterable[str]:
    legs = {relation.name: dict(relation.legs) for relation in relations}
    for equation in equations:
        where = f"equation {str(equation)!r}"
        if equation.source not in types and equation.source not in legs:
            known = (*types, *legs)
            yield unknown_name("type", equation.source, known, f"the source of {where}")
            continue
        for path in (equation.left, equation.right):
            yield from _path_problems(path, equation.source, where, types, functions, legs)


def _path_problems(
    path: Sequence[str],
    source: str,
    where: str,
    types: Mapping[str, tuple[str, ...]],
    functions: Sequence[Function],
    legs: Mapping[str, Mapping[str, str]],
) -> Iterable[str]:
    """Where a path takes a step that the type it has come to does not have."""
    current = source
    for step in path:
        if current in legs:
            targets = dict(legs[current])
        else:
            above = closure(current, types)
            targets = {f.name: f.target for f in functions if f.source in above}
        if step not in targets:
            yield unknown_name("function", step, targets, f"type {current!r}, on a path of {where}")
            return
        current = targets[step]


def _duplicates(what: str, names: Iterable[str]) -> Iterable[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"{what} {name!r} is declared twice"
        seen.add(name)
