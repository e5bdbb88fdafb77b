# SPDX-License-Identifier: Apache-2.0
"""A schema with everything in it, and the slow obvious twin of the homomorphism search."""

from collections.abc import Callable, Collection, Mapping
from itertools import product

import pytest
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    InstanceError,
    Morphism,
    Relation,
    Schema,
    morphism,
)

RICH = Schema(
    "rich",
    {"thing": (), "box": ("thing",), "robot": ()},
    (Function("home", "robot", "box"),),
    (
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("near", (("who", "robot"), ("what", "thing"))),
        Relation("closed", (("what", "box"),)),
    ),
    (Attribute("colour", "thing", AttributeKind.ENUM, ("red", "blue")),),
)

BruteForce = Callable[..., set[frozenset[tuple[int, int]]]]


@st.composite
def rich_instances(draw: st.DrawFn, most: int = 3) -> Instance:
    """Instances of RICH with at most so many things, boxes and robots of each kind."""
    builder = InstanceBuilder(RICH)
    colours = st.sampled_from([None, "red", "blue"])
    boxes = [_add(builder, "box", draw(colours)) for _ in range(draw(st.integers(1, most)))]
    things = [_add(builder, "thing", draw(colours)) for _ in range(draw(st.integers(0, most)))]
    robots = []
    for _ in range(draw(st.integers(0, 1))):
        robots.append(builder.add("robot"))
        builder.set_function("home", robots[-1], draw(st.sampled_from(boxes)))
    for relation, *legs in (
        ("on", boxes + things, boxes + things),
        ("near", robots, boxes + things),
        ("closed", boxes),
    ):
        for ids in draw(st.sets(st.sampled_from(sorted(product(*legs)) or [None]), max_size=4)):
            if ids is not None:
                builder.relate(str(relation), *ids)
    return builder.build()


def _add(builder: InstanceBuilder, type_: str, colour: str | None) -> int:
    return builder.add(type_, attributes={} if colour is None else {"colour": colour})


@pytest.fixture(scope="session")
def instances() -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for instances of the rich schema."""
    return rich_instances


@pytest.fixture(scope="session")
def brute_force() -> BruteForce:
    """All morphisms, found by trying every assignment of elements."""

    def search(
        pattern: Instance,
        target: Instance,
        monic: bool | Collection[str],
        initial: Mapping[int, int],
        allowed: Mapping[int, Collection[int]],
    ) -> set[frozenset[tuple[int, int]]]:
        elements = pattern.all_elements()
        found = set()
        for images in product(target.all_elements(), repeat=len(elements)):
            try:
                candidate = morphism(pattern, target, dict(zip(elements, images, strict=True)))
            except InstanceError:
                continue
            mapping = candidate.mapping
            if (
                _is_monic(candidate, monic)
                and all(mapping[id_] == image for id_, image in initial.items())
                and all(mapping[id_] in images for id_, images in allowed.items())
            ):
                found.add(frozenset(mapping.items()))
        return found

    return search


def _is_monic(candidate: Morphism, monic: bool | Collection[str]) -> bool:
    if isinstance(monic, bool):
        return candidate.is_monic or not monic
    schema = candidate.source.schema
    images = [
        image
        for id_, image in candidate.mapping.items()
        if any(schema.is_subtype(candidate.source.type_of(id_), type_) for type_ in monic)
    ]
    return len(set(images)) == len(images)
