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
from enum import Enum
from functools import cache
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias, TypeVar

from fcp_ros.foundation.wording import describe_unknown_name

TypeName: TypeAlias = str
RelationName: TypeAlias = str
AttributeValue: TypeAlias = bool | int | float | str


class SchemaError(ValueError):
    """A schema that contradicts itself, or a name that a schema does not have."""


class AttributeKind(str, Enum):
    """The kind of the values of an attribute."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STRING = "string"
    ENUM = "enum"


@dataclass(frozen=True)
class Function:
    """A total function: every element of `source` (and its subtypes) has one value in `target`."""

    name: str
    source: TypeName
    target: TypeName


@dataclass(frozen=True)
class Relation:
    """A set of tuples over its legs; the tuples are elements too, of the type `name`."""

    name: RelationName
    # (leg, type) in order; one leg makes a unary relation, a flag
    legs: tuple[tuple[str, TypeName], ...]
    # legs that are keys: at most one tuple for each element in that leg
    functional: tuple[str, ...] = ()
    static: bool = False  # True if no rule may change it

    @property
    def keys(self) -> tuple[int, ...]:
        """The positions of the functional legs, in the order of the legs."""
        return tuple(n for n, (leg, _) in enumerate(self.legs) if leg in self.functional)

    def position(self, leg: str) -> int:
        """Index of the leg called `leg`."""
        for index, (name, _) in enumerate(self.legs):
            if name == leg:
                return index
        where = f"relation {self.name!r}"
        raise SchemaError(describe_unknown_name("leg", leg, (name for name, _ in self.legs), where))


@dataclass(frozen=True)
class Attribute:
    """A partial attribute of elements of `owner` and its subtypes, or of a relation's tuples."""

    name: str  # unique among the attributes of any one type or relation
    owner: TypeName
    kind: AttributeKind
    values: tuple[str, ...] = ()  # the admissible ones where the kind is ENUM


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


def find_problems(schema: Schema) -> list[str]:
    """Find all that is wrong with the parts of a schema; empty if it is valid."""
    return [
        *_check_names(schema),
        *_check_types(schema.types),
        *_check_cycles(schema.types),
        *_check_functions(schema),
        *(problem for r in schema.relations for problem in _check_relation(r, schema.types)),
        *_check_attributes(schema),
    ]


def _check_names(schema: Schema) -> Iterator[str]:
    types = [*schema.types, *(relation.name for relation in schema.relations)]
    functions = [function.name for function in schema.functions]
    for what, names in (("type or relation", types), ("function", functions)):
        for name in _find_repeated(names):
            yield f"{what} {name!r} is declared twice; rename or remove one"
    legs = [leg for relation in schema.relations for leg, _ in relation.legs]
    attributes = [attribute.name for attribute in schema.attributes]
    for name in [*types, *functions, *legs, *attributes]:
        if not isinstance(name, str) or not name:
            yield f"{name!r} is no name; names are texts that are not empty"


def _check_types(types: Types) -> Iterator[str]:
    for name, parents in types.items():
        for parent in parents:
            if parent not in types:
                yield describe_unknown_name("type", parent, types, f"the parents of type {name!r}")


def _check_cycles(types: Types) -> Iterator[str]:
    """Report each group of types that are each other's ancestors."""
    try:
        TopologicalSorter(types).prepare()
    except CycleError:  # the search that tells all of them is not linear
        yield from _list_cycles(types)


def _list_cycles(types: Types) -> Iterator[str]:
    seen: set[str] = set()
    for name in types:
        if name not in seen:
            cycle = _find_cycle(name, types)
            if cycle:
                group = closure((name,), types)
                seen |= {other for other in group if name in closure((other,), types)}
                shown = " is_a ".join(map(repr, cycle))
                yield f"is_a forms a cycle: {shown}; remove one of these"


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


def _check_functions(schema: Schema) -> Iterator[str]:
    types = schema.types
    for function in schema.functions:
        for end in (function.source, function.target):
            if end not in types:
                yield describe_unknown_name("type", end, types, f"function {function.name!r}")


def _check_relation(relation: Relation, types: Types) -> Iterator[str]:
    where = f"relation {relation.name!r}"
    legs = [leg for leg, _ in relation.legs]
    if not legs:
        yield f"{where} has no legs; give it at least one"
    for leg in _find_repeated(legs):
        yield f"leg {leg!r} is declared twice of {where}"
    for leg, type_ in relation.legs:
        if type_ not in types:
            yield describe_unknown_name("type", type_, types, f"leg {leg!r} of {where}")
    for leg in relation.functional:
        if leg not in legs:
            yield describe_unknown_name("leg", leg, legs, where)


def _check_attributes(schema: Schema) -> Iterator[str]:
    types, attributes = schema.types, schema.attributes
    owners = (*types, *(relation.name for relation in schema.relations))
    for attribute in attributes:
        where = f"attribute {attribute.name!r}"
        if attribute.owner not in owners:
            yield describe_unknown_name("type", attribute.owner, owners, f"the owner of {where}")
        if (attribute.kind is AttributeKind.ENUM) != bool(attribute.values):
            owner = f"{where} of {attribute.owner!r}"
            yield f"{owner}: values are listed for kind enum, and only there"
        for value in _find_repeated(attribute.values):
            owner = f"{where} of {attribute.owner!r}"
            yield f"value {value!r} is listed twice for {owner}; once will do"
    declared = Counter(attribute.name for attribute in attributes)
    several = [attribute for attribute in attributes if declared[attribute.name] > 1]
    for name in owners if several else ():
        above = closure((name,), types)
        for repeated in _find_repeated([a.name for a in several if a.owner in above]):
            yield f"attribute {repeated!r} is declared twice of type {name!r}; rename one"


def _find_repeated(names: Sequence[str]) -> list[str]:
    """The names that occur more than once, each once."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]


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
        problems = find_problems(self)
        if problems:
            raise SchemaError(f"schema {self.name!r}: {'; '.join(problems)}")
        object.__setattr__(self, "_lookup", _Lookup(self))

    def __hash__(self) -> int:
        return self._lookup.hash

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.functions, self.relations, self.attributes
        return (Schema, (self.name, dict(self.types), *parts))

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

    def _refuse(self, type_: TypeName) -> NoReturn:
        where = f"schema {self.name!r}"
        raise SchemaError(describe_unknown_name("type", type_, self._lookup.names, where))


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
        parts = schema.functions, schema.relations, schema.attributes
        self.hash = hash((schema.name, types, *parts))

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


def _get(table: Mapping[str, _V], name: str, what: str, schema: Schema) -> _V:
    try:
        return table[name]
    except KeyError:
        message = describe_unknown_name(what, name, table, f"schema {schema.name!r}")
        raise SchemaError(message) from None
