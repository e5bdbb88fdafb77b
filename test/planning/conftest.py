# SPDX-License-Identifier: Apache-2.0
"""What the planning tests share: given degrees, a small domain, and states made from facts."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import Domain, check_goal, parse_domain, parse_expression
from fcp_ros.grounding.judgement import JudgementRequest, Membership
from fcp_ros.planning import (
    PlanningOptions,
    PlanningRequest,
    PlanningResult,
    PlanningSession,
    plan,
)
from fcp_ros.planning.warm_up import warm_up

HOUSE = """
domain: house
version: "1.0"
types:
  thing: []
  room: [thing]
  robot: [thing]
  item: [thing]
  cup: [item]
  support: [thing]
  electronics: [support]
  liquid: [item]
  box: [thing]
  tray: [support, item]
  door: [thing]
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  on: {legs: {item: item, support: support}, functional: [item]}
  inside: {legs: {item: item, box: box}, functional: [item]}
  in_room: {legs: {fixture: thing, room: room}, functional: [fixture], static: true}
  connected: {legs: {from: room, to: room, door: door}, static: true}
  closed: {legs: {thing: thing}}
  dirty: {legs: {support: support}}
attributes:
  category: {of: thing, kind: string}
  x: {of: thing, kind: float}
  y: {of: thing, kind: float}
