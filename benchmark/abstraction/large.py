# SPDX-License-Identifier: Apache-2.0
"""Problems of about 100 objects in the seven domains; the same for the same seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

Draw = random.Random
Problem = tuple[str, Mapping[str, Sequence[str]], list[str], list[str]]
"""Name of the domain, objects by type ("" for none), initial facts, goal."""


def write_problem(domain: str, seed: int) -> str:
    """Write a problem.

    Args:
        domain: folder of the domain in ../shared/bench/genplan.
        seed: of the random choices.
    """
    name, objects, facts, goal = DRAWERS[domain](Draw(f"{domain} {seed}"))
    declared = " ".join(
        f"{' '.join(names)}{f' - {type_}' if type_ else ''}" for type_, names in objects.items()
    )
    return (
        f"(define (problem large-{domain}-{seed}) (:domain {name})\n (:objects {declared})\n"
        f" (:init {_join(facts)})\n (:goal (and {_join(goal)})))\n"
    )


def _join(facts: Iterable[str]) -> str:
    return " ".join(f"({fact})" for fact in facts)


def _number(word: str, count: int) -> list[str]:
    return [f"{word}{number}" for number in range(count)]


def _draw_gripper(draw: Draw) -> Problem:
    balls, rooms, grippers = _number("ball", 62), _number("room", 36), _number("gripper", 2)
    facts = [f"ball {ball}" for ball in balls] + [f"room {room}" for room in rooms]
    facts += [f"gripper {gripper}" for gripper in grippers] + [f"free {g}" for g in grippers]
    facts += [f"at {ball} {draw.choice(rooms)}" for ball in balls] + [f"at-robby {rooms[0]}"]
    goal = [f"at {ball} {draw.choice(rooms)}" for ball in balls]
    return "gripper-strips", {"": [*balls, *rooms, *grippers]}, facts, goal


def _draw_ferry(draw: Draw) -> Problem:
    cars, places = _number("c", 70), _number("l", 30)
    facts = [f"car {car}" for car in cars] + [f"location {place}" for place in places]
    facts += [f"not-eq {a} {b}" for a in places for b in places if a != b]
    facts += [f"at {car} {draw.choice(places)}" for car in cars]
    facts += ["empty-ferry", f"at-ferry {draw.choice(places)}"]
    goal = [f"at {car} {draw.choice(places)}" for car in cars]
    return "ferry", {"": [*cars, *places]}, facts, goal


def _draw_delivery(draw: Draw) -> Problem:
    places, papers = _number("loc-", 60), _number("paper-", 40)
    wanting = draw.sample(places[1:], 39)
    unsafe = set(draw.sample(sorted(set(places[1:]) - set(wanting)), 10))
    facts = [f"at {places[0]}", f"ishomebase {places[0]}"]
    facts += [f"safe {place}" for place in places if place not in unsafe]
    facts += [f"unpacked {paper}" for paper in papers] + [f"wantspaper {p}" for p in wanting]
    objects = {"loc": places, "paper": papers}
    return "trapnewspapers", objects, facts, [f"satisfied {place}" for place in wanting]


def _draw_heavy(draw: Draw) -> Problem:
    items = _number("o", 100)
    draw.shuffle(items)
    facts = ["box-empty", *(f"unpacked {item}" for item in items)]
    facts += [f"heavier {a} {b}" for place, a in enumerate(items) for b in items[place + 1 :]]
    return "heavy-pack", {"": sorted(items)}, facts, [f"packed {item}" for item in items]


def _draw_miconic(draw: Draw) -> Problem:
    floors, people = _number("f", 40), _number("p", 60)
    facts = [f"above {a} {b}" for place, a in enumerate(floors) for b in floors[place + 1 :]]
    for person in people:
        start, end = draw.sample(floors, 2)
        facts += [f"origin {person} {start}", f"destin {person} {end}"]
    facts.append(f"lift-at {draw.choice(floors)}")
    goal = [f"served {person}" for person in people]
    return "miconic", {"floor": floors, "passenger": people}, facts, goal


def _draw_spanner(draw: Draw) -> Problem:
    middle = _number("location", 25)
    spanners, nuts = _number("spanner", 40), _number("nut", 32)
    places = ["shed", *middle, "gate"]
    facts = [f"link {a} {b}" for a, b in itertools.pairwise(places)] + ["at bob shed"]
    for spanner in spanners:
        facts += [f"at {spanner} {draw.choice(middle)}", f"useable {spanner}"]
    for nut in nuts:
        facts += [f"at {nut} gate", f"loose {nut}"]
    objects = {"man": ["bob"], "location": places, "spanner": spanners, "nut": nuts}
    return "spanner", objects, facts, [f"tightened {nut}" for nut in nuts]


def _draw_forest(draw: Draw) -> Problem:
    """Draw a trail from corner to corner of a grid; hills are on it, water is beside it."""
    size = 10
    at, trail = (0, 0), [(0, 0)]
    while at != (size - 1, size - 1):
        row, column = at
        down = column == size - 1 or (row < size - 1 and draw.random() < 0.5)
        at = (row + 1, column) if down else (row, column + 1)
        trail.append(at)
    cells = [(row, column) for row in range(size) for column in range(size)]
    names = {cell: f"r{cell[0]}_c{cell[1]}" for cell in cells}
    facts = [f"at {names[trail[0]]}"]
    for row, column in cells:
        for beside in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if beside in names:
                facts.append(f"adjacent {names[row, column]} {names[beside]}")
    facts += [f"ontrail {names[a]} {names[b]}" for a, b in itertools.pairwise(trail)]
    facts += [f"ishill {names[cell]}" for cell in trail[1:-1] if draw.random() < 0.3]
    dry = set(trail)
    facts += [f"iswater {names[c]}" for c in cells if c not in dry and draw.random() < 0.3]
    return "hiking", {"loc": list(names.values())}, facts, [f"at {names[trail[-1]]}"]


DRAWERS: Mapping[str, Callable[[Draw], Problem]] = {
    "delivery": _draw_delivery,
    "ferry": _draw_ferry,
    "forest": _draw_forest,
    "gripper": _draw_gripper,
    "heavy": _draw_heavy,
    "miconic": _draw_miconic,
    "spanner": _draw_spanner,
}
