# SPDX-License-Identifier: Apache-2.0
"""Schemas: the types, functions, relations and attributes that an instance may have.

A schema presents a category: types are objects, functions are morphisms between them. A relation is
a span type: an object of its own whose legs are functions out of it (docs/design.md, "mutable
relations are reified"). `is_a` is an inclusion of types; everything that is declared for a type
holds for its subtypes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from fcp_ros.cset.schema_data import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Function,
    Relation,
    RelationName,
    SchemaError,
    SchemaParts,
    SchemaProblem,
    TypeName,
    format_schema,
    make_error,
    read_parts,
)
from fcp_ros.foundation.wording import describe_unknown_name

Types = Mapping[str, tuple[str, ...]]


def closure(names: Iterable[str], steps: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Names and all that steps lead to from them, also where these have cycles or dangling ends."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        current = todo.pop()
        if current not in found:
            found.add(current)
            todo.extend(steps.get(current, ()))
    return frozenset(found)


def map_children(parents: Mapping[str, Iterable[str]]) -> Mapping[str, Sequence[str]]:
    """Map each type to the types that name it as a parent."""
    children: dict[str, list[str]] = {}
    for child, above in parents.items():
        for parent in above:
            children.setdefault(parent, []).append(child)
    return children


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
                group = closure((name,), types)
                seen |= {other for other in group if name in closure((other,), types)}
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
        above = closure((name,), types)
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


__all__ = [
    "Attribute",
    "AttributeKind",
    "AttributeValue",
    "Function",
    "Relation",
    "RelationName",
    "Schema",
    "SchemaError",
    "SchemaProblem",
    "TypeName",
]

_V = TypeVar("_V")


@dataclass(frozen=True)
class Schema:
    """A schema is a value: validated on construction, hashable, comparable."""

    name: str
    # each type with its direct parents; several are allowed
    types: Mapping[TypeName, tuple[TypeName, ...]]
    functions: tuple[Function, ...] = ()  # names are unique in the schema
    relations: tuple[Relation, ...] = ()  # names are unique, and none is also a type's name
    # names are unique among the attributes of any one type, inherited ones included
    attributes: tuple[Attribute, ...] = ()
    _lookup: _Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        types = {name: tuple(parents) for name, parents in self.types.items()}
        object.__setattr__(self, "types", MappingProxyType(types))
        for part in ("functions", "relations", "attributes"):
            object.__setattr__(self, part, tuple(getattr(self, part)))
        problems = find_problems(self._parts())
        if problems:
            raise make_error(f"schema {self.name!r}", problems)
        object.__setattr__(self, "_lookup", _Lookup(self))

    def __hash__(self) -> int:
        return self._lookup.hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (Schema, (self.name, dict(self.types), *self._parts()[2:]))

    def is_subtype(self, sub: TypeName, sup: TypeName) -> bool:
        """Return True if `sub` is `sup` or a descendant; a relation has no subtype but itself."""
        return sup in self._lookup.ancestors(sub)

    def ancestors(self, type_: TypeName) -> frozenset[TypeName]:
        """`type_` and all its ancestors."""
        return self._lookup.ancestors(type_) or self._refuse(type_)

    def subtypes(self, type_: TypeName) -> frozenset[TypeName]:
        """`type_` and all its descendants."""
        return self._lookup.subtypes(type_) or self._refuse(type_)

    def has_type(self, name: str) -> bool:
        """Return True if there is a type `name` (relations don't count)."""
        return name in self.types

    def has_relation(self, name: str) -> bool:
        """Return True if there is a relation `name`."""
        return name in self._lookup.relations

    def relation(self, name: RelationName) -> Relation:
        """The relation called `name`; SchemaError if there is none."""
        return _get(self._lookup.relations, name, "relation", self)

    def function(self, name: str) -> Function:
        """The function called `name`; SchemaError if there is none."""
        return _get(self._lookup.functions, name, "function", self)

    def functions_of(self, type_: TypeName) -> tuple[Function, ...]:
        """The functions that elements of `type_` have, inherited ones included."""
        self.ancestors(type_)
        return self._lookup.functions_of(type_)

    def attributes_of(self, type_: TypeName) -> tuple[Attribute, ...]:
        """The attributes that elements of `type_` may have, inherited ones included."""
        self.ancestors(type_)
        return tuple(self._lookup.attributes_of(type_).values())

    def attribute(self, type_: TypeName, name: str) -> Attribute:
        """The attribute `name` of elements of `type_`; SchemaError if there is none."""
        self.ancestors(type_)
        owned = self._lookup.attributes_of(type_)
        if name not in owned:
            raise SchemaError(describe_unknown_name("attribute", name, owned, f"type {type_!r}"))
        return owned[name]

    @property
    def derived(self) -> dict[object, Any]:
        """A cache for what others derive from the schema alone (inside this layer only)."""
        return self._lookup.derived

    @classmethod
    def from_dict(cls, data: Any) -> Schema:
        """Read a schema from plain data, in the shape that `cset/schema_data.py` shows."""
        return cls(*read_parts(data))

    @classmethod
    def from_yaml(cls, text: str, file: str = "schema text") -> Schema:
        """Read a schema from a YAML text, in the shape that `cset/schema_data.py` shows.

        Raises SchemaError with a line for each problem, and its place.
        """
        # YAML takes a while to import, and few who use schemas read any.
        from fcp_ros.foundation.yaml_text import TextError, parse_yaml

        try:
            source = parse_yaml(text)
        except TextError as error:
            problem = SchemaProblem((), str(error))
            raise SchemaError(_locate(file, error.line, problem), (problem,)) from error
        try:
            return cls.from_dict(source.data)
        except SchemaError as error:
            lines = [_locate(file, source.line_of(p.part), p) for p in error.problems]
            raise SchemaError("\n".join(lines), error.problems) from error

    def _refuse(self, type_: TypeName) -> NoReturn:
        where = f"schema {self.name!r}"
        raise SchemaError(describe_unknown_name("type", type_, self._lookup.names, where))

    def __str__(self) -> str:
        return format_schema(self._parts())

    def _parts(self) -> SchemaParts:
        return SchemaParts(self.name, self.types, self.functions, self.relations, self.attributes)


class _Lookup:
    """Indexes derived from a valid schema.

    What is said of one type is worked out when it is asked for: for all types of a long chain, it
    would be the square of their number.
    """

    __slots__ = (
        "_children",
        "_schema",
        "ancestors",
        "attributes_of",
        "derived",
        "functions",
        "functions_of",
        "hash",
        "names",
        "relations",
        "subtypes",
    )

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.relations = {relation.name: relation for relation in schema.relations}
        self.functions = {function.name: function for function in schema.functions}
        self.names = {**schema.types, **dict.fromkeys(self.relations, ())}
        self._children = map_children(schema.types)
        self.ancestors = cache(self._find_ancestors)
        self.subtypes = cache(self._find_subtypes)
        self.functions_of = cache(self._list_functions)
        self.attributes_of = cache(self._list_attributes)
        self.derived: dict[object, Any] = {}
        types = frozenset(schema.types.items())
        self.hash = hash((schema.name, types, *schema._parts()[2:]))

    def _find_ancestors(self, name: str) -> frozenset[str]:
        return closure((name,), self._schema.types) if name in self.names else frozenset()

    def _find_subtypes(self, name: str) -> frozenset[str]:
        return closure((name,), self._children) if name in self.names else frozenset()

    def _list_functions(self, name: str) -> tuple[Function, ...]:
        above = self.ancestors(name)
        return tuple(f for f in self._schema.functions if f.source in above)

    def _list_attributes(self, name: str) -> dict[str, Attribute]:
        above = self.ancestors(name)
        return {a.name: a for a in self._schema.attributes if a.owner in above}


def _locate(file: str, line: int | None, problem: SchemaProblem) -> str:
    return f"{file}: {problem.message}" if line is None else f"{file}:{line}: {problem.message}"


def _get(table: Mapping[str, _V], name: str, what: str, schema: Schema) -> _V:
    try:
        return table[name]
    except KeyError:
        message = describe_unknown_name(what, name, table, f"schema {schema.name!r}")
        raise SchemaError(message) from None
