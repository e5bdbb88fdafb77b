# SPDX-License-Identifier: Apache-2.0
"""Limits and colimits of instances with attribute variables, by brute force over all morphisms."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Schema,
)
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.limits.colimits import pushout
from fcp_ros.cset.limits.diagrams import LimitError, Square, list_ids
from fcp_ros.cset.limits.limits import pullback

WEIGHTED = Schema(
    "weighted",
    {"thing": ()},
    (),
    (Relation("near", (("one", "thing"), ("other", "thing"))),),
    (
        Attribute("size", "thing", AttributeKind.INT),
        Attribute("far", "near", AttributeKind.INT),
    ),
)

Homs = Callable[[Instance, Instance], list[Morphism]]
Cones = Callable[..., list[tuple[Morphism, ...]]]
Into = Callable[..., st.SearchStrategy[list[Morphism]]]


@st.composite
def weighted(draw: st.DrawFn) -> Instance:
    values = st.sampled_from([None, 1, 2, ValueVariable("n"), ValueVariable("m")])
    builder = InstanceBuilder(WEIGHTED)
    things = [builder.add("thing") for _ in range(draw(st.integers(0, 2)))]
    for element in things:
        builder.set_attribute(element, "size", draw(values))
    for pair in (
        draw(st.sets(st.tuples(*[st.sampled_from(things)] * 2), max_size=2)) if things else ()
    ):
        builder.set_attribute(builder.relate("near", *pair), "far", draw(values))
    return builder.build()


def key(hom: Morphism) -> Any:
    """What a morphism does to elements and to variables."""
    values = {name: value for name, value in hom.values.items() if value != ValueVariable(name)}
    return frozenset(hom.mapping.items()), frozenset(values.items())


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_pushouts_are_universal_among_instances_with_variables(
    data: Any, into: Into, homs: Homs, cocones: Cones
) -> None:
    shared, *parts, vertex = (data.draw(weighted()) for _ in range(4))
    legs = [data.draw(into(part, shared))[0] for part in parts]
    starts = [leg.target for leg in legs]
    found = cocones(vertex, starts, [Square(0, legs[0], 1, legs[1])])
    try:
        colimit = pushout(*legs)
    except LimitError:
        assert not found
        return
    through = {key(hom) for hom in homs(colimit.apex, vertex)}
    assert len(through) == len(found)
    for cocone in found:
        hom = colimit.universal(cocone)
        assert key(hom) in through
        for injection, leg in zip(colimit.injections, cocone, strict=True):
            assert key(injection.compose(hom)) == key(leg)


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_pullbacks_are_universal_for_cones_that_bind_alike(
    data: Any, into: Into, homs: Homs, cones: Cones
) -> None:
    base, first, second, vertex = (data.draw(weighted()) for _ in range(4))
    limit = pullback(*data.draw(into(base, first, second)))
    ends = [projection.target for projection in limit.projections]
    found = [
        cone
        for cone in cones(vertex, ends, limit.squares)
        if len({key(leg)[1] for leg in cone}) == 1
    ]
    through = {key(hom) for hom in homs(vertex, limit.apex)}
    assert len(through) == len(found)
    for cone in found:
        hom = limit.universal(cone)
        assert key(hom) in through
        for projection, leg in zip(limit.projections, cone, strict=True):
            assert all(projection(hom(id_)) == leg(id_) for id_ in list_ids(vertex))
