# SPDX-License-Identifier: Apache-2.0
"""ALFRED's sentences as tasks of this package: a state for each floor plan, and the formal goal.

Read from `../shared/bench/instructions` (or FCP_INSTRUCTIONS): the train split alone. A tenth of
its floor plans is for development: nothing of them is trained on (`is_development`).

Goals are compared as facts about kinds of things, as ALFRED's own are: any apple will do. What is
said of the way ("sometime", "before") is no part of ALFRED's goals and left out.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fcp_ros.binding.label_types import type_of_label
from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.cset.state_facts import facts
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    atoms,
)
from fcp_ros.domain.model import IS_A

DATA = Path(
    os.environ.get("FCP_INSTRUCTIONS")
    or Path(__file__).resolve().parents[3] / "shared" / "bench" / "instructions"
)
DOMAIN_FILE = Path(__file__).with_name("alfred.yaml")
ROBOT = "robot_1"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OTHER_PLACES = ("hand towel holder", "towel holder", "toaster")
"""Places of the steps that are never a goal's."""
Facts = frozenset[tuple[str, ...]]
"""Facts about kinds of things; ("in", "apple", "fridge", "1") for one apple."""


@dataclass(frozen=True, slots=True)
class AlfredTask:
    """One task: what people said, and what they meant.

    Attributes:
        name: of the trial.
        kind: one of ALFRED's seven.
        floor_plan: number of the room.
        sentences: one of each person.
        goal: what shall hold at the end.
        objects: label -> number of such things.
        start: (label of a thing, label of the place where it is picked up).
        steps, step_sentences: high-level actions, and each person's sentences for them.
    """

    name: str
    kind: str
    floor_plan: int
    sentences: tuple[str, ...]
    goal: Facts
    objects: Mapping[str, int]
    start: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    steps: tuple[str, ...]
    step_sentences: tuple[tuple[str, ...], ...]


def is_development(floor_plan: int) -> bool:
    """Return True for the floor plans that nothing is trained on: those whose number ends in 7."""
    return floor_plan % 10 == 7


def split_name(name: str) -> str:
    """Write a name of ALFRED as words: "SideTable" is a "side table"."""
    return _CAPITAL.sub(" ", name).lower()


