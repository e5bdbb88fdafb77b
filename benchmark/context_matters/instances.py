# SPDX-License-Identifier: Apache-2.0
"""The instances of the Context-Matters data as tasks: a sentence, a domain of ours, and a state.

The data is read from ``../shared/bench/context_matters`` (or FCP_CONTEXT_MATTERS). Its own flags
and descriptions are left alone, as some give the answer away: a task is its sentence and its
things.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fcp_ros.binding.label_types import type_of_label
from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import Domain, load_domain

DATA = Path(
    os.environ.get("FCP_CONTEXT_MATTERS")
    or Path(__file__).resolve().parents[3] / "shared" / "bench" / "context_matters"
)
DOMAINS = Path(__file__).with_name("domains")
SPLITS = ("dining_setup", "house_cleaning", "laundry", "office_setup", "pc_assembly")
ROBOT = "robot_1"
_NUMBER = re.compile(r"_\d+$")
_KEPT_IN = re.compile(r".+ into the (.+)")


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of a scene: name, category, the name of its room, and of what it lies on or in."""

    name: str
    category: str
    room: str
    is_item: bool
    holder: str = ""


@dataclass(frozen=True, slots=True)
class HouseTask:
    """A sentence, and the house in which it is said.

    Attributes:
        name: such as "dining_setup/Parole/problem_1".
        split: the domain, one of `SPLITS`.
        scene: the house.
        problem: such as "problem_1".
        sentence: the instruction.
        start: the room in which the robot is.
        rooms: all rooms.
        things: all things but the robot.
    """

    name: str
    split: str
    scene: str
    problem: str
    sentence: str
    start: str
    rooms: tuple[str, ...]
    things: tuple[Thing, ...]

    @property
    def task(self) -> str:
        """The task without the scene, such as "dining_setup/problem_1"."""
        return f"{self.split}/{self.problem}"


def read_tasks(folder: Path = DATA, *, without_scene: bool = False) -> tuple[HouseTask, ...]:
    """Read the instances whose scene is in the data.

    Args:
        folder: of the data.
        without_scene: add those without a scene: their house has the rooms that they name.

    Raises:
        OSError: there is no such data.
    """
    entries = _read_json(folder / "instances.json")
    scenes = _read_json(folder / "scenes_from_taskography.json")
    return tuple(
        _read_task(entry, scenes.get(entry["scene"]) or _name_rooms(entry["scene"], entries))
        for entry in entries
        if without_scene or entry["scene"] in scenes
    )


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _name_rooms(scene: str, entries: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return a scene without things, with the rooms that instances in it name."""
    mine = [entry for entry in entries if entry["scene"] == scene]
    named = {thing["room"] for entry in mine for thing in entry["added"]}
    named.update(entry["init_loc"] for entry in mine)
    return {"rooms": [{"id": n, "label": n} for n in sorted(named)], "objects": []}


def _read_task(entry: Mapping[str, Any], scene: Mapping[str, Any]) -> HouseTask:
    labels = {room["id"]: room["label"] for room in scene["rooms"]}
    names = {thing["id"]: f"{thing['cls']}_{thing['id']}" for thing in scene["objects"]}
    given = (
        Thing(
            names[thing["id"]],
            thing["cls"],
            labels[thing["room"]],
            thing["kind"] == "item",
            names.get(thing.get("in"), ""),
        )
        for thing in scene["objects"]
    )
    added = (Thing(t["label"], t["cls"], t["room"], True) for t in entry["added"])
    return HouseTask(
        entry["id"],
        entry["split"],
        entry["scene"],
        entry["problem"],
        entry["goal"],
        entry["init_loc"],
        tuple(labels.values()),
        (*given, *added),
    )


@cache
def domain_of(split: str) -> Domain:
    """Read our domain for a split."""
    return load_domain(DOMAINS / f"{split}.yaml")


def build_state(task: HouseTask, domain: Domain) -> Instance:
    """Build the initial state of a task.

    Raises:
        ValueError: a name is given twice.
        InstanceError: a fact does not fit the domain.
    """
    names = [*task.rooms, *(thing.name for thing in task.things), ROBOT]
    if len(set(names)) < len(names):
        raise ValueError(f"{task.name} gives a name twice: make the names of its data unique")
    builder = InstanceBuilder(domain.schema)
    for room in task.rooms:
        _add(builder, domain, room, drop_number(room), "room")
    for thing in task.things:
        fallback = "grabbable" if thing.is_item else "fixture"
        _add(builder, domain, thing.name, thing.category, fallback)
    _add(builder, domain, ROBOT, "robot", "robot")
    for relation, *arguments in _list_facts(task, domain, builder):
        builder.relate(relation, *map(builder.id_of, arguments))
    instance = builder.build()
    instance.prepare()
    return instance


def drop_number(name: str) -> str:
    """Return the category that a name tells: "living_room_7" is a "living_room"."""
    return _NUMBER.sub("", name)


def _add(builder: InstanceBuilder, domain: Domain, name: str, category: str, kind: str) -> None:
    """Add an element with the type of its category, or `kind` where the domain has none."""
    builder.add(type_of_label(category, domain.mapping) or kind, name, {"category": category})


def _list_facts(
    task: HouseTask, domain: Domain, builder: InstanceBuilder
) -> Iterator[tuple[str, ...]]:
    """Yield the initial facts as (relation, element ...)."""
    schema = domain.schema
    types = {t.name: builder.type_of(builder.id_of(t.name)) for t in task.things}

    def is_kind(name: str, kind: str) -> bool:
        return kind in schema.types and schema.is_subtype(types[name], kind)

    yield ("at", ROBOT, task.start)
    for thing in task.things:
        if is_kind(thing.name, "grabbable") and thing.holder and is_kind(thing.holder, "surface"):
            yield ("is_on", thing.name, thing.holder)
        else:
            yield ("at", thing.name, thing.room)
        if is_kind(thing.name, "cleanable"):
            dirty = thing.category.startswith("dirty_")
            yield ("is_dirty" if dirty else "is_clean", thing.name)
        if is_kind(thing.name, "mop"):
            yield ("is_clean", thing.name)
        if is_kind(thing.name, "washing_machine"):
            yield ("is_closed", thing.name)
            yield ("is_empty", thing.name)
    if schema.has_relation("dirty_floor"):
        yield from (("dirty_floor", room) for room in task.rooms)
    if schema.has_relation("is_sorted"):
        bins = (name for name, type_ in types.items() if type_.endswith("_bin"))
        yield from (("is_sorted", name) for name in bins)
    if schema.has_relation("belongs_in"):
        for thing in task.things:
            for place in task.things:
                if _belongs_in(thing, place, types):
                    yield ("belongs_in", thing.name, place.name)


def _belongs_in(thing: Thing, place: Thing, types: Mapping[str, str]) -> bool:
    """Decide by types (glass_waste, glass_bin) or by label ("book into the shelf", shelf)."""
    material, _, kind = types[thing.name].rpartition("_")
    if kind == "waste":
        return types[place.name] == f"{material}_bin"
    kept = _KEPT_IN.fullmatch(thing.category)
    return kept is not None and types[place.name] == "container" and place.category == kept[1]
