# SPDX-License-Identifier: Apache-2.0
"""The slow obvious twin of the homomorphism search, and searches with all their options."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import strategies as st

from fcp_ros.cset import AttributeValue, Instance, InstanceBuilder
from fcp_ros.cset.value_expressions import (
    Comparator,
    Operator,
    ValueComparison,
    ValueOperation,
    ValueVariable,
    variables_of,
)

Mapping_ = frozenset[tuple[int, int]]
Values = frozenset[tuple[str, AttributeValue]]
BruteForce = Callable[..., set[tuple[Mapping_, Values]]]
Search = tuple[Instance, Instance, dict[str, Any]]


@pytest.fixture(scope="session")
def brute_force() -> BruteForce:
    """All morphisms, found by trying every assignment of elements of the right types."""
    return all_morphisms


def all_morphisms(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
    where: Sequence[ValueComparison] = (),
) -> set[tuple[Mapping_, Values]]:
    """The (mapping, values of variables) pairs of the morphisms, by definition."""
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
        values = None if mapping is None else _values(pattern, target, mapping)
        if (
            mapping is not None
            and values is not None
            and _commutes(pattern, target, mapping)
            and _is_monic(pattern, mapping, monic)
            and all(mapping[id_] == image for id_, image in (initial or {}).items())
            and all(mapping[id_] in images for id_, images in (allowed or {}).items())
            and all(comparison.holds(values) for comparison in where)
        ):
            found.add((frozenset(mapping.items()), frozenset(values.items())))
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
    )


def _values(
    pattern: Instance, target: Instance, mapping: Mapping[int, int]
) -> dict[str, AttributeValue] | None:
    """What the variables are bound to; None where some attribute has the wrong value."""
    values: dict[str, AttributeValue] = {}
    for id_, image in mapping.items():
        for name, wanted in pattern.attributes(id_).items():
            value = target.attribute(image, name)
            if value is None:
                return None
            expected = (
                values.setdefault(wanted.name, value)
                if isinstance(wanted, ValueVariable)
                else wanted
            )
            if value != expected:
                return None
    return values


def _is_monic(pattern: Instance, mapping: Mapping[int, int], monic: bool | Collection[str]) -> bool:
    if monic is False:
        return True
    schema = pattern.schema
    images = [
        image
        for id_, image in mapping.items()
        if monic is True or any(schema.is_subtype(pattern.type_of(id_), type_) for type_ in monic)
    ]
    return len(set(images)) == len(images)


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
        some = st.frozensets(st.sampled_from(there), max_size=4)
        allowed = {
            id_: data.draw(some) | {images[id_]}
            for id_ in data.draw(st.lists(st.sampled_from(ids), max_size=2))
        }
        types = st.sampled_from(["thing", "box", "robot", "on", "near"])
        options = {
            "monic": data.draw(st.one_of(st.booleans(), st.lists(types, max_size=2))),
            "initial": initial,
            "allowed": allowed,
            "where": data.draw(_comparisons(pattern)),
        }
        return pattern, target, options

    return draw


def _occurring(draw: st.DrawFn, target: Instance) -> tuple[Instance, dict[int, int]]:
    """A pattern that occurs in the target (unless its variables do not fit), and an occurrence."""
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
            wanted = draw(
                st.sampled_from(
                    [None, value, ValueVariable("x"), ValueVariable("y"), ValueVariable("z")]
                )
            )
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


@st.composite
def _comparisons(draw: st.DrawFn, pattern: Instance) -> list[ValueComparison]:
    """Comparisons of the pattern's variables that stand for numbers only."""
    colours: set[str] = set()
    numbers: set[str] = set()
    for id_ in [*pattern.all_elements(), *_rows(pattern)]:
        for name, value in pattern.attributes(id_).items():
            (colours if name == "colour" else numbers).update(variables_of(value))
    names = [ValueVariable(name) for name in sorted(numbers - colours)]
    sums = [ValueOperation(Operator.ADD, (name, 1)) for name in names]
    comparisons = st.builds(
        ValueComparison,
        st.sampled_from([*names, *sums, 2]),
        st.sampled_from(Comparator),
        st.sampled_from([*names, 2]),
    )
    return draw(st.lists(comparisons, max_size=2))
