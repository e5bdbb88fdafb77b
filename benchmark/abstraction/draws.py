# SPDX-License-Identifier: Apache-2.0
"""Random problems of the domains in the folder `pddl`, of any size; each can be solved.

`size` counts what there is to do: blocks, cells of a side, packages, images, children, cocktails.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "pddl"

Facts = list[str]


@dataclass
class Problem:
    """Objects by type ("" in domains without types), facts and goal, as PDDL writes them."""

    objects: dict[str, list[str]] = field(default_factory=dict)
    init: Facts = field(default_factory=list)
    goal: Facts = field(default_factory=list)

    def add(self, type_: str, count: int) -> list[str]:
        """Add objects of a type; return their names."""
        names = [f"{type_ or 'b'}{number}" for number in range(1, count + 1)]
        self.objects.setdefault(type_, []).extend(names)
        return names

    def write(self, domain: str) -> str:
        """Write the problem."""
        objects = (
            f"{' '.join(names)} - {type_}" if type_ else " ".join(names)
            for type_, names in self.objects.items()
        )
        parts = ["\n    ".join(objects), "\n    ".join(self.init), "\n    ".join(self.goal)]
        return (
            f"(define (problem drawn) (:domain {domain})\n  (:objects {parts[0]})\n"
            f"  (:init {parts[1]})\n  (:goal (and {parts[2]})))\n"
        )


def draw_clear(size: int, source: random.Random) -> Problem:
    """Draw blocks of which one has to be clear, and is not."""
    problem, towers = _draw_blocks(size, source)
    below = [block for tower in towers for block in tower[:-1]]
    problem.goal = [f"(clear {source.choice(below)})"]
    return problem


def draw_on(size: int, source: random.Random) -> Problem:
    """Draw blocks of which one has to be on another one."""
    problem, towers = _draw_blocks(size, source)
    blocks = [block for tower in towers for block in tower]
    pairs = {pair for tower in towers for pair in zip(tower[1:], tower[:-1], strict=True)}
    while True:
        upper, lower = source.sample(blocks, 2)
        if (upper, lower) not in pairs:
            problem.goal = [f"(on {upper} {lower})"]
            return problem


def draw_towers(size: int, source: random.Random) -> Problem:
    """Draw blocks and other towers of them."""
    problem, _ = _draw_blocks(size, source)
    goal = _draw_towers(problem.objects[""], source)
    problem.goal = [
        f"(on {upper} {lower})"
        for tower in goal
        for upper, lower in zip(tower[1:], tower[:-1], strict=True)
    ]
    return problem


def _draw_blocks(size: int, source: random.Random) -> tuple[Problem, list[list[str]]]:
    problem = Problem()
    towers = _draw_towers(problem.add("", size), source)
    problem.init.append("(arm-empty)")
    for tower in towers:
        problem.init += [f"(on-table {tower[0]})", f"(clear {tower[-1]})"]
        pairs = zip(tower[1:], tower[:-1], strict=True)
        problem.init += [f"(on {upper} {lower})" for upper, lower in pairs]
    return problem, towers


def _draw_towers(blocks: Sequence[str], source: random.Random) -> list[list[str]]:
    """Draw towers, one of which has two blocks at least."""
    while True:
        towers: list[list[str]] = []
        for block in source.sample(blocks, len(blocks)):
            if towers and source.random() < 0.7:
                source.choice(towers).append(block)
            else:
                towers.append([block])
        if any(len(tower) > 1 for tower in towers):
            return towers


def _add_grid(problem: Problem, type_: str, side: int, relation: str) -> list[str]:
    """Add the cells of a grid, row by row, with the relation between neighbours."""
    cells = problem.add(type_, side * side)
    for place, cell in enumerate(cells):
        right = [place + 1] if (place + 1) % side else []
        below = [place + side] if place + side < len(cells) else []
        for other in right + below:
            problem.init += _link(relation, cell, cells[other])
    return cells


def _link(relation: str, one: str, other: str) -> Facts:
    return [f"({relation} {one} {other})", f"({relation} {other} {one})"]


def draw_reward(size: int, source: random.Random) -> Problem:
    """Draw rewards on a grid of this side; a third of its cells are walls."""
    problem = Problem()
    cells = _add_grid(problem, "cell", size, "adjacent")
    free = set(cells)
    start = source.choice(cells)
    for wall in source.sample(cells, len(cells) // 3):
        rest = free - {wall}
        if wall != start and _is_connected(rest, start, size, cells):
            free = rest
    rest = [cell for cell in cells if cell in free and cell != start]
    rewards = source.sample(rest, max(1, len(rest) // 3))
    problem.init += [f"(at {start})", *(f"(free {cell})" for cell in cells if cell in free)]
    problem.init += [f"(reward {cell})" for cell in rewards]
    problem.goal = [f"(picked {cell})" for cell in rewards]
    return problem


def _is_connected(free: set[str], start: str, side: int, cells: Sequence[str]) -> bool:
    places = {cells.index(cell) for cell in free}
    reached, queue = {cells.index(start)}, [cells.index(start)]
    for place in queue:
        near = [place - side, place + side]
        near += [place - 1] if place % side else []
        near += [place + 1] if (place + 1) % side else []
        for other in near:
            if other in places and other not in reached:
                reached.add(other)
                queue.append(other)
    return reached == places


def draw_visitall(size: int, source: random.Random) -> Problem:
    """Draw a grid of this side, half of whose places have to be visited."""
    problem = Problem()
    places = _add_grid(problem, "place", size, "connected")
    start, *others = source.sample(places, 1 + max(2, len(places) // 2))
    problem.init += [f"(at-robot {start})", f"(visited {start})"]
    problem.goal = [f"(visited {place})" for place in others]
    return problem


def draw_courier(size: int, source: random.Random) -> Problem:
    """Draw packages on a grid, all for one of its cells."""
    problem = Problem()
    cells = _add_grid(problem, "cell", 2 + size // 3, "adjacent")
    (truck,), packages = problem.add("truck", 1), problem.add("package", size)
    target, *others = source.sample(cells, len(cells))
    problem.init += [f"(at {truck} {source.choice(cells)})", f"(empty {truck})"]
    problem.init += [f"(at {package} {source.choice(others)})" for package in packages]
    problem.goal = [f"(at {package} {target})" for package in packages]
    return problem


def draw_logistics(size: int, source: random.Random) -> Problem:
    """Draw packages in cities with a truck each, and airplanes."""
    problem = Problem()
    cities = problem.add("city", 2 + size // 4)
    trucks = problem.add("truck", len(cities))
    airports = problem.add("airport", len(cities))
    places = problem.add("place", len(cities))
    planes, packages = problem.add("airplane", 1 + size // 8), problem.add("package", size)
    for city, truck, airport, place in zip(cities, trucks, airports, places, strict=True):
        problem.init += [f"(in-city {airport} {city})", f"(in-city {place} {city})"]
        problem.init.append(f"(at {truck} {source.choice((airport, place))})")
    problem.init += [f"(at {plane} {source.choice(airports)})" for plane in planes]
    _move_things(problem, packages, airports + places, source)
    return problem


def _move_things(
    problem: Problem, things: Iterable[str], places: Sequence[str], source: random.Random
) -> None:
    """Put things to places, and ask for them at others."""
    for thing in things:
        start, end = source.sample(places, 2)
        problem.init.append(f"(at {thing} {start})")
        problem.goal.append(f"(at {thing} {end})")


def draw_satellite(size: int, source: random.Random) -> Problem:
    """Draw images to be taken by satellites, each with some instruments."""
    problem = Problem()
    satellites = problem.add("satellite", 1 + size // 3)
    instruments = problem.add("instrument", len(satellites) + 1 + size // 5)
    modes, directions = problem.add("mode", 1 + size // 3), problem.add("direction", size + 1)
    for satellite in satellites:
        problem.init.append(f"(power-avail {satellite})")
        problem.init.append(f"(pointing {satellite} {source.choice(directions)})")
    for number, instrument in enumerate(instruments):
        problem.init.append(f"(on-board {instrument} {satellites[number % len(satellites)]})")
        problem.init.append(f"(calibration-target {instrument} {source.choice(directions)})")
    for number, mode in enumerate(modes):
        able = {instruments[number % len(instruments)], source.choice(instruments)}
        problem.init += [f"(supports {instrument} {mode})" for instrument in sorted(able)]
    for direction in source.sample(directions, size):
        problem.goal.append(f"(have-image {direction} {source.choice(modes)})")
    return problem


def draw_childsnack(size: int, source: random.Random) -> Problem:
    """Draw children at tables, half of whom must not eat gluten."""
    problem = Problem()
    children = problem.add("child", size)
    trays, tables = problem.add("tray", 1 + size // 3), problem.add("place", 1 + size // 3)
    breads, contents = problem.add("bread", size), problem.add("content", size)
    sandwiches = problem.add("sandwich", size + size // 3)
    problem.init += [f"(at {tray} kitchen)" for tray in trays]
    problem.init += [f"(bread-in-kitchen {bread})" for bread in breads]
    problem.init += [f"(content-in-kitchen {content})" for content in contents]
    problem.init += [f"(not-made {sandwich})" for sandwich in sandwiches]
    allergic = source.sample(children, max(1, size // 2)) if size > 1 else []
    problem.init += [
        f"({kind}-without-gluten {name})"
        for kind, names in (("bread", breads), ("content", contents))
        for name in source.sample(names, len(allergic))
    ]
    for child in children:
        problem.init.append(f"({'' if child in allergic else 'not-'}allergic {child})")
        problem.init.append(f"(waiting {child} {source.choice(tables)})")
    problem.goal = [f"(served {child})" for child in children]
    return problem


def draw_zenotravel(size: int, source: random.Random) -> Problem:
    """Draw people and aircraft in cities."""
    problem = Problem()
    cities, aircraft = problem.add("city", 2 + size // 2), problem.add("aircraft", 1 + size // 4)
    persons, levels = problem.add("person", size), problem.add("level", 3 + size // 10)
    problem.init += [f"(next {one} {two})" for one, two in itertools.pairwise(levels)]
    for plane in aircraft:
        problem.init.append(f"(at {plane} {source.choice(cities)})")
        problem.init.append(f"(fuel-level {plane} {source.choice(levels)})")
    _move_things(problem, persons, cities, source)
    return problem


def draw_rovers(size: int, source: random.Random) -> Problem:
    """Draw data that rovers have to collect: soil, rock and images in turn."""
    problem = Problem()
    waypoints = problem.add("waypoint", 3 + size // 2)
    (lander,), modes = problem.add("lander", 1), problem.add("mode", 1 + size // 5)
    rovers, objectives = (
        problem.add("rover", 1 + size // 3),
        problem.add("objective", 1 + size // 3),
    )
    stores, cameras = problem.add("store", len(rovers)), problem.add("camera", len(rovers))
    problem.init.append(f"(at-lander {lander} {source.choice(waypoints)})")
    for place, waypoint in enumerate(waypoints[1:], 1):
        other = source.choice(waypoints[:place])
        problem.init += _link("visible", waypoint, other)
        for rover in rovers:
            problem.init += _link(f"can-traverse {rover}", waypoint, other)
    for rover, store, camera in zip(rovers, stores, cameras, strict=True):
        problem.init += [f"(equipped-for-{kind} {rover})" for kind in ("soil", "rock", "imaging")]
        problem.init += [f"(store-of {store} {rover})", f"(empty {store})"]
        problem.init += [f"(at {rover} {source.choice(waypoints)})", f"(on-board {camera} {rover})"]
        problem.init.append(f"(calibration-target {camera} {source.choice(objectives)})")
        problem.init += [f"(supports {camera} {mode})" for mode in modes]
    for objective in objectives:
        problem.init.append(f"(visible-from {objective} {source.choice(waypoints)})")
    wanted = [f"(communicated-{kind} {w})" for kind in ("soil", "rock") for w in waypoints]
    wanted += [f"(communicated-image {o} {m})" for o in objectives for m in modes]
    problem.goal = source.sample(wanted, min(size, len(wanted)))
    for kind in ("soil", "rock"):
        problem.init += [f"(at-{kind} {w})" for w in waypoints]
    return problem


def draw_barman(size: int, source: random.Random) -> Problem:
    """Draw cocktails of two ingredients each."""
    problem = Problem()
    hands = problem.add("hand", 2)
    levels, (shaker,) = problem.add("level", 3), problem.add("shaker", 1)
    ingredients = problem.add("ingredient", 2 + size // 3)
    dispensers, shots = problem.add("dispenser", len(ingredients)), problem.add("shot", size + 1)
    cocktails = problem.add("cocktail", size)
    problem.init += [f"(hand-empty {hand})" for hand in hands]
    problem.init += [f"(next {one} {two})" for one, two in itertools.pairwise(levels)]
    problem.init += [f"(shaker-empty-level {shaker} {levels[0]})"]
    problem.init += [f"(shaker-level {shaker} {levels[0]})"]
    for container in (shaker, *shots):
        problem.init += [f"(on-table {container})", f"(empty {container})", f"(clean {container})"]
    pairs = zip(dispensers, ingredients, strict=True)
    problem.init += [f"(dispenses {dispenser} {ingredient})" for dispenser, ingredient in pairs]
    for cocktail, shot in zip(cocktails, shots, strict=False):
        one, two = source.sample(ingredients, 2)
        problem.init += [f"(part1 {cocktail} {one})", f"(part2 {cocktail} {two})"]
        problem.goal.append(f"(contains {shot} {cocktail})")
    return problem


def draw_driverlog(size: int, source: random.Random) -> Problem:
    """Draw packages, trucks and drivers at places with roads and paths."""
    problem = Problem()
    places = problem.add("place", 2 + size // 2)
    drivers, trucks = problem.add("driver", 1 + size // 5), problem.add("truck", 1 + size // 4)
    packages = problem.add("package", size)
    for relation in ("link", "path"):
        for place, name in enumerate(places[1:], 1):
            problem.init += _link(relation, name, source.choice(places[:place]))
    problem.init += [f"(at {driver} {source.choice(places)})" for driver in drivers]
    for truck in trucks:
        problem.init += [f"(at {truck} {source.choice(places)})", f"(empty {truck})"]
    _move_things(problem, packages, places, source)
    return problem


def draw_transport(size: int, source: random.Random) -> Problem:
    """Draw packages and vehicles on a network of roads."""
    problem = Problem()
    places, vehicles = problem.add("place", 2 + size // 2), problem.add("vehicle", 1 + size // 5)
    packages, sizes = problem.add("package", size), problem.add("size", 3)
    for place, name in enumerate(places[1:], 1):
        problem.init += _link("road", name, source.choice(places[:place]))
    problem.init += [f"(next {one} {two})" for one, two in itertools.pairwise(sizes)]
    for vehicle in vehicles:
        problem.init.append(f"(at {vehicle} {source.choice(places)})")
        problem.init.append(f"(capacity {vehicle} {source.choice(sizes[1:])})")
    _move_things(problem, packages, places, source)
    return problem


@dataclass(frozen=True)
class DrawnDomain:
    """A domain with what its problems are drawn by.

    Attributes:
        domain: name of its file.
        draw: draws a problem of a size.
        training: sizes of the training problems.
        test: sizes of the test problems, ten times larger.
    """

    domain: str
    draw: Callable[[int, random.Random], Problem]
    training: tuple[int, ...]
    test: tuple[int, ...]

    def write_problem(self, size: int, seed: int) -> str:
        """Draw a problem and write it as PDDL."""
        return self.draw(size, random.Random(f"{size} {seed}")).write(self.domain)

    @property
    def file(self) -> Path:
        """The domain file."""
        return FOLDER / f"{self.domain}.pddl"


DOMAINS = {
    "blocks-clear": DrawnDomain("blocks", draw_clear, (3, 4, 5, 5), (50,)),
    "blocks-on": DrawnDomain("blocks", draw_on, (3, 4, 5, 5), (50,)),
    "blocks": DrawnDomain("blocks", draw_towers, (3, 4, 5, 5), (50,)),
    "reward": DrawnDomain("reward", draw_reward, (2, 3, 3, 4), (13,)),
    "visitall": DrawnDomain("visitall", draw_visitall, (2, 3, 3, 4), (13,)),
    "courier-grid": DrawnDomain("courier-grid", draw_courier, (1, 2, 3, 4), (40,)),
    "logistics": DrawnDomain("logistics", draw_logistics, (1, 2, 3, 3), (30,)),
    "satellite": DrawnDomain("satellite", draw_satellite, (1, 2, 3, 4), (40,)),
    "childsnack": DrawnDomain("childsnack", draw_childsnack, (1, 2, 3, 4), (40,)),
    "zenotravel": DrawnDomain("zenotravel", draw_zenotravel, (1, 2, 3, 4), (40,)),
    "rovers": DrawnDomain("rovers", draw_rovers, (1, 2, 3, 4), (40,)),
    "barman": DrawnDomain("barman", draw_barman, (1, 1, 2, 3), (30,)),
    "driverlog": DrawnDomain("driverlog", draw_driverlog, (1, 2, 3, 4), (40,)),
    "transport": DrawnDomain("transport", draw_transport, (1, 2, 3, 4), (40,)),
}
