# SPDX-License-Identifier: Apache-2.0
"""Maps of schemas: how the words of one schema are said in another.

A schema presents a category, and a map of schemas a functor between two (Spivak, *Functorial data
migration*, 2012): it sends types to types, a function to a path of functions, and equal paths to
equal paths. Relations are spans: a relation goes to a relation, or to a type, and each of its legs
to a path from there. `is_a` is an inclusion: a subtype goes to a subtype. An attribute goes to an
attribute at the end of a path. Migrations go both ways along it: `delta_migration` pulls instances
of the target back, `sigma_migration` pushes instances of the source forward.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from fcp_ros.cset.migration.errors import MigrationError
from fcp_ros.cset.migration.map_check import checked_equations, problems_of
from fcp_ros.cset.migration.map_images import (
    AttributeImage,
    RelationImage,
    attribute_images,
    function_images,
    relation_images,
    type_images,
)
from fcp_ros.cset.schema.schema import RelationName, Schema, TypeName
from fcp_ros.cset.schema.symbols import PathEquation

__all__ = ["AttributeImage", "RelationImage", "SchemaMap"]

PathLike: TypeAlias = str | Iterable[str]
"""A path: names in a sequence, or separated by dots in one text; the empty text is the empty path,
which stays where it is."""


@dataclass(frozen=True)
class SchemaMap:
    """A functor from one schema to another.

    What is not listed goes to what has the same name in the target.

    Attributes:
        source: the schema whose words are translated.
        target: the schema into whose words.
        types: the type, or relation, for each type.
        functions: the path for each function.
        relations: for each relation a relation or type, with a path from there for each leg.
        attributes: for each attribute, by owner and name or as ``"owner.name"``, the attribute at
            the end of a path, written ``"path.name"`` or as `AttributeImage`. None says that it is
            left behind.
        bound: how many paths to look at in the search for the proof of an equation.
        unproven: the equations of the source of which it is not known whether the target respects
            them; those of an instance are checked when it is pulled back.

    Raises:
        MigrationError: it is no functor; the message says all that is wrong.
    """

    source: Schema
    target: Schema
    types: Mapping[TypeName, str] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)
    relations: Mapping[RelationName, Any] = field(default_factory=dict)
    attributes: Mapping[Any, Any] = field(default_factory=dict)
    bound: int = field(default=1_000, compare=False)
    unproven: tuple[PathEquation, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Complete it by what has the same name, and check it."""
        images: dict[str, dict[Any, Any]] = {
            "types": type_images(self.source, self.types),
            "functions": function_images(self.source, self.functions),
            "relations": relation_images(self.source, self.relations),
            "attributes": attribute_images(self.source, self.attributes),
        }
        for part, complete in images.items():
            object.__setattr__(self, part, MappingProxyType(complete))
        problems = problems_of(self)
        if problems:
            raise MigrationError(f"{self._named()}: " + "; ".join(problems))
        broken, unproven = checked_equations(self)
        if broken:
            raise MigrationError(f"{self._named()}: " + "; ".join(broken))
        object.__setattr__(self, "unproven", tuple(unproven))

    def __hash__(self) -> int:
        return hash((self.source, self.target, tuple(sorted(self.types.items()))))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.types, self.functions, self.relations, self.attributes)
        return (SchemaMap, (self.source, self.target, *map(dict, parts), self.bound))

    def image(self, type_: str) -> str:
        """The type or relation of the target for a type or relation of the source."""
        if type_ in self.relations:
            found: RelationImage = self.relations[type_]
            return found.target
        return self.types[type_]

    def path(self, source: str, path: Iterable[str]) -> tuple[str, ...]:
        """The path of the target for a path of the source.

        Args:
            source: the type or relation at which it starts.
            path: functions; at a relation, a leg comes first.
        """
        found: list[str] = []
        for position, step in enumerate(path):
            if position == 0 and source in self.relations:
                found.extend(self.relations[source].legs[step])
            else:
                found.extend(self.functions[step])
        return tuple(found)

    def then(self, after: "SchemaMap") -> "SchemaMap":
        """This map, then another one.

        Raises:
            MigrationError: the other one does not start where this one ends.
        """
        if after.source != self.target:
            raise MigrationError(
                f"{self._named()} ends in {self.target.name!r}, but the next one starts in "
                f"{after.source.name!r}; they must be the same schema"
            )
        return SchemaMap(
            self.source,
            after.target,
            {type_: after.image(image) for type_, image in self.types.items()},
            {
                function.name: after.path(
                    self.image(function.source), self.functions[function.name]
                )
                for function in self.source.functions
            },
            {
                name: RelationImage(
                    after.image(image.target),
                    {leg: after.path(image.target, path) for leg, path in image.legs.items()},
                )
                for name, image in self.relations.items()
            },
            {
                key: None if image is None else self._attribute_after(key[0], image, after)
                for key, image in self.attributes.items()
            },
            max(self.bound, after.bound),
        )

    def _attribute_after(
        self, owner: str, image: AttributeImage, after: "SchemaMap"
    ) -> AttributeImage | None:
        start = self.image(owner)
        end = self.target.path_end(start, image.path)
        declared = self.target.attribute(end, image.name)
        found: AttributeImage | None = after.attributes[declared.owner, declared.name]
        if found is None:
            return None
        return AttributeImage((*after.path(start, image.path), *found.path), found.name)

    def _named(self) -> str:
        return f"map of schemas from {self.source.name!r} to {self.target.name!r}"
