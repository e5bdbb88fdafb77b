# SPDX-License-Identifier: Apache-2.0
"""Schemas: the types, functions, relations and attributes that an instance may have.

A schema presents a category: types are objects, functions are morphisms between them. A relation is
a span type: an object of its own whose legs are functions out of it (docs/design.md, "mutable
relations are reified"). `is_a` is an inclusion of types; everything that is declared for a type
holds for its subtypes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from fcp_ros.cset.schema.checks import closure, find_problems
from fcp_ros.cset.schema.data import format_schema, make_error, read_parts, write_data
from fcp_ros.cset.schema.symbols import (
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
)
from fcp_ros.foundation.wording import describe_unknown_name
from fcp_ros.foundation.yaml_text import TextError, dump_yaml, parse_yaml

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

_LINE_WIDTH = 100
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

    Raises:
        SchemaError: all that is wrong, at once.
    """

    name: str
    types: Mapping[TypeName, tuple[TypeName, ...]]
    functions: tuple[Function, ...] = ()
    relations: tuple[Relation, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    _lookup: "_Lookup" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Normalise the containers, check everything, and index it."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries and lists, in the shape that `schema/data.py` shows."""
        return write_data(self._parts())

    @classmethod
    def from_dict(cls, data: Any) -> "Schema":
        """Read the schema that `to_dict` described.

        Raises:
            SchemaError: a part is missing or of the wrong shape, or the schema is not valid.
        """
        return cls(*read_parts(data))

    def to_yaml(self) -> str:
        """Return the YAML text that `from_yaml` reads."""
        return dump_yaml(self.to_dict(), _LINE_WIDTH)

    @classmethod
    def from_yaml(cls, text: str, file: str = "schema text") -> "Schema":
        """Read a schema from a YAML text, in the shape that `schema/data.py` shows.

        Args:
            text: as `to_yaml` writes it.
            file: its source, for messages.

        Raises:
            SchemaError: it is no YAML or no valid schema; a line for each problem, with its place.
        """
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
        return SchemaParts(
            self.name,
            self.types,
            self.functions,
            self.relations,
            self.attributes,
        )


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
        self._children: dict[str, list[str]] = {}
        for name, parents in schema.types.items():
            for parent in parents:
                self._children.setdefault(parent, []).append(name)
        self.ancestors = cache(self._find_ancestors)
        self.subtypes = cache(self._find_subtypes)
        self.functions_of = cache(self._list_functions)
        self.attributes_of = cache(self._list_attributes)
        self.derived: dict[object, Any] = {}
        types = frozenset(schema.types.items())
        self.hash = hash((schema.name, types, *schema._parts()[2:]))

    def _find_ancestors(self, name: str) -> frozenset[str]:
        return closure(name, self._schema.types) if name in self.names else frozenset()

    def _find_subtypes(self, name: str) -> frozenset[str]:
        return closure(name, self._children) if name in self.names else frozenset()

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
