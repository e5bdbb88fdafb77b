# SPDX-License-Identifier: Apache-2.0
"""Random tasks of classical planning domains (`classic_domains/*.pddl`), of any size, by seed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "classic_domains"
Objects = Mapping[str, Iterable[str]]


@dataclass(frozen=True)
class Classic:
    """A domain with its generator.

    Attributes:
        name: of the domain.
        sizes: number of things that have to be dealt with, growing; what else there is follows.
        make: a problem text from a size and a random generator.
    """

    name: str
    sizes: tuple[int, ...]
    make: Callable[[int, random.Random], str]

    @property
    def domain(self) -> Path:
        """The domain file."""
        return FOLDER / f"{self.name}.pddl"

    def problem(self, size: int, seed: int = 1) -> str:
        """A problem; the same size and seed give the same one."""
        return self.make(size, random.Random(f"{self.name}/{size}/{seed}"))


def blocks(size: int, generator: random.Random) -> str:
    """`size` blocks in random towers, to be built anew as other towers."""
    names = _names("b", size)
    facts = ["(hand-free)"]
    for tower in _towers(names, generator):
        facts += [f"(on-table {tower[0]})", f"(top {tower[-1]})"]
        facts += [f"(over {high} {low})" for low, high in pairwise(tower)]
    goals = [
        f"(over {high} {low})"
        for tower in _towers(names, generator)
        for low, high in pairwise(tower)
    ]
    return _problem("blocks", {"block": names}, facts, goals or [f"(on-table {names[0]})"])


def gripper(size: int, generator: random.Random) -> str:
    """`size` balls, all to go to the other room."""
    balls = _names("ball", size)
    facts = ["(robot-in here)", "(empty left)", "(empty right)"]
    facts += [f"(ball-in {ball} here)" for ball in balls]
    objects = {"room": ("here", "there"), "gripper": ("left", "right"), "ball": balls}
    return _problem("gripper", objects, facts, [f"(ball-in {ball} there)" for ball in balls])


def logistics(size: int, generator: random.Random) -> str:
    """`size` parcels in a city for every two of them, each with an airport and three places."""
    cities = _names("city", max(2, size // 2))
    airports = {city: f"{city}-airport" for city in cities}
    places = {city: [f"{city}-p{n}" for n in range(3)] for city in cities}
    trucks, planes = {city: f"{city}-truck" for city in cities}, _names("plane", 1 + size // 8)
    parcels = _names("parcel", size)
    everywhere = [*airports.values(), *(p for own in places.values() for p in own)]
    facts = [f"(part-of {p} {city})" for city in cities for p in (airports[city], *places[city])]
    facts += [f"(at {trucks[city]} {generator.choice(places[city])})" for city in cities]
    facts += [f"(at {plane} {generator.choice(list(airports.values()))})" for plane in planes]
    goals = []
    for parcel in parcels:
        start, end = generator.sample(everywhere, 2)
        facts.append(f"(at {parcel} {start})")
        goals.append(f"(at {parcel} {end})")
    objects = {
        "city": cities,
        "airport": airports.values(),
        "place": [p for own in places.values() for p in own],
        "truck": trucks.values(),
        "plane": planes,
        "parcel": parcels,
    }
    return _problem("logistics", objects, facts, goals)


def miconic(size: int, generator: random.Random) -> str:
    """`size` passengers in a house of twice as many levels."""
    levels, passengers = _names("level", 2 * size), _names("p", size)
    facts = [f"(lift {generator.choice(levels)})"]
    facts += [f"(below {a} {b})" for n, a in enumerate(levels) for b in levels[n + 1 :]]
    for passenger in passengers:
        start, end = generator.sample(levels, 2)
        facts += [f"(waits {passenger} {start})", f"(wants {passenger} {end})"]
    objects = {"level": levels, "passenger": passengers}
    return _problem("miconic", objects, facts, [f"(served {p})" for p in passengers])


def ferry(size: int, generator: random.Random) -> str:
    """`size` cars between half as many harbours."""
    harbours, cars = _names("h", max(2, size // 2)), _names("car", size)
    facts, goals = ["(deck-free)", f"(ferry-at {generator.choice(harbours)})"], []
    for car in cars:
        start, end = generator.sample(harbours, 2)
        facts.append(f"(parked {car} {start})")
        goals.append(f"(parked {car} {end})")
    return _problem("ferry", {"harbour": harbours, "car": cars}, facts, goals)


def satellite(size: int, generator: random.Random) -> str:
    """`size` pictures by a satellite for every four of them, with two instruments each."""
    satellites = _names("sat", 1 + size // 4)
    instruments = {name: [f"{name}-i{n}" for n in range(2)] for name in satellites}
    modes, targets = ("infrared", "visible", "x-ray"), _names("star", 5 + size)
    every = [i for own in instruments.values() for i in own]
    facts = []
    for name in satellites:
        facts += [f"(power-left {name})", f"(faces {name} {generator.choice(targets)})"]
        facts += [f"(carried {i} {name})" for i in instruments[name]]
    for number, instrument in enumerate(every):
        able = {modes[number % 3], generator.choice(modes)}
        facts += [f"(can {instrument} {mode})" for mode in sorted(able)]
        facts.append(f"(reference {instrument} {generator.choice(targets)})")
    able_at_all = modes[: min(3, len(every))]
    goals = [
        f"(picture {target} {generator.choice(able_at_all)})"
        for target in generator.sample(targets, size)
    ]
    objects = {"satellite": satellites, "instrument": every, "mode": modes, "target": targets}
    return _problem("satellite", objects, facts, goals)


def rovers(size: int, generator: random.Random) -> str:
    """`size` findings by a rover for every three of them, on a net of waypoints."""
    machines = _names("rover", 1 + size // 3)
    points = _names("w", 4 + 2 * size)
    objectives = _names("o", 1 + size // 2)
    edges = {frozenset((p, generator.choice(points[:n]))) for n, p in enumerate(points) if n}
    edges |= {frozenset(generator.sample(points, 2)) for _ in range(size)}
    pairs = [pair for edge in sorted(map(sorted, edges)) for pair in (edge, edge[::-1])]
    lander = points[0]
    facts = [f"(lander-at {lander})", f"(in-sight {lander} {lander})"]
    facts += [f"(in-sight {a} {lander})" for a, b in pairs if b == lander]
    facts += [f"(passable {m} {a} {b})" for m in machines for a, b in pairs]
    for number, machine in enumerate(machines):
        facts += [f"(at {machine} {generator.choice(points)})", f"(store-free {machine})"]
        kinds = {("digs", "drills", "sees")[number % 3], generator.choice(("digs", "sees"))}
        kinds |= {"digs", "drills", "sees"} if number == 0 else set()
        facts += [f"({kind} {machine})" for kind in sorted(kinds)]
    for objective in objectives:
        facts += [f"(visible-from {objective} {p})" for p in generator.sample(points, 2)]
    goals = []
    soil, rock = generator.sample(points, size), generator.sample(points, size)
    seen = iter(generator.sample(objectives, len(objectives)))
    for number in range(size):
        facts += [f"(soil-at {soil[number]})", f"(rock-at {rock[number]})"]
        objective = next(seen, None) if number % 3 == 2 else None
        if objective is not None:
            goals.append(f"(picture-sent {objective})")
        elif number % 2:
            goals.append(f"(soil-sent {soil[number]})")
        else:
            goals.append(f"(rock-sent {rock[number]})")
    objects = {"rover": machines, "waypoint": points, "objective": objectives}
    return _problem("rovers", objects, facts, goals)


CLASSICS = (
    Classic("blocks", (6, 10, 15, 20, 30, 40, 60, 80, 120, 160), blocks),
    Classic("gripper", (4, 10, 20, 40, 60, 80, 120, 160, 240, 320), gripper),
    Classic("logistics", (4, 8, 12, 20, 30, 40, 60, 80, 120, 160), logistics),
    Classic("miconic", (5, 10, 20, 30, 50, 70, 100, 150, 200, 300), miconic),
    Classic("ferry", (5, 10, 20, 40, 60, 80, 120, 160, 240, 320), ferry),
    Classic("satellite", (4, 8, 12, 20, 30, 40, 60, 80, 120, 160), satellite),
    Classic("rovers", (3, 6, 9, 12, 18, 24, 36, 48, 72, 96), rovers),
)
"""The domains."""


def _names(stem: str, count: int) -> list[str]:
    return [f"{stem}{number}" for number in range(count)]


def _towers(names: list[str], generator: random.Random) -> list[list[str]]:
    """The names in random order, in random towers, bottom first."""
    order = generator.sample(names, len(names))
    towers: list[list[str]] = [[order[0]]]
    for name in order[1:]:
        if generator.random() < 0.3:
            towers.append([name])
        else:
            towers[-1].append(name)
    return towers


def _problem(domain: str, objects: Objects, facts: Iterable[str], goals: Iterable[str]) -> str:
    listed = defaultdict(list)
    for type_, names in objects.items():
        listed[type_] += names
    lines = [f"  {' '.join(names)} - {type_}" for type_, names in listed.items()]
    return (
        f"(define (problem {domain}-task)\n (:domain {domain})\n (:objects\n"
        + "\n".join(lines)
        + ")\n (:init\n"
        + "\n".join(f"  {fact}" for fact in facts)
        + ")\n (:goal (and\n"
        + "\n".join(f"  {goal}" for goal in goals)
        + ")))\n"
    )
