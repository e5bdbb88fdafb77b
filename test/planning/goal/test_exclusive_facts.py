# SPDX-License-Identifier: Apache-2.0
"""Random constraints on things in one place each, beside a search of all trajectories."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from pddl3_search import START, advance, is_kept

from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.domain.pddl.syntax_tree import TRUE, TrajectoryFormula
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, plan

DOMAIN = """
domain: shelves
version: "1.0"
types: {thing: [], item: [thing], place: [thing]}
relations:
  on: {legs: {item: item, place: place}, functional: [item]}
  clean: {legs: {item: item}}
  wet: {legs: {place: place}}
rules:
  move:
    parameters: {item: item, from: place, to: place}
    when: ['on(item, from)', 'not on(?any, to)']
    delete: ['on(item, from)']
    add: ['on(item, to)']
    effects:
      - {when: ['wet(from)'], add: ['clean(item)'], delete: ['wet(from)']}
    duration: 1
    executor: move
  lift:
    parameters: {item: item, from: place}
    when: ['on(item, from)']
    delete: ['on(item, from)']
    effects:
      - {when: ['clean(item)'], delete: ['clean(item)']}
    duration: 1
    executor: lift
  drop:
    parameters: {item: item, to: place}
    when: ['not on(?any, to)', 'not on(item, ?any)']
    add: ['on(item, to)']
    duration: 1
    executor: drop
