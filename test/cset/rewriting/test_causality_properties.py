# SPDX-License-Identifier: Apache-2.0
"""Every order that the dependencies admit replays to the same state, and for two steps no other."""

from collections.abc import Callable, Sequence
from itertools import combinations, islice, product
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    Relation,
    Rule,
    Schema,
    find_matches,
    rewrite,
)
from fcp_ros.cset.rewriting.applied_step import AppliedStep
from fcp_ros.cset.rewriting.causality import dependencies
from fcp_ros.cset.rewriting.replay import Replay, replay

SMALL = Schema(
    "small",
    {"thing": (), "box": ("thing",)},
    relations=(
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("near", (("one", "thing"), ("other", "thing"))),
        Relation("flag", (("what", "thing"),)),
    ),
    attributes=(Attribute("level", "thing", AttributeKind.INT),),
)
X, XY = {"x": "thing"}, {"x": "thing", "y": "thing"}
Make = Callable[..., Any]


def tuples_over(names: Sequence[str]) -> list[tuple[str, ...]]:
    pairs = [("on", *pair) for pair in product(names, names)]
    return [
        *pairs,
        *(("near", *pair) for pair in combinations(names, 2)),
        *(("flag", n) for n in names),
    ]


def some(names: Sequence[str], most: int) -> st.SearchStrategy[list[tuple[str, ...]]]:
    return st.lists(st.sampled_from(tuples_over(names)), max_size=most, unique=True)


@st.composite
def rules(draw: st.DrawFn, action: Make, attributes: bool = True) -> Rule:
    names = draw(st.sampled_from([X, XY, {"x": "box"}, {"x": "box", "y": "thing"}]))
    new = draw(st.sampled_from([{}, {}, {}, {"n": "box"}]))
    gone = draw(st.sampled_from([(), (), (), ("x",)]))
    when = draw(some(list(names), 2))
    delete = draw(some(list(names), 1))
    add = draw(some([name for name in (*names, *new) if name not in gone] or ["x"], 2))
    if gone:
        delete, when = [*delete, *(t for t in when if "x" in t)], [t for t in when if "x" not in t]
        add = [entry for entry in add if "x" not in entry]
    extra = draw(st.sampled_from([{}, {"z": "thing"}, {"z": "box"}]))
    conditions: dict[str, list[Any]] = {"unless": [], "given": []}
    for kind in draw(st.lists(st.sampled_from(["unless", "unless", "given"]), max_size=2)):
        conditions[kind].append((extra, draw(some([*names, *extra], 2))))
    reads: dict[tuple[str, str], int] = {}
    sets: dict[tuple[str, str], int | None] = {}
    if attributes:
        reads = draw(st.sampled_from([{}, {}, {("x", "level"): 0}, {("x", "level"): 1}]))
        sets = draw(st.sampled_from([{}, {}, {("x", "level"): 0}, {("x", "level"): 1}]))
        if reads and draw(st.booleans()):
            sets = {("x", "level"): None}
    made: Rule = action(
        SMALL,
        draw(st.sampled_from("abc")),
        names,
        when,
        delete=delete,
        add=[*add, *(entry for entry in when if entry in delete)],
        new=new,
        gone=gone,
        reads=reads,
        sets=sets,
        monic=draw(st.booleans()),
        **conditions,
    )
    return made


@st.composite
def toggles(draw: st.DrawFn, action: Make, attributes: bool = True) -> Rule:
    """Rules that change a little, under a condition that other rules change."""
    facts = [("flag", "x"), ("near", "x", "x"), ("on", "x", "x")]
    others = [*facts, ("flag", "z"), ("near", "z", "z"), ("on", "x", "z")]
    changed = draw(st.sampled_from([*facts, ("on", "x", "y"), ("on", "x", "y")]))
    removes = draw(st.booleans())
    kind = draw(st.sampled_from(["unless", "unless", "given", "nothing"]))
    entries = draw(st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True))
    extra = {"z": "thing"} if any("z" in entry for entry in entries) else {}
    made: Rule = action(
        SMALL,
        draw(st.sampled_from("abc")),
        XY if "y" in changed else X,
        delete=[changed] if removes else [],
        add=[] if removes else [changed],
        **({} if kind == "nothing" else {kind: [(extra, entries)]}),
    )
    return made


@st.composite
def sequences(
    draw: st.DrawFn, world: Make, action: Make, most: int, attributes: bool = True
) -> tuple[Instance, list[AppliedStep]]:
    """A state and a sequence of steps from it."""
    elements = dict(draw(st.sampled_from([(("a", "box"),), (("a", "thing"), ("b", "box"))])))
    facts = {
        entry[:2] if entry[0] == "on" else entry: entry for entry in draw(some(list(elements), 4))
    }
    levels = {(name, "level"): draw(st.integers(0, 1)) for name in elements if draw(st.booleans())}
    state: Instance = world(SMALL, elements, facts.values(), levels)
    kind = st.sampled_from([rules, toggles])
    pool = [draw(draw(kind)(action, attributes)) for _ in range(draw(st.integers(2, 4)))]
    steps: list[AppliedStep] = []
    while len(steps) < most:
        now = steps[-1].after if steps else state
        choices = [
            (rule, match)
            for rule in pool
            for match in islice(find_matches(rule, now), 6)
            if rewrite(rule, match).instance is not None
        ]
        if not choices:
            break
        steps.append(AppliedStep.of(*draw(st.sampled_from(choices))))
    return state, steps


def same(outcome: Replay, steps: Sequence[AppliedStep]) -> bool:
    """Whether a replay came to the same state, element by element."""
    last = steps[-1].after
    images = {id_: outcome.images.get(id_, id_) for id_ in last.all_elements()}
    return (
        outcome.failed is None
        and {image: last.type_of(id_) for id_, image in images.items()}
        == {id_: outcome.instance.type_of(id_) for id_ in outcome.instance.all_elements()}
        and all(
            outcome.instance.attributes(image) == last.attributes(id_)
            for id_, image in images.items()
        )
        and all(
            {tuple(images[leg] for leg in legs) for legs in last.tuples(relation.name).values()}
            == set(outcome.instance.tuples(relation.name).values())
            for relation in last.schema.relations
        )
    )


@settings(max_examples=120, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_every_linear_extension_replays_to_the_same_state(
    data: st.DataObject, seed: int, world: Make, action: Make
) -> None:
    state, steps = data.draw(sequences(world, action, 5))
    assume(len(steps) > 1)
    found = dependencies(steps)
    random = Random(seed)
    orders = {found.order.sample(random) for _ in range(8)}
    for order in (*orders, *islice(found.order.linear_extensions(), 4)):
        outcome = replay(state, steps, order)
        assert outcome.failed is None, (order, outcome.failed, outcome.violations)
        assert same(outcome, steps), (order, found.dependencies)


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_two_steps_are_ordered_only_where_they_cannot_be_swapped(
    data: st.DataObject, world: Make, action: Make
) -> None:
    # What a step reads of attributes is protected as it was; so there are none here.
    state, steps = data.draw(sequences(world, action, 2, attributes=False))
    assume(len(steps) == 2)
    swapped = replay(state, steps, (1, 0))
    found = dependencies(steps)
    assert found.order.are_independent(0, 1) == same(swapped, steps), found.dependencies
