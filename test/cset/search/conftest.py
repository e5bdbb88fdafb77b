# SPDX-License-Identifier: Apache-2.0
"""The slow obvious twin of the homomorphism search, and searches with all their options."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import strategies as st

from fcp_ros.cset import Instance, InstanceBuilder

Mapping_ = frozenset[tuple[int, int]]
BruteForce = Callable[..., set[Mapping_]]
Search = tuple[Instance, Instance, dict[str, Any]]


@pytest.fixture(scope="session")
def brute_force() -> BruteForce:
    """All morphisms, found by trying every assignment of elements of the right types."""
    return all_morphisms


def all_morphisms(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool = True,
    initial: Mapping[int, int] | None = None,
) -> set[Mapping_]:
    """The mappings of the morphisms, by definition."""
    elements = pattern.all_elements()
    choices = [
        [
            image
            for image in target.all_elements()
            if pattern.schema.is_subtype(target.type_of(image), pattern.type_of(element))
        ]
        for element in elements
    ]
    found = set()
    for images in product(*choices):
        mapping = _with_tuples(pattern, target, dict(zip(elements, images, strict=True)))
        if (
            mapping is not None
            and _commutes(pattern, target, mapping)
            and (not monic or len(set(mapping.values())) == len(mapping))
            and all(mapping[id_] == image for id_, image in (initial or {}).items())
        ):
            found.add(frozenset(mapping.items()))
    return found


def _with_tuples(
    pattern: Instance, target: Instance, mapping: dict[int, int]
) -> dict[int, int] | None:
    """The mapping with the images of tuples; None where there is no such tuple."""
    for relation in pattern.schema.relations:
        for row, legs in pattern.tuples(relation.name).items():
            image = target.find_tuple(relation.name, tuple(mapping[leg] for leg in legs))
            if image is None:
                return None
            mapping[row] = image
    return mapping


def _commutes(pattern: Instance, target: Instance, mapping: Mapping[int, int]) -> bool:
    return all(
        target.apply(function.name, mapping[element])
        == mapping[pattern.apply(function.name, element)]
        for element in pattern.all_elements()
        for function in pattern.schema.functions_of(pattern.type_of(element))
    ) and all(
        target.attribute(image, name) == value
        for id_, image in mapping.items()
        for name, value in pattern.attributes(id_).items()
    )


@pytest.fixture(scope="session")
def searches(instances: Callable[..., Any]) -> Callable[[st.DataObject], Search]:
    """Draws a pattern, a target and options of `find_homs`, mostly so that something is found."""

    def draw(data: st.DataObject) -> Search:
        target = data.draw(instances(2, numbers=True))
        pattern, images = _occurring(data.draw, target)
        ids, there = [*images], [*target.all_elements(), *_rows(target), 999]
        fixed = data.draw(st.dictionaries(st.sampled_from(ids), st.booleans(), max_size=2))
        initial = {
            i: images[i] if right else data.draw(st.sampled_from(there))
            for i, right in fixed.items()
        }
        return pattern, target, {"monic": data.draw(st.booleans()), "initial": initial}

    return draw


def _occurring(draw: st.DrawFn, target: Instance) -> tuple[Instance, dict[int, int]]:
    """A pattern that occurs in the target, and an occurrence."""
    builder = InstanceBuilder(target.schema)
    images: dict[int, int] = {}
    for image in draw(st.lists(st.sampled_from(target.all_elements()), min_size=1, max_size=4)):
        own = target.type_of(image)
        type_ = draw(st.sampled_from(["thing", "box"])) if own == "box" else own
        images[builder.add(type_)] = image
    for robot in [element for element in images if builder.type_of(element) == "robot"]:
        home = builder.add("box")
        images[home] = target.apply("home", images[robot])
        builder.set_function("home", robot, home)
    for relation in target.schema.relations:
        for legs in product(images, repeat=len(relation.legs)):
            image = target.find_tuple(relation.name, tuple(images[leg] for leg in legs))
            fits = all(
                target.schema.is_subtype(builder.type_of(leg), type_)
                for leg, (_, type_) in zip(legs, relation.legs, strict=True)
            )
            if image is not None and fits and draw(st.booleans()):
                images[builder.relate(relation.name, *legs)] = image
    for id_, image in images.items():
        for name, value in target.attributes(image).items():
            wanted = draw(st.sampled_from([None, value]))
            declared = {
                a.name for a in target.schema.attributes_of(_type(builder, target, id_, image))
            }
            if name in declared:
                builder.set_attribute(id_, name, wanted)
    return builder.build(allow_conflicts=True), images


def _type(builder: InstanceBuilder, target: Instance, id_: int, image: int) -> str:
    own = target.type_of(image)
    return own if target.schema.has_relation(own) else builder.type_of(id_)


def _rows(instance: Instance) -> list[int]:
    return [row for relation in instance.schema.relations for row in instance.tuples(relation.name)]
