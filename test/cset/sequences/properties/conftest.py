# SPDX-License-Identifier: Apache-2.0
"""Drawn sequences of steps, in a small world of relations or in small graphs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, islice, product
from typing import Any

import pytest
from hypothesis import strategies as st

from fcp_ros.cset import (
    ApplicationCondition,
    Attribute,
    AttributeKind,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Relation,
    Rule,
    Schema,
    find_matches,
    inclusion,
    rewrite,
)
from fcp_ros.cset.conditions.conditions import Condition, CountCondition
from fcp_ros.cset.graphs import GRAPH
from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Operation,
    Operator,
    Variable,
)
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.applied_step import AppliedStep

Tuple = tuple[str, ...]
Holder = str | Tuple
Extension = tuple[Any, ...]

SMALL = Schema(
    "small",
    {"thing": (), "box": ("thing",)},
    relations=(
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("near", (("one", "thing"), ("other", "thing"))),
        Relation("flag", (("what", "thing"),)),
    ),
    attributes=(
        Attribute("level", "thing", AttributeKind.INT),
        Attribute("weight", "near", AttributeKind.INT),
    ),
)
X, XY = {"x": "thing"}, {"x": "thing", "y": "thing"}
LEVEL, V, W = ("x", "level"), Variable("v"), Variable("w")
NEAR = ("near", "x", "x")
WEIGHT: tuple[Holder, str] = (NEAR, "weight")


def _tuples_over(names: Sequence[str]) -> list[Tuple]:
    pairs = [("on", *pair) for pair in product(names, names)]
    return [
        *pairs,
        *(("near", *pair) for pair in combinations([*names, *names[:1]], 2)),
        *(("flag", n) for n in names),
    ]


def _some(names: Sequence[str], most: int) -> st.SearchStrategy[list[Tuple]]:
    return st.lists(st.sampled_from(_tuples_over(names)), max_size=most, unique=True)


@dataclass(frozen=True)
class Make:
    """How instances and rules are made from names."""

    world: Callable[..., Any]
    action: Callable[..., Any]


@st.composite
def _rules(draw: st.DrawFn, make: Make, attributes: bool, rich: bool) -> Rule:
    names = draw(st.sampled_from([X, XY, {"x": "box"}, {"x": "box", "y": "thing"}]))
    new = draw(st.sampled_from([{}, {}, {}, {"n": "box"}]))
    gone = draw(st.sampled_from([(), (), (), ("x",)]))
    when = draw(_some(list(names), 2))
    delete = draw(_some(list(names), 1))
    add = draw(_some([name for name in (*names, *new) if name not in gone] or ["x"], 2))
    if gone:
        delete, when = [*delete, *(t for t in when if "x" in t)], [t for t in when if "x" not in t]
        add = [entry for entry in add if "x" not in entry]
    conditions = draw(_conditions(list(names), rich))
    read: dict[tuple[Holder, str], Any] = {}
    sets: dict[tuple[Holder, str], Any] = {}
    where: list[Comparison] = []
    if attributes:
        read = draw(st.sampled_from([{}, {}, {LEVEL: 0}, {LEVEL: 1}]))
        sets = draw(st.sampled_from([{}, {}, {LEVEL: 0}, {LEVEL: 1}]))
        if read and draw(st.booleans()):
            sets = {LEVEL: None}
    if attributes and rich and draw(st.booleans()):
        read = {LEVEL: V}
        more = Operation(Operator.ADD, (V, 1))
        sets = draw(st.sampled_from([{}, {LEVEL: more}, {LEVEL: 1}, {LEVEL: None}]))
        where = draw(st.sampled_from([[], [Comparison(V, Comparator.LESS, 1)]]))
    if attributes and rich and not gone and draw(st.integers(0, 3)) == 0:
        # Tuples have attributes, too.
        if draw(st.booleans()):
            add, sets = [*add, NEAR], {**sets, WEIGHT: draw(st.sampled_from([0, 1]))}
        else:
            when = [*when, *([] if NEAR in when else [NEAR])]
            read = {**read, WEIGHT: draw(st.sampled_from([0, 1, W]))}
            sets = {**sets, WEIGHT: draw(st.sampled_from([0, 1, None]))}
    if gone:
        sets = {}
    made: Rule = make.action(
        SMALL,
        draw(st.sampled_from("abc")),
        names,
        when,
        delete=delete,
        add=[*add, *(entry for entry in when if entry in delete)],
        new=new,
        gone=gone,
        reads=read,
        sets=sets,
        where=where,
        monic=draw(st.booleans()),
        **conditions,
    )
    return made


@st.composite
def _conditions(draw: st.DrawFn, names: list[str], rich: bool) -> dict[str, list[Extension]]:
    """Conditions of all kinds; where rich, with everything that they may have."""
    extra = draw(st.sampled_from([{}, {"z": "thing"}, {"z": "box"}]))
    kinds = ["unless", "unless", "given", *(["number"] if rich else [])]
    found: dict[str, list[Extension]] = {"unless": [], "given": [], "number": []}
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=2)):
        options: dict[str, Any] = {}
        if rich:
            options["monic"] = draw(st.booleans())
            if draw(st.booleans()):
                holder = "z" if extra else "x"
                value = draw(st.sampled_from([0, 1, W]))
                options["reads"] = {(holder, "level"): value} if holder == "z" else {}
            if draw(st.integers(0, 2)) == 0:
                inner = draw(st.sampled_from(["nac", "pac"]))
                more = draw(st.sampled_from([{}, {"u": "thing"}]))
                entries = draw(_some([*names, *extra, *more], 1))
                options["nested"] = [(inner, (more, entries))]
        if kind == "number":
            options["at_least"] = draw(st.integers(0, 1))
            options["at_most"] = draw(st.sampled_from([1, 2, None]))
        found[kind].append((extra, draw(_some([*names, *extra], 2)), options))
    return found


@cache
def _toggles(make: Make, facts: tuple[Tuple, ...]) -> tuple[Rule, ...]:
    """Every rule that changes one of a few facts, under a condition on one or two of them.

    They are drawn from a list, each as likely as any other, so that they meet each other often.
    """
    about_any = [tuple("z" if name == "x" else name for name in fact) for fact in facts]
    groups = [[one] for one in (*facts, *about_any)]
    groups += [[one, other] for one in about_any for other in facts]
    nothing: list[Tuple] = []
    conditions: list[tuple[str, list[Tuple], dict[str, Any]]] = [("unless", nothing, {})] * 2
    for kind, options in (("unless", {}), ("unless", {"monic": True}), ("given", {})):
        conditions += [(kind, group, options) for group in groups]
    counted = {"at_least": 1, "at_most": 1}
    conditions += [("number", [one], counted) for one in about_any]
    return tuple(
        _toggle(make, changed, removes, condition)
        for changed in facts
        for removes in (True, False)
        for condition in conditions
    )


def _toggle(
    make: Make, changed: Tuple, removes: bool, condition: tuple[str, list[Tuple], dict[str, Any]]
) -> Rule:
    kind, entries, options = condition
    met = {name for entry in (changed, *entries) for name in entry[1:]}
    extra = {"z": "thing"} if "z" in met else {}
    made: Rule = make.action(
        SMALL,
        " ".join(changed),
        XY if "y" in met else X,
        delete=[changed] if removes else [],
        add=[] if removes else [changed],
        **({kind: [(extra, entries, options)]} if entries else {}),
    )
    return made


FACTS = (
    (("flag", "x"),),
    (("flag", "x"), ("near", "x", "x")),
    (("on", "x", "x"), ("on", "x", "y")),
    (("near", "x", "y"), ("flag", "y")),
)


@st.composite
def _states(draw: st.DrawFn, make: Make, most: int = 2) -> Instance:
    few = [(("a", "box"),), (("a", "thing"), ("b", "box"))]
    many = (("a", "thing"), ("b", "box"), ("c", "box"))
    elements = dict(draw(st.sampled_from([*few, many][: most + 1] if most > 2 else few)))
    drawn = draw(_some(list(elements), 4))
    facts = {entry[:2] if entry[0] == "on" else entry: entry for entry in drawn}
    values: dict[tuple[Holder, str], Any] = {
        (name, "level"): draw(st.integers(0, 1)) for name in elements if draw(st.booleans())
    }
    near = [entry for entry in facts.values() if entry[0] == "near"]
    values.update({(e, "weight"): draw(st.integers(0, 1)) for e in near if draw(st.booleans())})
    made: Instance = make.world(SMALL, elements, facts.values(), values)
    return made


# --- drawn rules of graphs, in which nothing is a relation


def _graph(vertices: Iterable[str], edges: Mapping[str, tuple[str, str]]) -> Instance:
    builder = InstanceBuilder(GRAPH)
    for vertex in vertices:
        builder.add("V", vertex)
    for name, ends in edges.items():
        edge = builder.add("E", name)
        for function, end in zip(("src", "tgt"), ends, strict=True):
            builder.set_function(function, edge, builder.id_of(end))
    return builder.build()


@st.composite
def _edges(
    draw: st.DrawFn, vertices: Sequence[str], letter: str, most: int
) -> dict[str, tuple[str, str]]:
    ends = st.tuples(st.sampled_from(vertices), st.sampled_from(vertices))
    drawn = draw(st.lists(ends, max_size=most)) if vertices else []
    return {f"{letter}{number}": pair for number, pair in enumerate(drawn)}


@st.composite
def _graphs(draw: st.DrawFn) -> Instance:
    vertices = ["a", "b", "c"][: draw(st.integers(1, 3))]
    return _graph(vertices, draw(_edges(vertices, "e", 3)))


@st.composite
def _graph_rules(draw: st.DrawFn) -> Rule:
    """Rules that delete and create vertices and edges, under conditions of all kinds."""
    before = ["x", "y"][: draw(st.integers(1, 2))]
    edges = draw(_edges(before, "e", 2))
    stays = [v for v in before if draw(st.integers(0, 3))]
    kept = {e: ends for e, ends in edges.items() if set(ends) <= {*stays} and draw(st.booleans())}
    after = [*stays, *(["n"] if draw(st.integers(0, 3)) == 0 else [])]
    new = draw(_edges(after, "f", 1))
    left, glue = _graph(before, edges), _graph(stays, kept)
    conditions = []
    for kind in draw(st.lists(st.sampled_from(["nac", "nac", "pac", "count"]), max_size=1)):
        around = [*before, *draw(st.sampled_from([[], ["z"]]))]
        larger = (around, {**edges, **draw(_edges(around, "g", 1))})
        pattern = _graph(*larger)
        nested: list[Condition] = []
        if draw(st.integers(0, 2)) == 0:
            further = _graph([*around, "u"], {**larger[1], **draw(_edges([*around, "u"], "h", 1))})
            inner = ConditionKind(draw(st.sampled_from(["nac", "pac"])))
            nested.append(ApplicationCondition(inner, "inner", inclusion(pattern, further)))
        options: dict[str, Any] = {"monic": draw(st.booleans()), "nested": tuple(nested)}
        include = inclusion(left, pattern)
        if kind == "count":
            conditions.append(CountCondition(kind, include, draw(st.integers(0, 1)), 2, **options))
        else:
            conditions.append(ApplicationCondition(ConditionKind(kind), kind, include, **options))
    legs = (inclusion(glue, left), inclusion(glue, _graph(after, {**kept, **new})))
    return Rule("g", *legs, tuple(conditions), draw(st.booleans()))


@st.composite
def _sequences(
    draw: st.DrawFn,
    make: Make,
    most: int,
    *,
    attributes: bool = True,
    rich: bool = False,
    graphs: bool = False,
    semantics: Sequence[Semantics] = (Semantics.DPO,),
) -> tuple[Instance, list[AppliedStep]]:
    """A state and a sequence of steps from it."""
    number = draw(st.integers(2, 4))
    if graphs:
        state = draw(_graphs())
        pool = [draw(_graph_rules()) for _ in range(number)]
    else:
        state = draw(_states(make))
        toggles = st.sampled_from(_toggles(make, draw(st.sampled_from(FACTS))))
        drawn = _rules(make, attributes, rich) if draw(st.integers(0, 2)) == 0 else toggles
        pool = [draw(drawn) for _ in range(number)]
    pool = [replace(rule, semantics=draw(st.sampled_from(semantics))) for rule in pool]
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


@pytest.fixture(scope="session")
def small_states(world: Any, action: Any) -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for small states, with so many elements at most."""
    return partial(_states, Make(world, action))


@pytest.fixture(scope="session")
def small_graphs() -> Callable[..., st.SearchStrategy[Instance]]:
    """The strategy for small graphs."""
    return _graphs


@pytest.fixture(scope="session")
def sequences(
    world: Any, action: Any
) -> Callable[..., st.SearchStrategy[tuple[Instance, list[AppliedStep]]]]:
    """The strategy for sequences of steps from small states, or graphs."""
    return partial(_sequences, Make(world, action))
