# SPDX-License-Identifier: Apache-2.0
"""Random goals with counts and preferences: their meaning as documented, evaluated and planned.

Each goal is made together with its meaning in plain Python (docs/goals.md, "How it adds up"), which
knows nothing of expressions.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, evaluate, infer_types, parse_domain, parse_expression
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal import division

DOMAIN = """
domain: shelves
version: "1.0"
types: {thing: [], item: [thing], support: [thing]}
relations:
  on: {legs: {item: item, support: support}, functional: [item]}
  clean: {legs: {item: item}}
  belongs: {legs: {item: item, support: support}, static: true}
attributes:
  category: {of: thing, kind: string}
rules:
  move:
    parameters: {item: item, from: support, to: support}
    when: ['on(item, from)', 'not on(?any, to)']
    delete: ['on(item, from)']
    add: ['on(item, to)']
    duration: 1
    executor: move
  wash:
    parameters: {item: item, at: support}
    when: ['on(item, at)', 'belongs(item, at)', 'not clean(item)']
    add: ['clean(item)']
    duration: 1
    executor: wash
graded:
  nice: {parameters: {item: item}, context: {item: [name]}, oracle: table, default_degree: 1.0}
labels: {item: [mug, plate]}
scene: {layers: {}, unknown: item}
"""
ITEMS = {"m": "mug", "n": "mug", "p": "plate"}
SUPPORTS = ("s", "t", "u", "v")
NICE = {"m": 0.9, "n": 0.6, "p": 1.0}
BELONGS = {("m", "s"), ("n", "t"), ("p", "t")}

Places = Mapping[str, str]
Binding = Mapping[str, str]


@dataclass(frozen=True)
class State:
    """Where the items are, which of them are clean, and where they were initially."""

    places: Places
    clean: frozenset[str]
    first: Places


Degree = Callable[[Binding, State], float]


@dataclass(frozen=True)
class Condition:
    """A condition as text and as its degree; `settled` if no action can change it."""

    text: str
    degree: Degree
    settled: bool = False


@dataclass(frozen=True)
class Requirement:
    """A part of a goal as text, and the degrees that its membership is composed of."""

    text: str
    degrees: Callable[[Binding, State], list[float]]


def reach(first: Places) -> list[State]:
    """All states that moving and washing lead to."""
    start = (tuple(sorted(first.items())), frozenset())
    found, waiting = {start}, [start]
    while waiting:
        places, clean = waiting.pop()
        at = dict(places)
        free = set(SUPPORTS) - set(at.values())
        after = [
            (tuple(sorted({**at, item: to}.items())), clean)
            for item, to in itertools.product(at, free)
        ]
        after += [(places, clean | {item}) for item in at if (item, at[item]) in BELONGS]
        for state in after:
            if state not in found:
                found.add(state)
                waiting.append(state)
    return [State(dict(places), clean, first) for places, clean in found]


def list_elements(kind: str, state: State) -> list[str]:
    """The elements that go by a type or a label."""
    if kind == "support":
        return list(SUPPORTS)
    return [item for item in state.places if kind in ("item", ITEMS[item])]


@st.composite
def literals(draw, item: str, support: str) -> Condition:
    """A condition of an item, and of a support: each a variable with its mark, or a name."""

    def of(term: str, binding: Binding) -> str:
        return binding[term[1:]] if term.startswith("?") else term

    kind = draw(st.sampled_from(["on", "clean", "label", "belongs", "initially", "nice"]))
    if kind == "on":
        found = Condition(
            f"on({item}, {support})", lambda b, s: float(s.places[of(item, b)] == of(support, b))
        )
    elif kind == "clean":
        found = Condition(f"clean({item})", lambda b, s: float(of(item, b) in s.clean))
    elif kind == "label":
        label = draw(st.sampled_from(["mug", "plate"]))
        found = Condition(
            f'is_a({item}, "{label}")', lambda b, _: float(ITEMS[of(item, b)] == label), True
        )
    elif kind == "belongs":
        found = Condition(
            f"belongs({item}, {support})",
            lambda b, _: float((of(item, b), of(support, b)) in BELONGS),
            True,
        )
    elif kind == "initially":
        found = Condition(
            f"initially (on({item}, {support}))",
            lambda b, s: float(s.first[of(item, b)] == of(support, b)),
            True,
        )
    else:
        return Condition(f"nice({item})", lambda b, _: NICE[of(item, b)])
    if not draw(st.booleans()):
        return found
    return Condition(f"not {found.text}", lambda b, s: 1.0 - found.degree(b, s), found.settled)


@st.composite
def requirements(draw, tnorm) -> Requirement:
    """A preference, a count or `as many as possible`, perhaps for each of some elements."""
    outer = draw(st.sampled_from(["", "item", "mug", "support"]))
    kind = draw(st.sampled_from(["item", "mug", "plate"]))
    support = "?y" if outer == "support" else draw(st.sampled_from(["s", "t", "?z"]))
    items = ["?x", "?x", "?y"] if outer not in ("", "support") else ["?x"]
    form = draw(st.sampled_from(["most", "most", "prefer", "at least", "at most", "exactly"]))
    if form == "prefer":
        items = ["?y"] if outer not in ("", "support") else ["m"]
    number = draw(st.integers(1, 3))
    parts = [draw(literals(draw(st.sampled_from(items)), support)) for _ in range(number)]
    body = " and ".join(part.text for part in parts)

    def compose(chosen, binding, state):
        return TNORMS[tnorm].compose_all(part.degree(binding, state) for part in chosen)

    def bind(binding, state):
        return [{**binding, "x": element} for element in list_elements(kind, state)]

    if form == "prefer":
        weight = draw(st.sampled_from([0.0, 0.25, 0.5]))
        inner = Requirement(
            f"prefer {weight}: ({body})", lambda b, s: [1.0 - weight * (1.0 - compose(parts, b, s))]
        )
    elif form == "most":

        def share(binding, state):
            chosen = [
                inner
                for inner in bind(binding, state)
                if all(part.degree(inner, state) for part in parts if part.settled)
            ]
            others = [part for part in parts if not part.settled]
            return [1.0 - (1.0 - compose(others, inner, state)) / len(chosen) for inner in chosen]

        inner = Requirement(f"as many as possible ?x: {kind} ({body})", share)
    else:
        number = draw(st.integers(0, 2))

        def count(binding, state):
            degrees = [compose(parts, inner, state) for inner in bind(binding, state)]
            found = []
            if form != "at most":
                found.append(best(degrees, number))
            if form != "at least":
                found.append(best([1.0 - d for d in degrees], len(degrees) - number))
            return found

        def best(degrees, wanted):
            """The largest composition of so many of the degrees: of some set of elements."""
            sets = itertools.combinations(degrees, max(0, wanted))
            return max((TNORMS[tnorm].compose_all(chosen) for chosen in sets), default=0.0)

        inner = Requirement(f"{form} {number} ?x: {kind} ({body})", count)
    if not outer:
        return inner
    return Requirement(
        f"forall ?y: {outer} ({inner.text})",
        lambda b, s: [
            degree for y in list_elements(outer, s) for degree in inner.degrees({**b, "y": y}, s)
        ],
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_compiled_evaluated_and_documented_meaning_agree(degrees, state, data):
    tnorm = data.draw(st.sampled_from(sorted(TNORMS)))
    items = data.draw(st.sampled_from([("m", "n"), ("m", "p"), ("m", "n", "p")]))
    at = data.draw(st.permutations(SUPPORTS))
    first = dict(zip(items, at, strict=False))
    parts = data.draw(st.lists(requirements(tnorm), min_size=1, max_size=2))
    text = " and ".join(part.text for part in parts)

    def mean(found: State) -> float:
        """What the goal is worth with the best choice of the variable without a quantifier."""
        return max(
            TNORMS[tnorm].compose_all(d for part in parts for d in part.degrees({"z": z}, found))
            for z in SUPPORTS
        )

    domain = parse_domain(DOMAIN, "shelves.yaml")
    elements = {**{i: f"item {ITEMS[i]}" for i in items}, **dict.fromkeys(SUPPORTS, "support")}
    static = [f"belongs({i}, {s})" for i, s in BELONGS if i in items]

    def build(found: State):
        facts = [f"on({item}, {place})" for item, place in found.places.items()]
        return state(domain, elements, [*static, *facts, *(f"clean({i})" for i in found.clean)])

    start = build(State(first, frozenset(), first))
    goal = check_goal(parse_expression(text), domain, start, text)
    types = infer_types(goal, domain)
    reached = reach(first)
    for found in reached:
        value = evaluate(
            goal,
            build(found),
            lambda _, names: NICE[names[0]],
            TNORMS[tnorm],
            types=types,
            before=(start,),
        )
        assert value == pytest.approx(mean(found)), found
    best = max(map(mean, reached))
    source = degrees({f"nice({item})": NICE[item] for item in items})
    options = PlanningOptions(alpha=0.0, tnorm=tnorm)
    whole, together = data.draw(st.sampled_from([(500, 20), (1, 1), (2, 3)]))
    with (
        mock.patch.object(division, "MOST_WHOLE", whole),
        mock.patch.object(division, "MOST_TOGETHER", together),
    ):
        result = plan(PlanningRequest(domain, start, goal, options, source))
    if best > 1e-6:
        assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
        assert result.plan.membership == pytest.approx(best)
    elif result.status is not PlanStatus.UNSOLVABLE_PROVEN:
        assert result.plan.membership == pytest.approx(0.0, abs=1e-6)


def test_a_way_through_a_count_that_is_not_judged_is_not_taken(degrees, state):
    domain = parse_domain(DOMAIN, "shelves.yaml")
    elements = {"m": "item mug", "n": "item mug", **dict.fromkeys(SUPPORTS, "support")}
    start = state(domain, elements, ["on(m, s)", "on(n, t)"])
    text = "at least 1 ?x: item (nice(?x))"
    goal = check_goal(parse_expression(text), domain, start, text)
    source = degrees({"nice(m)": 0.9, "nice(n)": 0.6})
    result = plan(PlanningRequest(domain, start, goal, PlanningOptions(tnorm="goedel"), source))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert result.plan.membership == pytest.approx(0.9)
