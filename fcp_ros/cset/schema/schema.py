# SPDX-License-Identifier: Apache-2.0
"""Schemas: which types, functions, relations and attributes an instance may have.

A schema presents a category: types are objects, functions are morphisms between them. A relation is
a span type: an object of its own whose legs are functions out of it (DESIGN section 4, "mutable
relations are reified"). `is_a` is an inclusion of types; everything that is declared for a type
holds for its subtypes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from fcp_ros.cset.schema.names import unknown_name
from fcp_ros.cset.schema.schema_check import closure, problems_of
from fcp_ros.cset.schema.symbols import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Function,
    PathEquation,
    Relation,
    RelationName,
    SchemaError,
    TypeName,
)

__all__ = [
    "Attribute",
    "AttributeKind",
    "AttributeValue",
    "Function",
    "PathEquation",
    "Relation",
    "RelationName",
    "Schema",
    "SchemaError",
    "TypeName",
]

_V = TypeVar("_V")


@dataclass(frozen=True)
class Schema:
    """A schema is a value: validated on construction, hashable, comparable.

    Attributes:
        name: for messages.
        types: each type with its direct parents; several are allowed.
        functions: names are unique in the schema.
        relations: names are unique, and none is also a type's name.
        attributes: names are unique among the attributes of any one type, inherited ones included.
        equations: between paths of functions and legs; every instance obeys them.

    Raises:
        SchemaError: all that is wrong, at once.
    """

    name: str
    types: Mapping[TypeName, tuple[TypeName, ...]]
    functions: tuple[Function, ...] = ()
    relations: tuple[Relation, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    equations: tuple[PathEquation, ...] = ()
    _lookup: "_Lookup" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Normalise the containers, check everything, and index it."""
        types = {name: tuple(parents) for name, parents in self.types.items()}
        object.__setattr__(self, "types", MappingProxyType(types))
        for part in ("functions", "relations", "attributes", "equations"):
            object.__setattr__(self, part, tuple(getattr(self, part)))
        problems = problems_of(
            self.types, self.functions, self.relations, self.attributes, self.equations
        )
        if problems:
            raise SchemaError(f"schema {self.name!r}: " + "; ".join(problems))
        object.__setattr__(self, "_lookup", _Lookup(self))

    def __hash__(self) -> int:
        return self._lookup.hash

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.functions, self.relations, self.attributes, self.equations)
        return (Schema, (self.name, dict(self.types), *parts))

    def is_subtype(self, sub: TypeName, sup: TypeName) -> bool:
        """Whether `sub` is `sup` or a descendant of it; a relation is a subtype of itself only."""
        return sup in self._lookup.ancestors.get(sub, ())

    def ancestors(self, type_: TypeName) -> frozenset[TypeName]:
        """`type_` and all its ancestors."""
        return _get(self._lookup.ancestors, type_, "type", self)

    def subtypes(self, type_: TypeName) -> frozenset[TypeName]:
        """`type_` and all its descendants."""
        return _get(self._lookup.subtypes, type_, "type", self)

    def has_type(self, name: str) -> bool:
        """Whether there is a type `name` (relations don't count)."""
        return name in self.types

    def has_relation(self, name: str) -> bool:
        """Whether there is a relation `name`."""
        return name in self._lookup.relations

    def relation(self, name: RelationName) -> Relation:
        """The relation called `name`; SchemaError where there is none."""
        return _get(self._lookup.relations, name, "relation", self)

    def function(self, name: str) -> Function:
        """The function called `name`; SchemaError where there is none."""
        return _get(self._lookup.functions, name, "function", self)

    def functions_of(self, type_: TypeName) -> tuple[Function, ...]:
        """The functions that elements of `type_` have, inherited ones included."""
        return _get(self._lookup.functions_of, type_, "type", self)

    def attributes_of(self, type_: TypeName) -> tuple[Attribute, ...]:
        """The attributes that elements of `type_` may have, inherited ones included."""
        return tuple(_get(self._lookup.attributes_of, type_, "type", self).values())

    def attribute(self, type_: TypeName, name: str) -> Attribute:
        """The attribute `name` of elements of `type_`; SchemaError where there is none."""
        owned = _get(self._lookup.attributes_of, type_, "type", self)
        if name not in owned:
            raise SchemaError(unknown_name("attribute", name, owned, f"type {type_!r}"))
        return owned[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, for YAML and JSON; `from_dict` reads them back."""
        return {
            "name": self.name,
            "types": {name: list(parents) for name, parents in self.types.items()},
            "functions": [
                {"name": f.name, "source": f.source, "target": f.target} for f in self.functions
            ],
            "relations": [
                {
                    "name": r.name,
                    "legs": [{"name": leg, "type": type_} for leg, type_ in r.legs],
                    "functional": list(r.functional),
                    "static": r.static,
                }
                for r in self.relations
            ],
            "attributes": [
                {"name": a.name, "owner": a.owner, "kind": a.kind.value, "values": list(a.values)}
                for a in self.attributes
            ],
            "equations": [
                {"source": e.source, "left": list(e.left), "right": list(e.right)}
                for e in self.equations
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Schema":
        """The schema that `to_dict` described.

        Raises:
            SchemaError: a part is missing or of the wrong shape, or the schema is not valid.
        """
        try:
            return cls(
                name=data["name"],
                types={name: tuple(parents) for name, parents in data["types"].items()},
                functions=tuple(Function(**entry) for entry in data.get("functions", ())),
                relations=tuple(_relation_of(entry) for entry in data.get("relations", ())),
                attributes=tuple(_attribute_of(entry) for entry in data.get("attributes", ())),
                equations=tuple(_equation_of(entry) for entry in data.get("equations", ())),
            )
        except SchemaError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SchemaError(
                f"not a schema ({type(error).__name__}: {error}); "
                "it needs the shape that Schema.to_dict writes"
            ) from error


class _Lookup:
    """Indexes derived from a valid schema."""

    __slots__ = (
        "ancestors",
        "attributes_of",
        "functions",
        "functions_of",
        "hash",
        "relations",
        "subtypes",
    )

    def __init__(self, schema: Schema) -> None:
        above = {name: closure(name, schema.types) for name in schema.types}
        self.relations = {relation.name: relation for relation in schema.relations}
        self.functions = {function.name: function for function in schema.functions}
        self.ancestors = {**above, **{name: frozenset((name,)) for name in self.relations}}
        self.subtypes = {
            name: frozenset(sub for sub, sups in self.ancestors.items() if name in sups)
            for name in self.ancestors
        }
        self.functions_of = {
            name: tuple(f for f in schema.functions if f.source in sups)
            for name, sups in self.ancestors.items()
        }
        self.attributes_of: dict[str, dict[str, Attribute]] = {
            name: {a.name: a for a in schema.attributes if a.owner in sups}
            for name, sups in self.ancestors.items()
        }
        types = frozenset(schema.types.items())
        parts = (schema.functions, schema.relations, schema.attributes, schema.equations)
        self.hash = hash((schema.name, types, *parts))


def _get(table: Mapping[str, _V], name: str, what: str, schema: Schema) -> _V:
    try:
        return table[name]
    except KeyError:
        message = unknown_name(what, name, table, f"schema {schema.name!r}")
        raise SchemaError(message) from None


def _relation_of(entry: Mapping[str, Any]) -> Relation:
    legs = tuple((leg["name"], leg["type"]) for leg in entry["legs"])
    functional = tuple(entry.get("functional", ()))
    return Relation(entry["name"], legs, functional, bool(entry.get("static", False)))


def _attribute_of(entry: Mapping[str, Any]) -> Attribute:
    values = tuple(entry.get("values", ()))
    return Attribute(entry["name"], entry["owner"], AttributeKind(entry["kind"]), values)


def _equation_of(entry: Mapping[str, Any]) -> PathEquation:
    return PathEquation(entry["source"], tuple(entry["left"]), tuple(entry["right"]))
