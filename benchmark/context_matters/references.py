# SPDX-License-Identifier: Apache-2.0
"""The references: what a fair person takes each sentence of the tasks to mean, as formal goals.

``references.yaml`` and ``impossible.yaml`` were written by hand
from the sentences and the things alone, before the planner was run on them; their headers document
the format. Nothing in here depends on what the planner answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from benchmark.context_matters.instances import HouseTask, Thing

REFERENCES = Path(__file__).with_name("references.yaml")
VARIANTS = Path(__file__).with_name("impossible.yaml")


@dataclass(frozen=True, slots=True)
class AcceptedGoal:
    """A goal that counts, with the constraints that hold besides, and what it gives up.

    Attributes:
        rank: 1 is best; 0 is the whole of what was asked.
        text: the goal and its constraints, in the goal language.
        sentence: what is given up.
    """

    rank: int
    text: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """The right answers to one task in one scene.

    Attributes:
        whole: all of what is asked.
        feasible: whether that can be reached.
        lenient: a weaker goal that some would call done; None without one.
        relaxations: what is acceptable instead, best first.
        never: goals that must not hold of the plan.
        unchecked: what is never acceptable, in words that nothing here evaluates.
        holds_initially: nothing has to be done.
        impossible: saying so is the one right answer.
        refusal: how good that answer is otherwise: poor, fair or best.
        ambiguous: a good question; empty if the sentence is clear.
        doubt: why fair people disagree; empty if they would not.
    """

    whole: AcceptedGoal | None
    feasible: bool
    lenient: AcceptedGoal | None = None
    relaxations: tuple[AcceptedGoal, ...] = ()
    never: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    holds_initially: bool = False
    impossible: bool = False
    refusal: str = "poor"
    ambiguous: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """A task that can't be done as asked, made from another one by hand."""

    name: str
    kind: str
    task: HouseTask
    reference: Reference


def read_references(path: Path = REFERENCES) -> dict[str, Reference]:
    """Read the references by the name of the instance, such as "dining_setup/Parole/problem_1"."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    common = document.get("common", {})
    found: dict[str, Reference] = {}
    for task in (*document["tasks"], *document.get("tasks_without_scene", ())):
        split, problem = task["task"].split("/")
        for entry in task["scenes"]:
            reference = _read_reference(task, entry, common)
            for scene in entry["scenes"]:
                found[f"{split}/{scene}/{problem}"] = reference
    return found


def _read_reference(
    task: Mapping[str, Any], entry: Mapping[str, Any], common: Mapping[str, Sequence[str]]
) -> Reference:
    order = _read_order(task.get("order", ()), common)
    relaxations = []
    for given in entry.get("relaxations", ()):
        own = _read_order(given["order"], common) if "order" in given else order
        relaxations.append(
            AcceptedGoal(given["rank"], _join(given["goal"], own), given["sentence"])
        )
    never = (*task.get("never", ()), *entry.get("never", ()))
    lenient = task.get("lenient")
    doubtful = task.get("doubtful") or entry.get("doubtful")
    doubts = (entry.get("doubt"), task.get("doubt"))
    return Reference(
        AcceptedGoal(0, _join(task["goal"], order)),
        bool(entry.get("feasible")),
        AcceptedGoal(0, _join(lenient, order), "lenient") if lenient else None,
        tuple(sorted(relaxations, key=lambda given: given.rank)),
        tuple(_unfold(given["goal"]) for given in never if "goal" in given),
        tuple(given["sentence"] for given in never if "sentence" in given),
        bool(entry.get("holds_initially")),
        bool(entry.get("impossible")),
        entry.get("refusal", "poor"),
        entry.get("ambiguous") or task.get("ambiguous") or "",
        next((text for text in doubts if text), "doubtful") if doubtful else "",
    )


def _read_order(
    entries: Iterable[str | Mapping[str, str]], common: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the formulas of an order, with those that have a common name written out."""
    found: list[str] = []
    for entry in entries:
        found.extend([entry] if isinstance(entry, str) else common[entry["common"]])
    return tuple(found)


def _join(goal: str, order: Sequence[str]) -> str:
    return " and ".join(f"({_unfold(text)})" for text in (goal, *order))


def _unfold(text: str) -> str:
    return " ".join(text.split())


def read_variants(tasks: Iterable[HouseTask], path: Path = VARIANTS) -> tuple[Variant, ...]:
    """Read the impossible variants.

    Args:
        tasks: all instances, those without a scene too.
        path: of the file.

    Raises:
        ValueError: a variant removes or changes what is not there.
    """
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    known = {(task.split, task.problem, task.scene): task for task in tasks}
    return tuple(_read_variant(entry, known) for entry in document["variants"])


def _read_variant(
    entry: Mapping[str, Any], tasks: Mapping[tuple[str, str, str], HouseTask]
) -> Variant:
    split, problem, scene = entry["of"].split("/")
    task = tasks[split, problem, scene]
    removed = set(entry.get("remove", ()))
    kept = [t for t in task.things if t.name not in removed and t.category not in removed]
    missing = removed - {t.name for t in task.things} - {t.category for t in task.things}
    if missing:
        raise ValueError(f"{entry['id']} removes {', '.join(missing)}, which {task.name} lacks")
    number = max(int(thing.name.rpartition("_")[2]) for thing in task.things)
    for offset, added in enumerate(entry.get("add", ()), start=1):
        name = f"{added['category']}_{number + offset}"
        kept.append(Thing(name, added["category"], added["room"], True))
    changed = replace(
        task,
        name=f"{task.name}: {entry['id']}",
        sentence=entry.get("sentence", task.sentence),
        things=tuple(_without_holder(thing, kept) for thing in kept),
    )
    whole = AcceptedGoal(0, _unfold(entry["goal"])) if "goal" in entry else None
    given = entry.get("relaxation")
    relaxations = (AcceptedGoal(1, _unfold(given["goal"]), given["sentence"]),) if given else ()
    reference = Reference(
        whole, False, relaxations=relaxations, impossible=entry["expected"] == "impossible"
    )
    return Variant(entry["id"], entry["kind"], changed, reference)


def _without_holder(thing: Thing, kept: Sequence[Thing]) -> Thing:
    """Let a thing lie in its room where what it lay on was removed."""
    there = not thing.holder or any(other.name == thing.holder for other in kept)
    return thing if there else replace(thing, holder="")
