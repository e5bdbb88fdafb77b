# SPDX-License-Identifier: Apache-2.0
"""Maps of schemas: functors that express one schema in the words of another.

A schema presents a category, and a map of schemas a functor between two (Spivak, *Functorial data
migration*, 2012): it sends types to types, a function to a path of functions, and equal paths to
equal paths. Relations are spans: a relation goes to a relation, or to a type, and each of its legs
to a path from there. `is_a` is an inclusion: a subtype goes to a subtype. An attribute goes to an
attribute at the end of a path. Migrations go both ways along it: `delta_migration` pulls instances
of the target back, `sigma_migration` pushes instances of the source forward.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from fcp_ros.cset.migration.images import (
    AttributeImage,
    MigrationError,
    RelationImage,
    complete_attributes,
    complete_functions,
    complete_relations,
    complete_types,
)
from fcp_ros.cset.migration.path_congruence import Proof, prove_equal
from fcp_ros.cset.schema.schema import RelationName, Schema, SchemaError, TypeName
from fcp_ros.cset.schema.symbols import PathEquation
from fcp_ros.foundation.wording import describe_unknown_name

__all__ = ["AttributeImage", "RelationImage", "SchemaMap"]

PathLike: TypeAlias = str | Iterable[str]
"""A path: names in a sequence, or separated by dots in one text; the empty text is the empty path,
which stays where it is."""


@dataclass(frozen=True)
class SchemaMap:
    """A functor from one schema to another.

    An unlisted part goes to the part of the same name in the target.

    Attributes:
        source: the schema whose words are translated.
        target: the schema into whose words.
        types: the type, or relation, for each type.
        functions: the path for each function.
        relations: for each relation a relation or type, with a path from there for each leg.
        attributes: for each attribute, by owner and name or as ``"owner.name"``, the attribute at
            the end of a path, written ``"path.name"`` or as `AttributeImage`; None leaves it
            behind.
        bound: the most paths to look at in the search for the proof of an equation.
        unproven: the equations of the source that may or may not hold in the target; on an instance
            they are checked when it is pulled back.

    Raises:
        MigrationError: it is no functor; the message lists all problems.
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
        """Complete it by parts of the same name, and check it."""
        images: dict[str, dict[Any, Any]] = {
            "types": complete_types(self.source, self.types),
            "functions": complete_functions(self.source, self.functions),
            "relations": complete_relations(self.source, self.relations),
            "attributes": complete_attributes(self.source, self.attributes),
        }
        for part, complete in images.items():
            object.__setattr__(self, part, MappingProxyType(complete))
        problems = _find_problems(self)
        if problems:
            raise MigrationError(f"{self._describe()}: " + "; ".join(problems))
        broken, unproven = _check_equations(self)
        if broken:
            raise MigrationError(f"{self._describe()}: " + "; ".join(broken))
        object.__setattr__(self, "unproven", tuple(unproven))

    def __hash__(self) -> int:
        return hash((self.source, self.target, tuple(sorted(self.types.items()))))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.types, self.functions, self.relations, self.attributes)
        return (SchemaMap, (self.source, self.target, *map(dict, parts), self.bound))

    def image(self, type_: str) -> str:
        """Return the type or relation of the target for one of the source."""
        if type_ in self.relations:
            found: RelationImage = self.relations[type_]
            return found.target
        return self.types[type_]

    def path(self, source: str, path: Iterable[str]) -> tuple[str, ...]:
        """Return the path of the target for a path of the source.

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
        """Return this map followed by another one.

        Raises:
            MigrationError: the other one does not start where this one ends.
        """
        if after.source != self.target:
            raise MigrationError(
                f"{self._describe()} ends in {self.target.name!r}, but the next one starts in "
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
                key: None if image is None else self._compose_attribute(key[0], image, after)
                for key, image in self.attributes.items()
            },
            max(self.bound, after.bound),
        )

    def _compose_attribute(
        self, owner: str, image: AttributeImage, after: "SchemaMap"
    ) -> AttributeImage | None:
        start = self.image(owner)
        end = self.target.path_end(start, image.path)
        declared = self.target.attribute(end, image.name)
        found: AttributeImage | None = after.attributes[declared.owner, declared.name]
        if found is None:
            return None
        return AttributeImage((*after.path(start, image.path), *found.path), found.name)

    def _describe(self) -> str:
        return f"map of schemas from {self.source.name!r} to {self.target.name!r}"


# ---- the checks that a map must pass to be a functor


def _find_problems(map_: SchemaMap) -> list[str]:
    """Find all that is wrong with the images, apart from equations; empty if nothing is."""
    return [
        *_check_types(map_),
        *_check_functions(map_),
        *_check_relations(map_),
        *_check_attributes(map_),
    ]


def _check_equations(map_: SchemaMap) -> tuple[list[str], list[PathEquation]]:
    """Find the equations of the source that the target breaks, in words, and the unproven ones."""
    broken, unproven = [], []
    for equation in map_.source.equations:
        image = map_.image(equation.source)
        left, right = (map_.path(equation.source, p) for p in (equation.left, equation.right))
        proof = prove_equal(map_.target, image, left, right, map_.bound)
        if proof is Proof.UNKNOWN:
            unproven.append(equation)
        elif proof is Proof.DIFFERENT:
            broken.append(
                f"equation '{equation}' is not respected: '{PathEquation(image, left, right)}' "
                f"does not follow from the equations of {map_.target.name!r}; send its functions "
                "to other paths, or add the equation there"
            )
    return broken, unproven


def _check_types(map_: SchemaMap) -> Iterator[str]:
    target = map_.target
    for type_, image in map_.types.items():
        if not _has_object(target, image):
            yield f"type {type_!r} goes to {_describe_unknown(target, image)}"
    for type_, parents in map_.source.types.items():
        for parent in parents:
            image, above = map_.types[type_], map_.types[parent]
            if (
                _has_object(target, image)
                and _has_object(target, above)
                and not target.is_subtype(image, above)
            ):
                yield (
                    f"{type_!r} is_a {parent!r}, but its image {image!r} is no {above!r}; send "
                    "them to a type and one that is above it"
                )


def _check_functions(map_: SchemaMap) -> Iterator[str]:
    for function in map_.source.functions:
        path = map_.functions[function.name]
        yield from _check_path(
            map_, f"function {function.name!r}", map_.types[function.source], path, function.target
        )


def _check_relations(map_: SchemaMap) -> Iterator[str]:
    for relation in map_.source.relations:
        image = map_.relations[relation.name]
        if not _has_object(map_.target, image.target):
            unknown = _describe_unknown(map_.target, image.target)
            yield f"relation {relation.name!r} goes to {unknown}"
            continue
        for leg, type_ in relation.legs:
            what = f"leg {leg!r} of relation {relation.name!r}"
            yield from _check_path(map_, what, image.target, image.legs[leg], type_)


def _check_path(
    map_: SchemaMap, what: str, start: str, path: tuple[str, ...], end: str
) -> Iterator[str]:
    """Explain if a path does not lead from an image to the image of the type `end`."""
    target, wanted = map_.target, map_.types[end]
    if not _has_object(target, start) or not _has_object(target, wanted):
        return  # the types' own problem
    try:
        reached = target.path_end(start, path)
    except SchemaError as error:
        yield f"{what}: {error}"
        return
    if not target.is_subtype(reached, wanted):
        shown = ".".join((start, *path))
        yield f"{what} goes to path {shown!r}, which ends in {reached!r}; it must end in {wanted!r}"


def _check_attributes(map_: SchemaMap) -> Iterator[str]:
    for attribute in map_.source.attributes:
        image = map_.attributes[attribute.owner, attribute.name]
        start = map_.image(attribute.owner)
        if image is None or not _has_object(map_.target, start):
            continue
        what = f"attribute {attribute.name!r} of {attribute.owner!r}"
        try:
            found = map_.target.attribute(map_.target.path_end(start, image.path), image.name)
        except SchemaError as error:
            yield f"{what}: {error} (None leaves it behind)"
            continue
        if found.kind is not attribute.kind:
            yield (
                f"{what} has values of kind {attribute.kind.value}, but {found.name!r} of "
                f"{found.owner!r} of kind {found.kind.value}; send it to one of the same kind"
            )


def _has_object(schema: Schema, name: str) -> bool:
    return schema.has_type(name) or schema.has_relation(name)


def _describe_unknown(schema: Schema, name: str) -> str:
    known = (*schema.types, *(relation.name for relation in schema.relations))
    return describe_unknown_name("type", name, known, f"schema {schema.name!r}")
