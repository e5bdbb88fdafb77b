# SPDX-License-Identifier: Apache-2.0
"""Random changes of small and large instances: all that is incremental equals the slow way.

The slow way keeps a plain description of the state (dicts and sets of names), and makes every
instance from it anew.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Fact,
    Function,
    Instance,
    InstanceBuilder,
    Relation,
    Schema,
    facts,
)
from fcp_ros.cset.draft import Change
from fcp_ros.cset.state_facts import Delta, delta_of, difference

HOUSE = Schema(
    "house",
    {"thing": (), "box": ("thing",), "room": ()},
    (Function("inside", "thing", "room"),),
    (
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("near", (("a", "thing"), ("b", "thing"))),
        Relation("lit", (("what", "room"),), ("what",)),
    ),
    (Attribute("mass", "thing", AttributeKind.INT), Attribute("gap", "near", AttributeKind.INT)),
)
TYPES = {"on": ("thing", "thing"), "near": ("thing", "thing"), "lit": ("room",)}


@dataclass
class Plain:
    """A state by names."""

    types: dict[str, str] = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)
    tuples: set[Fact] = field(default_factory=set)
    mass: dict[str, int] = field(default_factory=dict)
    gap: dict[Fact, int] = field(default_factory=dict)

    def copy(self) -> "Plain":
        parts = (self.types, self.inside, self.tuples, self.mass, self.gap)
        return Plain(*(part.copy() for part in parts))

    def things(self) -> list[str]:
        return [name for name, type_ in self.types.items() if type_ != "room"]

    def rooms(self) -> list[str]:
        return [name for name, type_ in self.types.items() if type_ == "room"]

    def unrelate(self, fact: Fact) -> None:
        self.tuples.discard(fact)
        self.gap.pop(fact, None)

    def remove(self, name: str) -> None:
        """Remove an element with all that refers to it."""
        for fact in [f for f in self.tuples if name in f.arguments]:
            self.unrelate(fact)
        for thing in [t for t, room in self.inside.items() if room == name]:
            self.remove(thing)
        for part in (self.types, self.inside, self.mass):
            part.pop(name, None)

    def instance(self) -> Instance:
        """The state, made from nothing."""
        builder = InstanceBuilder(HOUSE)
        for name, type_ in self.types.items():
            builder.add(type_, name)
        for name, room in self.inside.items():
            builder.set_function("inside", builder.id_of(name), builder.id_of(room))
        for fact in sorted(self.tuples):
            row = builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
            builder.set_attribute(row, "gap", self.gap[fact]) if fact in self.gap else None
        for name, mass in self.mass.items():
            builder.set_attribute(builder.id_of(name), "mass", mass)
        return builder.build()


def start_of(size: int) -> Plain:
    """A state with so many things in three rooms."""
    plain = Plain({"r0": "room", "r1": "room", "r2": "room"})
    for number in range(size):
        name = f"t{number}"
        plain.types[name] = "box" if number % 3 == 0 else "thing"
        plain.inside[name] = f"r{number % 2}"
        plain.mass[name] = number % 5
        if number:
            plain.tuples.add(Fact("on", (name, "t0" if number % 2 else f"t{number - 1}")))
            plain.tuples.add(Fact("near", (f"t{number // 2}", name)))
            plain.gap[Fact("near", (f"t{number // 2}", name))] = number
    return plain


class Edit:
    """Does the same to a builder and to the plain description."""

    def __init__(self, builder: InstanceBuilder, plain: Plain) -> None:
        self.builder = builder
        self.plain = plain
        self.made = 0

    def do(self, what: str, a: int, b: int) -> None:
        things, rooms = self.plain.things(), self.plain.rooms()
        if what == "add":
            # Sometimes under the name of an element that was there before.
            name = f"t{a % (2 * len(things) + 2)}"
            if name not in self.plain.types and rooms:
                self.add(name, "box" if b % 2 else "thing", rooms[b % len(rooms)])
        elif things:
            one, other = things[a % len(things)], things[b % len(things)]
            getattr(self, what)(one, other, a, b)

    def add(self, name: str, type_: str, room: str) -> None:
        element = self.builder.add(type_, name)
        self.builder.set_function("inside", element, self.builder.id_of(room))
        self.plain.types[name] = type_
        self.plain.inside[name] = room

    def remove(self, one: str, other: str, a: int, b: int) -> None:
        for fact in [f for f in self.plain.tuples if one in f.arguments]:
            self.forget(fact)
        self.builder.remove(self.builder.id_of(one))
        self.plain.remove(one)

    def move(self, one: str, other: str, a: int, b: int) -> None:
        for fact in [f for f in self.plain.tuples if f[0] == "on" and f.arguments[0] == one]:
            self.forget(fact)
        self.relate(Fact("on", (one, other)))

    def link(self, one: str, other: str, a: int, b: int) -> None:
        self.relate(Fact("near", (one, other)))

    def unlink(self, one: str, other: str, a: int, b: int) -> None:
        near = sorted(fact for fact in self.plain.tuples if fact.relation == "near")
        if near:
            self.forget(near[a % len(near)])

    def measure(self, one: str, other: str, a: int, b: int) -> None:
        near = sorted(fact for fact in self.plain.tuples if fact.relation == "near")
        if near:
            fact = near[a % len(near)]
            row = self.builder.relate(fact[0], *map(self.builder.id_of, fact.arguments))
            self.builder.set_attribute(row, "gap", b % 3 or None)
            self.plain.gap.pop(fact, None)
            if b % 3:
                self.plain.gap[fact] = b % 3

    def weigh(self, one: str, other: str, a: int, b: int) -> None:
        self.builder.set_attribute(self.builder.id_of(one), "mass", b % 3 or None)
        self.plain.mass.pop(one, None)
        if b % 3:
            self.plain.mass[one] = b % 3

    def carry(self, one: str, other: str, a: int, b: int) -> None:
        room = self.plain.rooms()[b % 3]
        self.builder.set_function("inside", self.builder.id_of(one), self.builder.id_of(room))
        self.plain.inside[one] = room

    def light(self, one: str, other: str, a: int, b: int) -> None:
        fact = Fact("lit", (self.plain.rooms()[b % 3],))
        if a % 2:
            self.relate(fact)
        else:
            self.forget(fact)

    def relate(self, fact: Fact) -> None:
        self.builder.relate(fact.relation, *map(self.builder.id_of, fact.arguments))
        self.plain.tuples.add(fact)

    def forget(self, fact: Fact) -> None:
        self.builder.unrelate(fact.relation, *map(self.builder.id_of, fact.arguments))
        self.plain.unrelate(fact)


KINDS = [
    "add", "remove", "move", "link", "unlink", "measure", "weigh", "carry", "light", "build",
]  # fmt: skip
edits = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 500), st.integers(0, 500)), max_size=30
)


def same_tables(state: Instance, slow: Instance) -> None:
    """Every index and set of the state holds what its elements and tuples say."""
    elements = state.element_table()
    for type_ in HOUSE.types:
        own = [e for e in state.all_elements() if HOUSE.is_subtype(state.type_of(e), type_)]
        assert list(state.elements(type_)) == own == sorted(own)
        assert elements.count(type_, HOUSE) == len(own)
    assert set(state.names()) == set(slow.names())
    assert [state.id_of(name) for name in state.names()] == list(state.all_elements())
    table = state.function_table("inside")
    for value in state.elements("room"):
        expected = [e for e in table.values if table.values[e] == value]
        assert list(table.preimages().get(value, ())) == expected == sorted(expected)
    for relation in HOUSE.relations:
        tuples = state.tuples(relation.name)
        rows = state.relation_table(relation.name)
        assert list(tuples) == sorted(tuples)
        assert len(rows.by_legs) == len(tuples)
        for row, legs in tuples.items():
            assert state.find_tuple(relation.name, legs) == row
        for position, (leg, type_) in enumerate(relation.legs):
            for element in state.elements(type_):
                expected = [row for row, legs in tuples.items() if legs[position] == element]
                assert list(state.tuples_at(relation.name, leg, element)) == expected


def same_state(state: Instance, plain: Plain) -> None:
    slow = plain.instance()
    assert state == slow
    assert slow == state
    assert hash(state) == hash(slow)
    assert facts(state) == plain.tuples
    assert {name: state.attribute(state.id_of(name), "mass") for name in plain.mass} == plain.mass
    same_tables(state, slow)


def slow_change(before: Instance, after: Instance) -> Change:
    """How two states that share their ids differ, by looking at everything."""

    def tuples(state: Instance) -> set[tuple[str, int, tuple[int, ...]]]:
        return {
            (relation, row, legs)
            for relation in TYPES
            for row, legs in state.tuples(relation).items()
        }

    def attributes(state: Instance) -> dict[tuple[str, int], Any]:
        ids = [*state.all_elements(), *(row for _, row, _ in tuples(state))]
        return {(name, id_): v for id_ in ids for name, v in state.attributes(id_).items()}

    old, new = set(before.all_elements()), set(after.all_elements())
    values = after.function_table("inside").values
    older = before.function_table("inside").values
    held = {*attributes(before).items()} ^ {*attributes(after).items()}
    return Change(
        tuple(sorted(new - old)),
        tuple(sorted(old - new)),
        tuple(sorted(tuples(after) - tuples(before), key=lambda entry: entry[1])),
        tuple(sorted(tuples(before) - tuples(after), key=lambda entry: entry[1])),
        tuple(sorted(("inside", e) for e in values if values[e] != older.get(e))),
        tuple(sorted({key for key, _ in held if after.contains(key[1])})),
    )


def slow_delta(before: Plain, after: Plain) -> Delta:
    def values(old: dict[Any, Any], new: dict[Any, Any], there: Any) -> set[Any]:
        changed = {k for k in old.keys() | new.keys() if old.get(k) != new.get(k)}
        return {(str(k), old.get(k), new.get(k)) for k in changed if k in there}

    mass = values(before.mass, after.mass, after.types)
    gap = values(before.gap, after.gap, after.tuples)
    return Delta(
        tuple(sorted(after.tuples - before.tuples)),
        tuple(sorted(before.tuples - after.tuples)),
        tuple(sorted(after.types.keys() - before.types.keys())),
        tuple(sorted(before.types.keys() - after.types.keys())),
        tuple(
            sorted(
                [(name, "mass", *rest) for name, *rest in mass]
                + [(name, "gap", *rest) for name, *rest in gap],
                key=lambda entry: entry[:2],
            )
        ),
        tuple(
            sorted(
                (name, "inside", old, new)
                for name, old, new in values(before.inside, after.inside, after.types)
            )
        ),
    )


@settings(max_examples=60, deadline=None)
@given(size=st.sampled_from([0, 2, 8, 8, 150]), steps=edits)
def test_changes_equal_the_slow_way(size: int, steps: list[tuple[str, int, int]]) -> None:
    first = start_of(size)
    states = [(first.instance(), first)]
    edit = Edit(InstanceBuilder.of(states[0][0]), first.copy())
    for what, a, b in [*steps, ("build", 0, 0)]:
        if what != "build":
            edit.do(what, a, b)
            continue
        before, old = states[-1]
        change = edit.builder.change()
        after = edit.builder.build()
        assert not edit.builder.change()
        assert change == slow_change(before, after)
        delta = slow_delta(old, edit.plain)
        assert delta_of(before, after, change) == delta
        assert difference(before, after) == delta
        assert bool(delta) == (before != after) or old.types != edit.plain.types
        states.append((after, edit.plain))
        edit.plain = edit.plain.copy()
    for state, plain in states[:1] + states[-2:]:
        same_state(state, plain)
    one, other = states[0], states[-1]
    assert (one[0] == other[0]) == (one[1] == other[1])


@settings(max_examples=15, deadline=None)
@given(steps=edits, others=edits)
def test_siblings_are_compared_by_content(
    steps: list[tuple[str, int, int]], others: list[tuple[str, int, int]]
) -> None:
    plain = start_of(140)
    parent = plain.instance()
    hash(parent)
    children = []
    for drawn in (steps, others, steps):
        edit = Edit(InstanceBuilder.of(parent), plain.copy())
        for what, a, b in drawn:
            if what != "build":
                edit.do(what, a, b)
        children.append((edit.builder.build(), edit.plain))
    for one, ours in children:
        for other, theirs in children:
            assert (one == other) == (ours == theirs)
            assert (hash(one) == hash(other)) or ours != theirs
    assert children[0][0].is_same(children[2][0])


def test_a_long_chain_stays_what_it_is() -> None:
    plain = start_of(160)
    edit = Edit(InstanceBuilder.of(plain.instance()), plain)
    kept = []
    for step in range(1200):
        edit.do("move", 7 * step + 1, 5 * step)
        if step % 2:
            edit.do("weigh", 3 * step, step)
        state = edit.builder.build()
        if step % 300 == 0:
            kept.append((state, plain.copy()))
            hash(state)
    for version, expected in (*kept, (state, plain)):
        same_state(version, expected)


def test_changes_of_a_builder_that_starts_from_nothing() -> None:
    builder = InstanceBuilder(HOUSE)
    room = builder.add("room")
    thing = builder.add("thing", attributes={"mass": 1})
    builder.set_function("inside", thing, room)
    row = builder.relate("near", thing, thing)
    builder.set_attribute(row, "gap", 2)
    assert builder.change() == Change(
        created=(room, thing),
        added=(("near", row, (thing, thing)),),
        functions=(("inside", thing),),
        attributes=(("gap", row), ("mass", thing)),
    )
    assert replace(builder.change()) == slow_change(InstanceBuilder(HOUSE).build(), builder.build())
