# SPDX-License-Identifier: Apache-2.0
"""The images of the parts of a schema under a map; shorthands and omitted parts filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fcp_ros.cset.schema.schema import Schema
from fcp_ros.foundation.wording import describe_unknown_name


class MigrationError(ValueError):
    """A map that is no functor, or an instance that has no counterpart in the other schema."""


Path = tuple[str, ...]


@dataclass(frozen=True)
class RelationImage:
    """The image of a relation.

    Attributes:
        target: a relation or a type of the target schema.
        legs: for each leg the path from there to its element; an unlisted leg goes to the leg or
            function of the same name.
    """

    target: str
    legs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Write the paths out."""
        legs = {leg: to_path(path) for leg, path in self.legs.items()}
        object.__setattr__(self, "legs", MappingProxyType(legs))

    def __hash__(self) -> int:
        return hash((self.target, tuple(sorted(self.legs.items()))))

    def __reduce__(self) -> tuple[Any, ...]:
        return (RelationImage, (self.target, dict(self.legs)))


@dataclass(frozen=True)
class AttributeImage:
    """The image of an attribute.

    Attributes:
        path: from the owner's image to the element or tuple that has the attribute.
        name: of the attribute there.
    """

    path: Path
    name: str


def to_path(path: Any) -> Path:
    """Make a path from a sequence of names, or from names with dots between them."""
    if isinstance(path, str):
        return tuple(path.split(".")) if path else ()
    return tuple(path)


def complete_types(schema: Schema, given: Mapping[str, str]) -> dict[str, str]:
    """Return the image of each type; if not given, the type of the same name."""
    _check_names("type", given, schema.types, schema)
    return {name: given.get(name, name) for name in schema.types}


def complete_functions(schema: Schema, given: Mapping[str, Any]) -> dict[str, Path]:
    """Return the path for each function."""
    names = [function.name for function in schema.functions]
    _check_names("function", given, names, schema)
    return {name: to_path(given.get(name, (name,))) for name in names}


def complete_relations(schema: Schema, given: Mapping[str, Any]) -> dict[str, RelationImage]:
    """Return the image of each relation, with all its legs."""
    _check_names("relation", given, [relation.name for relation in schema.relations], schema)
    images = {}
    for relation in schema.relations:
        image = given.get(relation.name, relation.name)
        image = image if isinstance(image, RelationImage) else RelationImage(image)
        legs = [leg for leg, _ in relation.legs]
        for leg in image.legs:
            if leg not in legs:
                raise MigrationError(
                    describe_unknown_name("leg", leg, legs, f"relation {relation.name!r}")
                )
        paths = {leg: image.legs.get(leg, (leg,)) for leg in legs}
        images[relation.name] = RelationImage(image.target, paths)
    return images


def complete_attributes(
    schema: Schema, given: Mapping[Any, Any]
) -> dict[tuple[str, str], AttributeImage | None]:
    """Return the image of each attribute by owner and name; None if it is left behind."""
    keys = {(a.owner, a.name): ".".join((a.owner, a.name)) for a in schema.attributes}
    complete = {
        (tuple(key.rsplit(".", 1)) if isinstance(key, str) else tuple(key)): image
        for key, image in given.items()
    }
    for key in complete:
        if key not in keys:
            where = f"schema {schema.name!r}"
            name = ".".join(map(str, key))
            raise MigrationError(describe_unknown_name("attribute", name, keys.values(), where))
    return {key: _to_attribute_image(complete.get(key, key[1])) for key in keys}


def _to_attribute_image(image: Any) -> AttributeImage | None:
    if image is None or isinstance(image, AttributeImage):
        return image
    *path, name = to_path(image) or ("",)
    return AttributeImage(tuple(path), name)


def _check_names(what: str, given: Mapping[str, Any], known: Any, schema: Schema) -> None:
    for name in given:
        if name not in known:
            raise MigrationError(
                describe_unknown_name(what, name, known, f"schema {schema.name!r}")
            )