labels: {}
scene: {layers: {}, unknown: item}
"""
ITEMS, PLACES = ("m", "n"), ("s", "t", "u")
OPTIONS = PlanningOptions(optimise=Optimise.COST)
OPERATORS = {
    "always": "always ({0})",
    "sometime": "sometime ({0})",
    "at-most-once": "at most once ({0})",
    "sometime-before": "({1}) before ({0})",
    "sometime-after": "({1}) after ({0})",
}

State = frozenset[tuple[str, ...]]
"""The facts that hold."""


@dataclass(frozen=True)
class Condition:
    text: str
    holds: Callable[[State], bool]


def draw_literal(rng: Random, item: str, place: str) -> Condition:
    """Draw a literal; an argument is a name, or a variable that `holds` takes from `binding`."""
    fact = rng.choice([("on", item, place), ("on", item, place), ("clean", item), ("wet", place)])
    text = f"{fact[0]}({', '.join(fact[1:])})"
    wanted = rng.random() < 0.6

    def holds(state: State, binding: Sequence[tuple[str, str]] = ()) -> bool:
        names = dict(binding)
        return ((fact[0], *(names.get(name, name) for name in fact[1:])) in state) is wanted

    return Condition(text if wanted else f"not {text}", holds)


def draw_condition(rng: Random, form: str) -> Condition:
    """Draw literals for one or for all things, or about named ones, joined by `and` or `or`."""
    items, places = (["?x", "?x", "m"], ["?y", "?y", "s"]) if form else (ITEMS, PLACES)
    item, place = rng.choice(items), rng.choice(places)
    parts = [draw_literal(rng, item, place) for _ in range(rng.choice((1, 2, 2, 3)))]
    word = {"exists": "and", "forall": "or"}.get(form) or rng.choice(["and", "or"])
    join, choose = (all if word == "and" else any), (any if form == "exists" else all)
    text = f" {word} ".join(part.text for part in parts)
    if not form:
        return Condition(text, lambda state: join(part.holds(state) for part in parts))
    bindings = [(("?x", x), ("?y", y)) for x, y in itertools.product(ITEMS, PLACES)]
    return Condition(
        f"{form} ?x: item, ?y: place ({text})",
        lambda state: choose(join(p.holds(state, inner) for p in parts) for inner in bindings),
    )


def follow(state: State):
    """Yield the states that a step leads to."""
    where = {fact[1]: fact[2] for fact in state if fact[0] == "on"}
    free = set(PLACES) - set(where.values())
    for item in ITEMS:
        if item not in where:
            yield from (state | {("on", item, to)} for to in free)
            continue
        here = ("on", item, where[item])
        yield state - {here, ("clean", item)}
        wet = ("wet", where[item])
        moved = state - {here, wet} | ({("clean", item)} if wet in state else set())
        yield from (moved | {("on", item, to)} for to in free)


def count_steps(start: State, goal, constraints, parts) -> int | None:
    """Count the fewest steps to a goal by trajectories that keep constraints; None without any."""

    def observe(known, state):
        return tuple(
            advance(c, k, tuple(part.holds(state) for part in of))
            for c, of, k in zip(constraints, parts, known, strict=True)
        )

    first = (start, observe([START[c.operator] for c in constraints], start))
    steps, waiting = {first: 0}, [first]
    for at in waiting:
        state, known = at
        kept = all(is_kept(c, k) for c, k in zip(constraints, known, strict=True))
        if kept and goal.holds(state):
            return steps[at]
        for after in follow(state):
            reached = (after, observe(known, after))
            if reached not in steps:
                steps[reached] = steps[at] + 1
                waiting.append(reached)
    return None


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1_000_000))
def test_constraints_on_places_are_kept_by_the_shortest_plans(state, seed):
    rng = Random(seed)
    goal = draw_condition(rng, "")
    operators = rng.choices(sorted(OPERATORS), k=rng.choice((1, 2)))
    forms = ["exists", "forall", ""]
    parts = [[draw_condition(rng, rng.choice(forms)) for _ in range(2)] for _ in operators]
    constraints = [TrajectoryFormula(operator, (), (TRUE, TRUE)) for operator in operators]
    texts = [
        OPERATORS[operator].format(*(part.text for part in of))
        for operator, of in zip(operators, parts, strict=True)
    ]
    text = " and ".join(f"({one})" for one in (goal.text, *texts))
    places = [("on", item, place) for item, place in zip(ITEMS, rng.sample(PLACES, 2), strict=True)]
    start = frozenset(f for f in [*places, ("wet", "s"), ("wet", "t")] if rng.random() < 0.7)
    domain = parse_domain(DOMAIN, "shelves.yaml")
    elements = {**dict.fromkeys(ITEMS, "item"), **dict.fromkeys(PLACES, "place")}
    instance = state(domain, elements, [f"{f[0]}({', '.join(f[1:])})" for f in start])
    checked = check_goal(parse_expression(text), domain, instance, text)
    result = plan(PlanningRequest(domain, instance, checked, OPTIONS))
    best = count_steps(start, goal, constraints, parts)
    if best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
    else:
        assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
        assert len(result.plan.steps) == best, text


CLEANING = """
domain: cleaning
version: "1.0"
types: {thing: [], room: [thing], robot: [thing], mop: [thing]}
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  mopped: {legs: {room: room}}
  dirty: {legs: {mop: mop}}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  mop:
    parameters: {robot: robot, mop: mop, room: room}
    when: ['at(robot, room)', 'not dirty(mop)']
    add: ['mopped(room)', 'dirty(mop)']
    duration: 1
    executor: mop
  rinse:
    parameters: {mop: mop}
    when: ['dirty(mop)']
    delete: ['dirty(mop)']
    duration: 1
    executor: rinse
labels: {}
scene: {layers: {}, unknown: room}
"""


def test_a_constraint_on_many_places_has_few_cases_with_one_action(state):
    """Written out, a dirty mop outside of a mopped room has 2 to the power of 20 cases."""
    domain = parse_domain(CLEANING, "cleaning.yaml")
    rooms = [f"room_{number}" for number in range(20)]
    elements = {**dict.fromkeys(rooms, "room"), "robot_1": "robot", "mop_1": "mop"}
    instance = state(domain, elements, ["at(robot_1, room_0)"])
    text = (
        "mopped(room_3) and mopped(room_7) and always (not dirty(mop_1) "
        "or exists ?w: robot, ?r: room (at(?w, ?r) and mopped(?r)))"
    )
    goal = check_goal(parse_expression(text), domain, instance, text)
    result = plan(PlanningRequest(domain, instance, goal, OPTIONS))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    rules = [step.rule for step in result.plan.steps]
    assert rules == ["go", "mop", "rinse", "go", "mop"]
