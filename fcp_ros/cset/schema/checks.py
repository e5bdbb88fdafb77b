# SPDX-License-Identifier: Apache-2.0
"""The checks that the parts of a schema must pass."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from fcp_ros.cset.schema.symbols import AttributeKind, Relation, SchemaParts, SchemaProblem
from fcp_ros.foundation.wording import describe_unknown_name

Types = Mapping[str, tuple[str, ...]]


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


def find_problems(parts: SchemaParts) -> list[SchemaProblem]:
    """Find all that is wrong with the parts of a schema; empty if it is valid."""
    return [
        *_check_names(parts),
        *_check_types(parts.types),
        *_check_cycles(parts.types),
        *_check_functions(parts),
        *(problem for r in parts.relations for problem in _check_relation(r, parts.types)),
        *_check_attributes(parts),
    ]


def _check_names(parts: SchemaParts) -> Iterator[SchemaProblem]:
    types = [*parts.types, *(relation.name for relation in parts.relations)]
    functions = [function.name for function in parts.functions]
    for section, what, names in (
        ("types", "type or relation", types),
        ("functions", "function", functions),
    ):
        for name in _find_repeated(names):
            text = f"{what} {name!r} is declared twice; rename or remove one"
            yield SchemaProblem((section, name), text)
    legs = [leg for relation in parts.relations for leg, _ in relation.legs]
    attributes = [attribute.name for attribute in parts.attributes]
    for name in [*types, *functions, *legs, *attributes]:
        if not isinstance(name, str) or not name:
            yield SchemaProblem((), f"{name!r} is no name; names are texts that are not empty")


def _check_types(types: Types) -> Iterator[SchemaProblem]:
    for name, parents in types.items():
        for parent in parents:
            if parent not in types:
                text = describe_unknown_name("type", parent, types, f"the parents of type {name!r}")
                yield SchemaProblem(("types", name), text)


def _check_cycles(types: Types) -> Iterator[SchemaProblem]:
    """Report each group of types that are each other's ancestors."""
    try:
        TopologicalSorter(types).prepare()
    except CycleError:  # the search that tells all of them is not linear
        yield from _list_cycles(types)


def _list_cycles(types: Types) -> Iterator[SchemaProblem]:
    seen: set[str] = set()
    for name in types:
        if name not in seen:
            cycle = _find_cycle(name, types)
            if cycle:
                group = closure(name, types)
                seen |= {other for other in group if name in closure(other, types)}
                shown = " is_a ".join(map(repr, cycle))
                text = f"is_a forms a cycle: {shown}; remove one of these"
                yield SchemaProblem(("types", name), text)


def _find_cycle(name: str, types: Types) -> list[str]:
    """A shortest way up from a type to itself; empty if there is none."""
    ways = [[name, parent] for parent in types[name]]
    seen: set[str] = set()
    for way in ways:
        if way[-1] == name:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways.extend([*way, parent] for parent in types.get(way[-1], ()))
    return []


def _check_functions(parts: SchemaParts) -> Iterator[SchemaProblem]:
    types = parts.types
    for function in parts.functions:
        for key, end in (("source", function.source), ("target", function.target)):
            if end not in types:
                text = describe_unknown_name("type", end, types, f"function {function.name!r}")
                yield SchemaProblem(("functions", function.name, key), text)


def _check_relation(relation: Relation, types: Types) -> Iterator[SchemaProblem]:
    where, part = f"relation {relation.name!r}", ("relations", relation.name)
    legs = [leg for leg, _ in relation.legs]
    if not legs:
        yield SchemaProblem(part, f"{where} has no legs; give it at least one")
    for leg in _find_repeated(legs):
        yield SchemaProblem((*part, "legs", leg), f"leg {leg!r} is declared twice of {where}")
    for leg, type_ in relation.legs:
        if type_ not in types:
            text = describe_unknown_name("type", type_, types, f"leg {leg!r} of {where}")
            yield SchemaProblem((*part, "legs", leg), text)
    for position, leg in enumerate(relation.functional):
        if leg not in legs:
            text = describe_unknown_name("leg", leg, legs, where)
            yield SchemaProblem((*part, "functional", position), text)


def _check_attributes(parts: SchemaParts) -> Iterator[SchemaProblem]:
    types, attributes = parts.types, parts.attributes
    owners = (*types, *(relation.name for relation in parts.relations))
    for position, attribute in enumerate(attributes):
        where, part = f"attribute {attribute.name!r}", ("attributes", position)
        if attribute.owner not in owners:
            text = describe_unknown_name("type", attribute.owner, owners, f"the owner of {where}")
            yield SchemaProblem((*part, "owner"), text)
        if (attribute.kind is AttributeKind.ENUM) != bool(attribute.values):
            text = (
                f"{where} of {attribute.owner!r}: values are listed for kind enum, and only there"
            )
            yield SchemaProblem((*part, "kind"), text)
        for value in _find_repeated(attribute.values):
            text = (
                f"value {value!r} is listed twice for {where} of {attribute.owner!r}; once will do"
            )
            yield SchemaProblem((*part, "values"), text)
    declared = Counter(attribute.name for attribute in attributes)
    several = [(at, a) for at, a in enumerate(attributes) if declared[a.name] > 1]
    for name in owners if several else ():
        above = closure(name, types)
        owned = [(at, a.name) for at, a in several if a.owner in above]
        for repeated in _find_repeated([attribute for _, attribute in owned]):
            last = max(at for at, attribute in owned if attribute == repeated)
            text = f"attribute {repeated!r} is declared twice of type {name!r}; rename one"
            yield SchemaProblem(("attributes", last, "name"), text)


def _find_repeated(names: Sequence[str]) -> list[str]:
    """The names that occur more than once, each once."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]
