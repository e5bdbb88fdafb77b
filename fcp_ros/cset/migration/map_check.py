# SPDX-License-Identifier: Apache-2.0
"""The checks that a map of schemas must pass to be a functor."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fcp_ros.cset.migration.path_congruence import Proof, prove_equal
from fcp_ros.cset.schema.schema import Schema, SchemaError
from fcp_ros.cset.schema.symbols import PathEquation
from fcp_ros.foundation.wording import describe_unknown_name

if TYPE_CHECKING:
    from fcp_ros.cset.migration.schema_map import SchemaMap


def problems_of(map_: "SchemaMap") -> list[str]:
    """All that is wrong with the images, equations apart; empty where nothing is."""
    return [
        *_type_problems(map_),
        *_function_problems(map_),
        *_relation_problems(map_),
        *_attribute_problems(map_),
    ]


def checked_equations(map_: "SchemaMap") -> tuple[list[str], list[PathEquation]]:
    """Which equations of the source the target breaks, in words, and of which it is not known."""
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


def _type_problems(map_: "SchemaMap") -> Iterator[str]:
    target = map_.target
    for type_, image in map_.types.items():
        if not _has_object(target, image):
            yield f"type {type_!r} goes to {_unknown(target, image)}"
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


def _function_problems(map_: "SchemaMap") -> Iterator[str]:
    for function in map_.source.functions:
        path = map_.functions[function.name]
        yield from _path_problems(
            map_, f"function {function.name!r}", map_.types[function.source], path, function.target
        )


def _relation_problems(map_: "SchemaMap") -> Iterator[str]:
    for relation in map_.source.relations:
        image = map_.relations[relation.name]
        if not _has_object(map_.target, image.target):
            yield f"relation {relation.name!r} goes to {_unknown(map_.target, image.target)}"
            continue
        for leg, type_ in relation.legs:
            what = f"leg {leg!r} of relation {relation.name!r}"
            yield from _path_problems(map_, what, image.target, image.legs[leg], type_)


def _path_problems(
    map_: "SchemaMap", what: str, start: str, path: tuple[str, ...], end: str
) -> Iterator[str]:
    """Why a path does not lead from an image to the image of the type `end`."""
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


def _attribute_problems(map_: "SchemaMap") -> Iterator[str]:
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


def _unknown(schema: Schema, name: str) -> str:
    known = (*schema.types, *(relation.name for relation in schema.relations))
    return describe_unknown_name("type", name, known, f"schema {schema.name!r}")