def read_tasks(folder: Path = DATA) -> tuple[AlfredTask, ...]:
    """Read all tasks of the train split.

    Raises:
        OSError: there is no such data.
    """
    with gzip.open(folder / "alfred_train.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    names = {split_name(row[key]) for row in rows for key in ("into", "inside", "lamp", "object")}
    names |= {split_name(name) for row in rows for name in row["objects"]} | {*_OTHER_PLACES}
    spelt = {name.replace(" ", ""): name for name in names if name}
    return tuple(_read_task(row, spelt) for row in rows)


def _read_task(row: Mapping[str, object], spelt: Mapping[str, str]) -> AlfredTask:
    def text(key: str) -> str:
        return split_name(str(row[key]))

    objects: dict[str, int] = defaultdict(int)
    for name in row["objects"]:  # type: ignore[attr-defined]
        objects[split_name(name)] += 1
    start, here = [], ""
    steps = tuple(str(step) for step in row["steps"])  # type: ignore[attr-defined]
    for step in steps:
        action, *arguments = step.split()
        if action == "GotoLocation":
            here = spelt.get(arguments[0], arguments[0])
        elif action == "PickupObject" and here != spelt.get(arguments[0]):
            start.append((spelt.get(arguments[0], arguments[0]), here))
    labels = tuple(text(key) for key in ("object", "into", "inside", "lamp") if row[key])
    return AlfredTask(
        str(row["id"]),
        str(row["task"]),
        int(str(row["floor_plan"])),
        tuple(s for s in row["sentences"] if s.strip()),  # type: ignore[attr-defined]
        state_goal(row),
        objects,
        tuple(start),
        labels,
        steps,
        tuple(map(tuple, row["step_sentences"])),  # type: ignore[call-overload]
    )


def state_goal(row: Mapping[str, object]) -> Facts:
    """State what ALFRED counts as success."""
    thing, into, inside, lamp = (
        split_name(str(row[key])) for key in ("object", "into", "inside", "lamp")
    )
    kind = str(row["task"])
    if kind == "look_at_obj_in_light":
        return frozenset({("holding", thing), ("on", lamp)})
    number = "2" if kind == "pick_two_obj_and_place" else "1"
    facts = {("in", thing, inside or into, number)}
    if inside:
        facts.add(("in", inside, into, "1"))
    for part, state in (("clean", "clean"), ("heat", "hot"), ("cool", "cold")):
        if kind.startswith(f"pick_{part}"):
            facts.add((state, thing))
    if row["sliced"]:
        facts.add(("sliced", thing))
    return frozenset(facts)


@cache
def alfred_domain() -> Domain:
    """Read the domain of ALFRED's actions."""
    return load_domain(DOMAIN_FILE)


class FloorPlans:
    """The states of floor plans: all that any of their tasks has, in one state.

    Args:
        tasks: of all floor plans.
    """

    def __init__(self, tasks: Iterable[AlfredTask]) -> None:
        self._things: dict[int, dict[str, int]] = defaultdict(dict)
        for task in tasks:
            known = self._things[task.floor_plan]
            places = [place for _, place in task.start if place]
            for label in (*task.labels, *places):
                known.setdefault(label, 1)
            for label, number in task.objects.items():
                known[label] = max(number, known.get(label, 0))

    def build(self, task: AlfredTask) -> Instance:
        """Build the state of a task's floor plan, with its things where they are picked up."""
        domain = alfred_domain()
        builder = InstanceBuilder(domain.schema)
        builder.add("robot", ROBOT, {"category": "robot"})
        for label, number in sorted(self._things[task.floor_plan].items()):
            type_ = type_of_label(label, domain.mapping) or "object"
            for i in range(number):
                name = f"{label.replace(' ', '_')}_{i + 1}"
                builder.add(type_, name, {"category": label})
        seen: dict[str, int] = defaultdict(int)
        for thing, place in task.start:
            seen[thing] += 1
            one = f"{thing.replace(' ', '_')}_{seen[thing]}"
            other = f"{place.replace(' ', '_')}_1"
            if seen[thing] <= self._things[task.floor_plan].get(thing, 0) and _can_hold(
                builder, domain, one, other
            ):
                builder.relate("in_or_on", builder.id_of(one), builder.id_of(other))
        instance = builder.build()
        instance.prepare()
        return instance


def _can_hold(builder: InstanceBuilder, domain: Domain, one: str, other: str) -> bool:
    names = {ROBOT, one, other}
    if len(names) < 3 or not other.removesuffix("_1"):
        return False
    types = builder.type_of(builder.id_of(one)), builder.type_of(builder.id_of(other))
    schema = domain.schema
    return schema.is_subtype(types[0], "object") and schema.is_subtype(types[1], "place")


# --- goals as facts about kinds


class _FactReader:
    """Reads the facts of a goal, with the kinds of its elements and variables."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self.found: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self.numbers: dict[str, str] = {}

    def read(self, goal: Expression, kinds: Mapping[str, str]) -> None:
        if isinstance(goal, And):
            for part in goal.parts:
                self.read(part, kinds)
        elif isinstance(goal, Forall) and (stays := _find_return(goal)) is not None:
            self._read_return(stays, kinds)
        elif isinstance(goal, Initially):
            return  # what a thing was tells which one is meant
        elif isinstance(goal, (Exists, Count, Forall)):
            number = "all" if isinstance(goal, Forall) else "1"
            if isinstance(goal, Count):
                number = str(goal.number) if goal.bound is not Bound.MOST else f"<{goal.number}"
            inner = dict(kinds)
            for variable in goal.variables:
                name = f"?{len(self.numbers)}"
                self.numbers[name] = number
                inner[variable.name] = f"{self._kind_of(variable, goal.body)}\0{name}"
            self.read(goal.body, inner)
        elif isinstance(goal, Or):
            self._read_conditional(goal, kinds)
        elif isinstance(goal, Atom):
            self._read_atom(goal, kinds)
        elif isinstance(goal, TrajectoryConstraint):
            if goal.operator.value in ("always", "never"):
                self.found[("other", goal.operator.value)].add("")
        else:
            self.found[("other", type(goal).__name__)].add("")

    def _read_return(self, stays: Atom, kinds: Mapping[str, str]) -> None:
        """Read "it is where it was" by the state."""
        thing = stays.arguments[0]
        said = kinds.get(thing.name, "") if isinstance(thing, Variable) else ""
        label, _, who = (said or self._label(getattr(thing, "name", ""))).partition("\0")
        for fact in facts(self._instance):
            if fact.relation == stays.predicate:
                first, place = (self._label(one).partition("\0")[0] for one in fact.arguments)
                if first == label:
                    self.found[("in", label, place)].add(who)
                    return

    def _read_conditional(self, goal: Or, kinds: Mapping[str, str]) -> None:
        """Read "all X that are ..." as a fact about all X."""
        for part in goal.parts:
            if not isinstance(part, Not):
                self.read(part, kinds)

    def _read_atom(self, atom: Atom, kinds: Mapping[str, str]) -> None:
        if atom.predicate == IS_A:
            return
        terms = [
            kinds.get(t.name, "")
            if isinstance(t, Variable)
            else self._label(getattr(t, "name", ""))
            for t in atom.arguments
        ]
        short = [term.partition("\0")[0] for term in terms]
        who = terms[0].partition("\0")[2]
        if atom.predicate == "in_or_on":
            self.found[("in", *short)].add(who)
        elif atom.predicate == "holding":
            self.found[("holding", short[-1])].add(who)
        elif atom.predicate == "switched_on":
            self.found[("on", *short)].add(who)
        elif atom.predicate != "near":
            self.found[(atom.predicate, *short)].add(who)

    def _label(self, element: str) -> str:
        if not self._instance.has(element):
            return element
        category = self._instance.attribute(self._instance.id_of(element), "category")
        return f"{category}\0{element}"

    def _kind_of(self, variable: TypedVariable, body: Expression) -> str:
        """Return the label of all elements that a variable may be; several with "|"."""
        names = [
            atom.arguments[1].value
            for atom in atoms(body)
            if atom.predicate == IS_A
            and isinstance(atom.arguments[0], Variable)
            and atom.arguments[0].name == variable.name
            and isinstance(atom.arguments[1], Text)
        ]
        state, type_ = self._instance, variable.type
        if not state.schema.has_type(type_):  # a label in the place of a type
            names.append(type_.replace("_", " "))
            type_ = "thing"
        fitting = {
            str(state.attribute(element, "category"))
            for element in state.elements(type_)
            if all(is_a(state, element, name) for name in names)
        }
        return "|".join(sorted(fitting))


def _find_return(goal: Forall) -> Atom | None:
    """Find what "forall place (not initially(there) or there)" says of a thing."""
    if not isinstance(goal.body, Or) or len(goal.body.parts) != 2:
        return None
    before, now = goal.body.parts
    same = isinstance(before, Not) and isinstance(before.body, Initially)
    return now if same and isinstance(now, Atom) and before.body.body == now else None


def list_facts(goal: str, instance: Instance) -> Facts:
    """List the facts of a goal of the domain, about kinds of things."""
    reader = _FactReader(instance)
    reader.read(parse_expression(goal), {})
    found = set()
    for fact, who in reader.found.items():
        if fact[0] == "in":
            numbers = [reader.numbers.get(name, "1") for name in who]
            number = numbers[0] if len(numbers) == 1 else str(len(numbers))
            found.add((*fact, number))
        else:
            found.add(fact)
    return frozenset(found)


def is_same_goal(meant: Facts, read: Facts) -> bool:
    """Compare two goals; a thing that is put down at the end isn't in the hand any more.

    "All" counts as two: the sentences of pairs say "both", "two" or a plural.
    """
    return {_count_all(f) for f in meant} == _list_compared(meant, read)


def is_wider_goal(meant: Facts, read: Facts) -> bool:
    """Return True for a goal that what is meant meets, with kinds left open: "on a table"."""
    mine = _list_compared(meant, read)
    return len(mine) == len(meant) and all(
        any(_is_wider(fact, one) for one in mine) for fact in map(_count_all, meant)
    )


def _is_wider(fact: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(fact) == len(other) and all(
        mine in theirs.split("|") for mine, theirs in zip(fact, other, strict=True)
    )


def _list_compared(meant: Facts, read: Facts) -> set[tuple[str, ...]]:
    lit = any(fact[0] == "on" for fact in meant)
    mine = {f for f in read if lit or f[0] != "holding"}
    if lit:  # ALFRED's goal doesn't ask where the thing was before
        mine = {f for f in mine if f[0] in ("holding", "on") or f in meant}
    return {_count_all(f) for f in mine}


def _count_all(fact: tuple[str, ...]) -> tuple[str, ...]:
    return (*fact[:-1], "2") if fact[0] == "in" and fact[-1] == "all" else fact