rules:
  go:
    parameters: {robot: robot, from: room, to: room, door: door}
    when: ['at(robot, from)', 'connected(from, to, door)', 'not closed(door)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: {base: 1, per_metre: 2, between: [from, to]}
    uses: {battery: 2}
    executor: go
  open:
    parameters: {robot: robot, thing: thing, room: room}
    when: ['at(robot, room)', 'in_room(thing, room)', 'closed(thing)', 'not holding(robot, ?any)']
    delete: ['closed(thing)']
    duration: 1
    uses: {battery: 1}
    executor: open
  pick:
    parameters: {robot: robot, item: item, support: support, room: room}
    when:
      - at(robot, room)
      - in_room(support, room)
      - on(item, support)
      - not on(?any, item)
    delete: ['on(item, support)']
    add: ['holding(robot, item)']
    graded: ['can_grasp(robot, item)']
    duration: 1
    uses: {battery: 1}
    executor: pick
  place:
    parameters: {robot: robot, item: item, support: support, room: room}
    when: ['at(robot, room)', 'in_room(support, room)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, support)']
    graded: ['stable(support, item)']
    duration: 1
    uses: {battery: 1}
    executor: place
  take_out:
    parameters: {robot: robot, item: item, box: box, room: room}
    when: ['at(robot, room)', 'in_room(box, room)', 'inside(item, box)', 'not closed(box)']
    delete: ['inside(item, box)']
    add: ['holding(robot, item)']
    duration: 1
    uses: {battery: 1}
    executor: take_out
graded:
  can_grasp:
    parameters: {robot: robot, item: item}
    context: {item: [name]}
    oracle: table
    default_degree: 1.0
  stable:
    parameters: {support: support, item: item}
    context: {item: [name], support: [name]}
    oracle: table
    default_degree: 1.0
  serves_as:
    parameters: {item: item, purpose: text}
    context: {item: [name]}
    oracle: table
    default_degree: 1.0
  suitable_substitute:
    parameters: {item: item, wanted: text}
    context: {item: [name]}
    oracle: table
    default_degree: 0.0
constraints:
  dry:
    variables: {liquid: liquid, below: electronics}
    never: ['on(liquid, below)']
    because: it would be ruined
resources:
  battery: {initial: 100, minimum: 0, maximum: 100, unit: percent}
labels: {cup: [mug], room: [room]}
scene: {layers: {room: room, agent: robot}, unknown: item}
"""


class Degrees:
    """A membership source with given degrees: "predicate(a, b)" -> degree, else `default`."""

    def __init__(self, given: Mapping[str, float] | None = None, default: float = 1.0) -> None:
        self.given = dict(given or {})
        self.default = default
        self.asked: list[str] = []
        self.batches = 0

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """The given degree of each request."""
        self.batches += 1
        found = []
        for request in requests:
            words = ", ".join(argument.text for argument in request.arguments)
            self.asked.append(f"{request.predicate}({words})")
            degree = self.given.get(self.asked[-1], self.default)
            found.append(Membership(degree, degree, source="table"))
        return found


State = Callable[[Domain, Mapping[str, str], Iterable[str]], Instance]


def make_state(domain: Domain, elements: Mapping[str, str], facts: Iterable[str]) -> Instance:
    """A state: name -> type (or "type category"), and facts such as "on(a, b)"."""
    builder = InstanceBuilder(domain.schema)
    for name, kind in elements.items():
        type_, _, category = kind.partition(" ")
        builder.add(type_, name, {"category": category} if category else None)
    for fact in facts:
        relation, _, rest = fact.partition("(")
        names = [name.strip() for name in rest.rstrip(")").split(",")]
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


HOUSE_ELEMENTS = {
    "kitchen": "room",
    "hall": "room",
    "bot": "robot",
    "door_1": "door",
    "table": "support",
    "shelf": "support",
    "tv": "electronics",
    "mug_1": "cup mug",
    "mug_2": "cup mug",
    "book": "item book",
    "milk": "liquid milk",
    "crate": "box",
}
HOUSE_FACTS = (
    "at(bot, kitchen)",
    "connected(kitchen, hall, door_1)",
    "connected(hall, kitchen, door_1)",
    "in_room(table, kitchen)",
    "in_room(crate, kitchen)",
    "in_room(shelf, hall)",
    "in_room(tv, hall)",
    "on(mug_1, table)",
    "on(book, table)",
    "on(mug_2, shelf)",
    "inside(milk, crate)",
    "closed(crate)",
)


@pytest.fixture(scope="session", autouse=True)
def kernels() -> None:
    """The search kernels are loaded before the first test, so that none is judged by that time."""
    warm_up()


@pytest.fixture(scope="session")
def house() -> Domain:
    """A robot with one gripper, two rooms, a box, a constraint and a battery."""
    return parse_domain(HOUSE, "house.yaml")


@pytest.fixture(scope="session")
def state() -> State:
    """Makes a state from elements and facts."""
    return make_state


@pytest.fixture(scope="session")
def degrees() -> type[Degrees]:
    """The membership source with given degrees."""
    return Degrees


@pytest.fixture
def home(house: Domain) -> Instance:
    """The usual state of the house."""
    return make_state(house, HOUSE_ELEMENTS, HOUSE_FACTS)


@pytest.fixture
def ask(house: Domain, home: Instance) -> Callable[..., PlanningResult]:
    """Plans a goal in the house: ask(text, degrees={...}, alpha=..., without=, extra=, ...)."""

    def run(
        goal: str,
        given: Mapping[str, float] | None = None,
        *,
        facts: Iterable[str] | None = None,
        elements: Mapping[str, str] | None = None,
        resources: Mapping[str, float] = {},
        session: PlanningSession | None = None,
        **options: float | int | str | bool,
    ) -> PlanningResult:
        instance = home
        if facts is not None or elements is not None:
            instance = make_state(
                house,
                {**HOUSE_ELEMENTS, **(elements or {})},
                HOUSE_FACTS if facts is None else facts,
            )
        checked = check_goal(parse_expression(goal), house, instance, goal)
        settings = PlanningOptions(**{"time_limit": 20.0, **options})  # type: ignore[arg-type]
        return plan(
            PlanningRequest(
                house,
                instance,
                checked,
                settings,
                Degrees(given),
                resources=resources,
                session=session,
            )
        )

    return run


@pytest.fixture(scope="session")
def house_facts() -> tuple[str, ...]:
    """The facts of the usual state."""
    return HOUSE_FACTS
