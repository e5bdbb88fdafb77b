# SPDX-License-Identifier: Apache-2.0
"""Match sets: always what a new search would find."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from example_graphs import graph, path
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
    SchemaError,
    find_homs,
)
from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.expressions import Comparator, ValueComparison, ValueVariable
from fcp_ros.cset.search.match_set import MatchSet
from fcp_ros.cset.search.pattern import analyse_pattern

Edited = Callable[..., tuple[Instance, Change]]


def mappings(matches: Any) -> set[frozenset[tuple[int, int]]]:
    found = [frozenset(match.mapping.items()) for match in matches]
    assert len(found) == len(set(found))
    return set(found)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_maintained_equals_recomputed(
    data: st.DataObject,
    instances: Callable[..., Any],
    edited: Edited,
    part_of: Callable[..., Instance],
) -> None:
    state = data.draw(instances(3))
    pattern = part_of(data, state, data.draw(st.integers(0, 4)))
    monic = data.draw(st.sampled_from([True, False, ["thing"]]))
    matches = MatchSet.of(pattern, state, monic=monic)
    for _ in range(data.draw(st.integers(1, 3))):
        previous, before = matches, mappings(matches)
        state, change = edited(data, state)
        matches = matches.update(state, change)
        after = mappings(find_homs(pattern, state, monic=monic))
        assert mappings(matches) == after
        assert len(matches) == len(after)
        assert mappings(matches.appeared) == after - before
        assert mappings(matches.vanished) == before - after
        assert mappings(previous) == before
        for match in matches:
            assert match.target is state
            assert not match.violations()
            assert match in matches


@settings(max_examples=60, deadline=None)
@given(
    moves=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(1, 4)), max_size=6)
)
def test_functions_that_change(moves: list[tuple[int, int, int]]) -> None:
    # Edges are elements here, with functions only; the pattern's vertices are in no tuple.
    start = graph(4, [(1, 2), (2, 3), (3, 4), (4, 1), (1, 1), (2, 4)])
    sets = [MatchSet.of(pattern, start, monic=False) for pattern in (path(3), graph(1, [(1, 1)]))]
    vertices, edges = start.elements("V"), start.elements("E")
    for edge, source, target in moves:
        builder = InstanceBuilder.of(sets[0].instance)
        builder.set_function("src", edges[edge], vertices[source - 1])
        builder.set_function("tgt", edges[edge], vertices[target - 1])
        state = builder.build()
        change = Change(functions=(("src", edges[edge]), ("tgt", edges[edge])))
        sets = [matches.update(state, change) for matches in sets]
        for matches in sets:
            assert mappings(matches) == mappings(find_homs(matches.pattern, state, monic=False))


def test_nothing_changed() -> None:
    matches = MatchSet.of(path(2), path(4))
    same = matches.update(matches.instance, Change())
    assert mappings(same) == mappings(matches)
    assert same.appeared == same.vanished == matches.appeared == matches.vanished == ()
    assert "3 matches" in repr(matches)


def test_what_is_no_match_is_not_in_it() -> None:
    pattern, state = path(2), path(3)
    matches = MatchSet.of(pattern, state)
    first, second = matches
    assert first in matches
    swapped = {**dict(first.mapping), pattern.id_of("v1"): second.mapping[pattern.id_of("v2")]}
    assert Morphism(pattern, state, swapped) not in matches
    assert Morphism(pattern, state, {}) not in matches
    assert "first" not in matches


def test_arguments_are_checked() -> None:
    with pytest.raises(SchemaError, match="edge"):
        MatchSet.of(path(2), path(3), monic=["edge"])


def test_the_empty_pattern_matches_once() -> None:
    matches = MatchSet.of(graph(0), graph(0))
    state = path(2)
    created = tuple(state.all_elements())
    assert len(matches) == len(matches.update(state, Change(created=created))) == 1


ROADS = Schema(
    "roads",
    {"town": ()},
    relations=(Relation("road", (("start", "town"), ("end", "town"))),),
    attributes=(
        Attribute("size", "town", AttributeKind.INT),
        Attribute("length", "road", AttributeKind.INT),
    ),
)


def roads(*lengths: int | ValueVariable | None) -> Instance:
    """A path of roads with these lengths, from town to town of size ?s."""
    builder = InstanceBuilder(ROADS)
    towns = [builder.add("town") for _ in range(len(lengths) + 1)]
    builder.set_attribute(towns[0], "size", ValueVariable("s"))
    for ends, length in zip(pairwise(towns), lengths, strict=True):
        builder.set_attribute(builder.relate("road", *ends), "length", length)
    return builder.build()


@settings(max_examples=80, deadline=None)
@given(
    pattern=st.sampled_from(
        [
            roads(None, 1),
            roads(ValueVariable("x"), ValueVariable("x")),
            roads(ValueVariable("s")),
            roads(ValueVariable("x"), ValueVariable("y")),
        ]
    ),
    larger=st.booleans(),
    edits=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([None, 1, 2, "gone"])),
        min_size=1,
        max_size=8,
    ),
)
def test_values_of_variables(
    pattern: Instance, larger: bool, edits: list[tuple[int, int, Any]]
) -> None:
    names = sorted(analyse_pattern(pattern).variables)
    where = (
        [ValueComparison(ValueVariable(names[0]), Comparator.LESS, ValueVariable(names[-1]))]
        if larger
        else []
    )
    builder = InstanceBuilder(ROADS)
    towns = [builder.add("town", attributes={"size": size}) for size in (1, 2, 3)]
    for pair in [(0, 1), (1, 2), (2, 2)]:
        builder.set_attribute(builder.relate("road", *(towns[i] for i in pair)), "length", 1)
    state = builder.build()
    matches = MatchSet.of(pattern, state, monic=False, where=where)
    for start, end, value in edits:
        ends = towns[start], towns[end]
        builder = InstanceBuilder.of(state)
        if value == "gone":
            builder.unrelate("road", *ends)
        elif start == end:
            builder.set_attribute(towns[start], "size", value)
        else:
            builder.set_attribute(builder.relate("road", *ends), "length", value)
        change = builder.change()
        state = builder.build()
        matches = matches.update(state, change)
        expected = list(find_homs(pattern, state, monic=False, where=where))
        assert mappings(matches) == mappings(expected)
        bound = {frozenset(match.mapping.items()): match.values for match in expected}
        for match in matches:
            assert match.values == bound[frozenset(match.mapping.items())]
            assert not match.violations()
