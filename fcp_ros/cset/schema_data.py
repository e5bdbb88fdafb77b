# SPDX-License-Identifier: Apache-2.0
"""The parts of a schema, also as plain dictionaries and lists, and as text for people.

The shape, which YAML and JSON files have too::

    name: kitchen
    types: {thing: [], mug: [thing]}                # each with its parents
    functions: {made_of: {source: thing, target: thing}}
    relations: {on: {legs: {item: mug, support: thing}, functional: [item], static: false}}
    attributes: [{name: colour, owner: thing, kind: enum, values: [red, white]}]

Everything but `name` and `types` may be left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, TypeVar

from fcp_ros.foundation.wording import describe_unknown_name

TypeName: TypeAlias = str
RelationName: TypeAlias = str
AttributeValue: TypeAlias = bool | int | float | str


@dataclass(frozen=True)
class SchemaProblem:
    """One thing that is wrong with a schema."""

    # where, by the keys and positions of the schema's text: ``("types", "mug")``
    part: tuple[str | int, ...]
    message: str


class SchemaError(ValueError):
    """A schema that contradicts itself, or a name that a schema does not have."""

    def __init__(self, message: str, problems: Iterable[SchemaProblem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


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


class SchemaParts(NamedTuple):
    """All parts that a schema declares, checked or not; the arguments of `Schema`."""

    name: str
    types: Mapping[TypeName, tuple[TypeName, ...]]
    functions: tuple[Function, ...] = ()
    relations: tuple[Relation, ...] = ()
    attributes: tuple[Attribute, ...] = ()


Part = tuple[str | int, ...]
T = TypeVar("T")


def read_parts(data: Any) -> SchemaParts:
    """Read the parts of a schema from data; the schema checks that they fit together."""
    reader = _Reader()
    top = reader.mapping(
        data, (), required=("name", "types"), optional=("functions", "relations", "attributes")
    )
    parts = SchemaParts(
        reader.text(top.get("name", "?"), ("name",)),
        {
            type_: reader.texts(parents, ("types", type_))
            for type_, parents in reader.entries(top.get("types", {}), ("types",))
        },
        tuple(
            Function(name, *reader.ends(entry, ("functions", name)))
            for name, entry in reader.entries(top.get("functions", {}), ("functions",))
        ),
        tuple(
            reader.relation(name, entry, ("relations", name))
            for name, entry in reader.entries(top.get("relations", {}), ("relations",))
        ),
        reader.items(top.get("attributes", []), "attributes", reader.attribute),
    )
    if reader.problems:
        raise make_error("not a schema", reader.problems)
    return parts


def make_error(what: str, problems: Sequence[SchemaProblem]) -> SchemaError:
    return SchemaError(f"{what}: " + "; ".join(problem.message for problem in problems), problems)


_NO_FUNCTION: tuple[str, str] = ("?", "?")


class _Reader:
    """Reads plain data and notes what has another shape; such parts are read as empty."""

    def __init__(self) -> None:
        self.problems: list[SchemaProblem] = []

    def mapping(
        self, data: Any, part: Part, *, required: Sequence[str], optional: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        where = f"`{_write_part(part)}`" if part else "a schema"
        keys = (*required, *optional)
        if not isinstance(data, Mapping):
            self._add(part, f"{where} must be a mapping with {', '.join(keys)}; it is {data!r}")
            return {}
        for key in data:
            if key not in keys:
                self._add((*part, key), describe_unknown_name("key", key, keys, where))
        for key in required:
            if key not in data:
                self._add(part, f"{where} lacks {key!r}; add it")
        # An empty section of a YAML text is null: the same as left out.
        return {key: data[key] for key in keys if data.get(key) is not None}

    def entries(self, data: Any, part: Part) -> Iterator[tuple[str, Any]]:
        if not isinstance(data, Mapping):
            self._add(part, f"`{_write_part(part)}` must be a mapping by names; it is {data!r}")
            return
        for name, entry in data.items():
            yield self.text(name, part), entry

    def items(self, data: Any, section: str, read: Callable[[Any, Part], T]) -> tuple[T, ...]:
        if not isinstance(data, (list, tuple)):
            self._add((section,), f"`{section}` must be a list; it is {data!r}")
            return ()
        return tuple([read(entry, (section, at)) for at, entry in enumerate(data)])

    def text(self, data: Any, part: Part) -> str:
        if isinstance(data, str):
            return data
        self._add(part, f"`{_write_part(part)}`: {data!r} must be a text; put it in quotes")
        return "?"

    def texts(self, data: Any, part: Part) -> tuple[str, ...]:
        if data is None:
            return ()
        if not isinstance(data, (list, tuple)):
            self._add(part, f"`{_write_part(part)}` must be a list of names; it is {data!r}")
            return ()
        return tuple(self.text(entry, (*part, at)) for at, entry in enumerate(data))

    def ends(self, data: Any, part: Part) -> tuple[str, str]:
        entry = self.mapping(data, part, required=("source", "target"))
        if len(entry) < 2:
            return _NO_FUNCTION
        source, target = (self.text(entry[key], (*part, key)) for key in ("source", "target"))
        return source, target

    def relation(self, name: str, data: Any, part: Part) -> Relation:
        entry = self.mapping(data, part, required=("legs",), optional=("functional", "static"))
        at = (*part, "legs")
        legs = tuple(
            (leg, self.text(type_, (*at, leg)))
            for leg, type_ in self.entries(entry.get("legs", {}), at)
        )
        static = entry.get("static", False)
        if not isinstance(static, bool):
            self._add((*part, "static"), f"`{_write_part(part)}.static` must be true or false")
        functional = self.texts(entry.get("functional", ()), (*part, "functional"))
        return Relation(name, legs, functional, static is True)

    def attribute(self, data: Any, part: Part) -> Attribute:
        required = ("name", "owner", "kind")
        entry = self.mapping(data, part, required=required, optional=("values",))
        name, owner, kind = (self.text(entry.get(key, "?"), (*part, key)) for key in required)
        kinds = [known.value for known in AttributeKind]
        if "kind" in entry and kind not in kinds:
            self._add(
                (*part, "kind"),
                describe_unknown_name("kind", kind, kinds, f"`{_write_part(part)}`"),
            )
        values = self.texts(entry.get("values", ()), (*part, "values"))
        known_kind = AttributeKind(kind) if kind in kinds else AttributeKind.STRING
        return Attribute(name, owner, known_kind, values)

    def _add(self, part: Part, message: str) -> None:
        self.problems.append(SchemaProblem(part, message))


def _write_part(part: Part) -> str:
    return ".".join(map(str, part))


def format_schema(parts: SchemaParts) -> str:
    """Return the parts of a schema, one a line, in the notation of the field."""
    sections = (
        ("types", map(_type, parts.types, parts.types.values())),
        ("functions", (f"{f.name}: {f.source} -> {f.target}" for f in parts.functions)),
        ("relations", map(_relation, parts.relations)),
        ("attributes", map(_attribute, parts.attributes)),
    )
    lines = [f"schema {parts.name}"]
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
