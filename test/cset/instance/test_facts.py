# SPDX-License-Identifier: Apache-2.0
"""Facts in and out, and deltas between states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cset import (
    Fact,
    InstanceBuilder,
    InstanceError,
    Relation,
    Schema,
    SchemaError,
    difference,
    facts,
    with_facts,
)

ROOMS = Schema(
    "rooms",
    {"thing": (), "room": ()},
    relations=(
        Relation("at", (("who", "thing"), ("where", "room")), ("who",)),
        Relation("dirty", (("room", "room"),)),
    ),
)
NAMES = {"thing": ["t1", "t2"], "room": ["r1", "r2", "r3"]}
ALL_FACTS = [
    *(Fact("at", (thing, room)) for thing in NAMES["thing"] for room in NAMES["room"]),
    *(Fact("dirty", (room,)) for room in NAMES["room"]),
]


def rooms() -> InstanceBuilder:
    builder = InstanceBuilder(ROOMS)
    for type_, names in NAMES.items():
        for name in names:
            builder.add(type_, name)
    return builder


fact_sets = st.frozensets(st.sampled_from(ALL_FACTS))


@given(start=fact_sets, add=fact_sets, remove=fact_sets)
def test_with_facts_is_set_arithmetic(
    start: frozenset[Fact], add: frozenset[Fact], remove: frozenset[Fact]
) -> None:
    before = with_facts(rooms().build(), add=start, allow_conflicts=True)
    after = with_facts(before, add=add, remove=remove, allow_conflicts=True)
    assert facts(before) == start
    assert facts(after) == (start - remove) | add
    delta = difference(before, after)
    assert set(delta.added) == facts(after) - facts(before)
    assert set(delta.removed) == facts(before) - facts(after)
    back = with_facts(after, add=delta.removed, remove=delta.added, allow_conflicts=True)
    assert back == before
    assert hash(back) == hash(before)
    assert bool(delta) == (before != after)
    # What survives keeps its id: only new tuples get new ones.
    for name in ("at", "dirty"):
        for row, legs in before.tuples(name).items():
            if after.find_tuple(name, legs) is not None:
                assert after.find_tuple(name, legs) == row


def test_only_some_relations() -> None:
    state = with_facts(rooms().build(), add=ALL_FACTS, allow_conflicts=True)
    assert facts(state, ["dirty"]) == {Fact("dirty", (room,)) for room in NAMES["room"]}
    with pytest.raises(SchemaError, match=r"no relation 'drity'.*did you mean 'dirty'"):
        facts(state, ["drity"])


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        (Fact("at", ("t9", "r1")), "no element 't9' in the instance"),
        (Fact("at", ("r1", "t1")), "leg 'who' must be a 'thing'; 'r1' is a 'room'"),
        (Fact("dirty", ("r1", "r2")), "'dirty' has 1 legs"),
    ],
)
def test_a_fact_that_does_not_fit_is_refused(fact: Fact, message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        with_facts(rooms().build(), add=[fact])
