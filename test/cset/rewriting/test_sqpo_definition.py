# SPDX-License-Identifier: Apache-2.0
"""The contexts of sesqui-pushout rewriting are pullback complements, and final ones."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from example_graphs import (
    GRAPH,
    REFLEXIVE_GRAPH,
    SYMMETRIC_GRAPH,
    graph,
    reflexive_graph,
    symmetric_graph,
)
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Rewrite,
    Rule,
    Schema,
    ViolationKind,
    difference,
    find_homs,
    identity,
    rewrite,
)
from fcp_ros.cset.limits.limits import pullback
from fcp_ros.cset.limits.presentation import representable
from fcp_ros.cset.rewriting.rule import Semantics

# How slow a machine is, and how many examples are no rules, is nothing to fail for.
UNCHECKED = [HealthCheck.filter_too_much, HealthCheck.too_slow]

OPEN_WORLD = Schema(
    "open world",
    {"item": (), "cup": ("item",), "place": ()},
    (Function("home", "cup", "place"),),
    (Relation("on", (("item", "item"), ("place", "place"))),),
    (
        Attribute("size", "item", AttributeKind.INT),
        Attribute("sure", "on", AttributeKind.FLOAT),
    ),
)


@st.composite
def drawn(draw: st.DrawFn, schema: Schema, most: int) -> Instance:
    """Instances of a schema of graphs, with at most so many vertices, or of the open world."""
    if schema is OPEN_WORLD:
        return draw(worlds(most))
    count = draw(st.integers(1, most))
    ends = st.integers(1, count)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=most))
    make = {GRAPH: graph, SYMMETRIC_GRAPH: symmetric_graph, REFLEXIVE_GRAPH: reflexive_graph}
    return make[schema](count, pairs)


@st.composite
def worlds(draw: st.DrawFn, most: int) -> Instance:
    builder = InstanceBuilder(OPEN_WORLD)
    places = [builder.add("place") for _ in range(draw(st.integers(1, most - 1)))]
    items = []
    for type_ in draw(st.lists(st.sampled_from(["item", "cup"]), min_size=1, max_size=most - 1)):
        items.append(builder.add(type_))
        builder.set_attribute(items[-1], "size", draw(st.sampled_from([None, 1, 2])))
        if type_ == "cup":
            builder.set_function("home", items[-1], draw(st.sampled_from(places)))
    pairs = st.tuples(st.sampled_from(items), st.sampled_from(places))
    for pair in sorted(draw(st.sets(pairs, max_size=2))):
        row = builder.relate("on", *pair)
        builder.set_attribute(row, "sure", draw(st.sampled_from([None, 0.5])))
    return builder.build()


@st.composite
def coverings(draw: st.DrawFn, left: Instance) -> Morphism:
    """A morphism to L that leaves out some of it and has some of it twice, with some attributes."""
    schema = left.schema
    counts = {e: draw(st.sampled_from([0, 1, 1, 2, 2])) for e in left.all_elements()}
    values = {
        e: [left.apply(f.name, e) for f in schema.functions_of(left.type_of(e))] for e in counts
    }
    while any(counts[e] and not all(counts[v] for v in values[e]) for e in counts):
        # What refers to something that is left out is left out.
        counts = {e: n if all(counts[v] for v in values[e]) else 0 for e, n in counts.items()}
    builder = InstanceBuilder(schema)
    over: dict[int, list[int]] = {}
    mapping: dict[int, int] = {}
    for element, count in counts.items():
        names = (f"{left.name_of(element)}_{number}" for number in range(count))
        over[element] = [builder.add(left.type_of(element), name) for name in names]
        mapping.update(dict.fromkeys(over[element], element))
    for copy, element in mapping.items():
        for function in schema.functions_of(left.type_of(element)):
            choices = over[left.apply(function.name, element)]
            builder.set_function(function.name, copy, draw(st.sampled_from(choices)))
    assume(not builder.violations())
    for relation in schema.relations:
        for row, legs in left.tuples(relation.name).items():
            for copies in product(*(over[leg] for leg in legs)):
                if draw(st.integers(0, 3)):
                    mapping[builder.relate(relation.name, *copies)] = row
    for copy, original in mapping.items():
        for name, value in left.attributes(original).items():
            builder.set_attribute(copy, name, value if draw(st.integers(0, 3)) else None)
    return Morphism(builder.build(), left, mapping)


@pytest.mark.parametrize(
    "schema",
    [GRAPH, SYMMETRIC_GRAPH, REFLEXIVE_GRAPH, OPEN_WORLD],
    ids=lambda schema: schema.name,
)
@settings(max_examples=40, deadline=None, suppress_health_check=UNCHECKED)
@given(data=st.data())
def test_the_context_is_the_final_pullback_complement(schema: Schema, data: st.DataObject) -> None:
    left = data.draw(drawn(schema, 2))
    leg = data.draw(coverings(left))
    state = data.draw(drawn(schema, 3))
    rule = Rule("r", leg, identity(leg.source), monic=False, semantics=Semantics.SQPO)
    matches = list(find_homs(left, state, monic=False, limit=6))
    assume(matches)
    match = data.draw(st.sampled_from(matches))
    outcome = rewrite(rule, match)
    if outcome.instance is None:
        kinds = {violation.kind for violation in outcome.violations}
        event(f"none: {sorted(kind.value for kind in kinds)}")
        if kinds == {ViolationKind.IDENTIFICATION} and schema is not OPEN_WORLD:
            over = all(is_over(leg, match, element) for element in left.all_elements())
            assert not over or clones_what_is_identified(leg, match)
        else:
            assert kinds <= {ViolationKind.IDENTIFICATION, ViolationKind.DANGLING}
            assert not keeps_types(match) or not match.is_monic
        return
    event("cloning" if not leg.is_monic else "monic")
    assert outcome.comatch is not None
    assert outcome.delta == difference(state, outcome.instance)
    down = to_state(outcome, state)
    assert down.violations() == ()
    # K, L, D and G are a pullback square.
    square = pullback(match, down)
    assert square.universal([leg, outcome.comatch]).is_iso
    # Any other way into G, with a map of its pullback to K over L, factors through D in one way.
    other = data.draw(drawn(schema, 2))
    for way in filter(keeps_types, find_homs(other, state, monic=False, limit=3)):
        corner = pullback(match, way)
        for lift in find_homs(corner.apex, leg.source, monic=False):
            if lift.compose(leg) == corner.projections[0]:
                event("factored")
                assert sum(1 for _ in factors(lift, corner.projections[1], way, outcome, down)) == 1


def keeps_types(morphism: Morphism) -> bool:
    source, target = morphism.source, morphism.target
    return all(source.type_of(e) == target.type_of(morphism(e)) for e in source.all_elements())


def clones_what_is_identified(leg: Morphism, match: Morphism) -> bool:
    """Whether K has several copies of each of some elements of L with one image: refused always."""
    copies = Counter(leg.mapping.values())
    images = Counter(match.mapping.values())
    return any(copies[id_] > 1 and images[image] > 1 for id_, image in match.mapping.items())


def is_over(leg: Morphism, match: Morphism, element: int) -> bool:
    """Whether what the largest candidate for D has over an element of L is what K has.

    Over an element of G, and so over the image of one of L, it has the maps to K over L from the
    pullback along the match of the representable map to G that is that element.
    """
    shape = representable(match.source.schema, match.source.type_of(element))
    (generator,) = shape.generators
    way = shape.universal(match.target, {generator: match(element)})
    corner = pullback(match, way)
    (here,) = (
        id_
        for id_ in corner.apex.all_elements()
        if corner.projections[0](id_) == element
        and corner.projections[1](id_) == shape.generators[generator]
    )
    lifts = [
        lift(here)
        for lift in find_homs(corner.apex, leg.source, monic=False)
        if lift.compose(leg) == corner.projections[0]
    ]
    return sorted(lifts) == [id_ for id_ in leg.source.all_elements() if leg(id_) == element]


def to_state(outcome: Rewrite, state: Instance) -> Morphism:
    """D -> G: copies go to what they are copies of."""
    assert outcome.instance is not None
    result = outcome.instance
    rows = (row for r in result.schema.relations for row in result.tuples(r.name))
    ids = (*result.all_elements(), *rows)
    return Morphism(result, state, {id_: outcome.origins.get(id_, id_) for id_ in ids})


def factors(
    lift: Morphism, over: Morphism, way: Morphism, outcome: Rewrite, down: Morphism
) -> Iterator[Morphism]:
    """The morphisms to D that lead on to `way`, and that `lift` is the pullback of."""
    assert outcome.instance is not None
    assert outcome.comatch is not None
    for candidate in find_homs(way.source, outcome.instance, monic=False):
        if candidate.compose(down) == way and candidate_agrees(candidate, lift, over, outcome):
            yield candidate


def candidate_agrees(candidate: Morphism, lift: Morphism, over: Morphism, outcome: Rewrite) -> bool:
    assert outcome.comatch is not None
    return all(candidate(over(corner)) == outcome.comatch(lift(corner)) for corner in over.mapping)
