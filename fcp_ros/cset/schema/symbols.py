# SPDX-License-Identifier: Apache-2.0
"""The parts of a schema: functions, relations, attributes, and their names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

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
