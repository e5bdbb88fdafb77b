# SPDX-License-Identifier: Apache-2.0
"""Joins on columns: blocks that are halved, buckets that are large, ids that are sparse."""

from collections.abc import Callable
from typing import Any

import numpy as np
from example_graphs import path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Instance, InstanceBuilder, Relation, Schema, find_homs
from fcp_ros.cset.search.column_join import ColumnJoin
from fcp_ros.cset.search.join_order import measure_by_column
from fcp_ros.cset.search.join_plan import Query, plan_join
from fcp_ros.cset.search.pattern import analyse_pattern

NETWORK = Schema("network", {"n": ()}, (), (Relation("r", (("a", "n"), ("b", "n"))),))


def network(nodes: int, pairs: list[tuple[int, int]], skipped: int = 0) -> Instance:
    """Nodes and pairs of them; the ids begin after a number of skipped ones."""
    builder = InstanceBuilder(NETWORK)
    for _ in range(skipped):
        builder.remove(builder.add("n"))
    ids = [builder.add("n") for _ in range(nodes)]
    for a, b in pairs:
        builder.relate("r", ids[a], ids[b])
    return builder.build()


def rows_by_iteration(pattern: Instance, target: Instance, **options: Any) -> list[list[int]]:
    return [list(hom.mapping.values()) for hom in find_homs(pattern, target, **options)]


def rows(columns: Any) -> list[list[int]]:
    return np.stack(list(columns), axis=1).tolist()


@settings(max_examples=50, deadline=None)
@given(data=st.data(), most=st.integers(1, 5))
def test_halved_blocks_change_nothing(
    data: st.DataObject, most: int, searches: Callable[..., Any]
) -> None:
    pattern, target, options = searches(data)
    homs = find_homs(pattern, target, **options)
    query = analyse_pattern(pattern)
    anchors = {query.index[id_]: image for id_, image in options["initial"].items()}
    allowed = {query.index[id_]: frozenset(c) for id_, c in options["allowed"].items()}
    monic = options["monic"] if isinstance(options["monic"], bool) else frozenset(options["monic"])
    asked = Query(monic, tuple(anchors), allowed, tuple(options["where"]))
    plan = plan_join(query, asked, target, measure_by_column)
    join = ColumnJoin(plan, asked, target, anchors, most_rows=most)
    expected = homs.columns().values()
    slots = range(len(query.slots))
    assert [c.tolist() for c in join.columns(slots, None)] == [c.tolist() for c in expected]
    assert join.count(None) == homs.count()
    assert join.count(2) == min(2, homs.count())
    assert [c.tolist() for c in join.columns(slots, 2)] == [c.tolist()[:2] for c in expected]


def test_hubs_are_looked_up_by_both_legs() -> None:
    # Every spoke goes to both hubs, and back: each bucket of a hub has all spokes, so that the
    # last atom of a cycle must be found by its two ends. Cycles hub-spoke-hub-spoke: hubs in 2
    # orders, spokes in 60 * 59.
    spokes = range(2, 62)
    target = network(62, [pair for s in spokes for h in (0, 1) for pair in ((h, s), (s, h))])
    square = network(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    homs = find_homs(square, target)
    columns = homs.columns()
    assert homs.count() == 2 * 2 * 60 * 59
    assert rows(columns.values()) == rows_by_iteration(square, target)


@settings(max_examples=40, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14),
    skipped=st.sampled_from([0, 9000]),
    monic=st.booleans(),
)
def test_sparse_ids(pairs: list[tuple[int, int]], skipped: int, monic: bool) -> None:
    # With 9000 ids skipped, the offsets are no longer one for each id.
    target = network(6, pairs, skipped)
    for shape in ([(0, 1), (1, 2), (2, 0)], [(0, 1), (0, 2), (1, 2)], [(0, 0), (0, 1)]):
        pattern = network(3, shape)
        columns = find_homs(pattern, target, monic=monic).columns()
        assert rows(columns.values()) == rows_by_iteration(pattern, target, monic=monic)


def test_patterns_with_much_to_be_different() -> None:
    pattern, target = path(80), path(82)
    homs = find_homs(pattern, target)
    assert homs.count() == 3
    assert rows(homs.columns().values()) == rows_by_iteration(pattern, target)
    assert find_homs(pattern, target, limit=2).count() == 2
    assert all(column.tolist() == [] for column in find_homs(pattern, path(79)).columns().values())


def test_the_empty_pattern_has_no_columns() -> None:
    homs = find_homs(path(0), path(3))
    assert homs.columns() == {}
    assert homs.count() == 1
