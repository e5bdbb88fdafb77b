# SPDX-License-Identifier: Apache-2.0
"""Rows for `fcp language train` from ALFRED's sentences (its train split without our development).

A step sentence of one clause asks for its action, and that sentence's object and place fill the
slots. Where people describe a step in several clauses, a clause counts if its verb is said of that
action far more often than of others. States come from the adjectives of the sentences in the same
way ("a chilled tomato"), and names from aligning nouns with the things of the goal.

    python -m benchmark.instructions.rows alfred_rows.json
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmark.instructions.alfred import DATA, DOMAIN_FILE, AlfredTask, is_development, read_tasks
from fcp_ros.language.demands.frames import OBJECT, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.names import align_names
from fcp_ros.language.demands.parsed_clauses import name_noun, read_parts
from fcp_ros.language.demands.rows import write_clause
from fcp_ros.language.syntax import ParsedClause, parse_clauses

SENTENCES, STEPS = 12_000, 700
"""Numbers of sentences, and of step sentences of each action; drawn with a fixed seed."""
LICENCE = "MIT (Copyright (c) 2019 ALFRED)"
MEANINGS = {
    "GotoLocation": "go",
    "PickupObject": "pick_up",
    "PutObject": "in_or_on",
    "SliceObject": "slice",
    "HeatObject": "heat|heat_in",
    "CoolObject": "cool|cool_in",
    "CleanObject": "wash|wash_in",
    "ToggleObject": "switched_on",
}
STATES = {
    "pick_heat_then_place_in_recep": "hot",
    "pick_cool_then_place_in_recep": "cold",
    "pick_clean_then_place_in_recep": "clean",
}
KINDS = {
    "look_at_obj_in_light": "examine",
    "pick_heat_then_place_in_recep": "heat|heat_in",
    "pick_cool_then_place_in_recep": "cool|cool_in",
    "pick_clean_then_place_in_recep": "wash|wash_in",
}
_SIMPLE = ("PickupObject", "PutObject", "GotoLocation", "SliceObject", "ToggleObject")
_DESTINATIONS = frozenset(["in", "on", "into", "onto", "inside", "to", "under", "upon", "at"])

Row = tuple[str, DemandClause, tuple[tuple[str, int], ...]]


class RowCollection:
    """Rows and names that are collected from parsed sentences."""

    def __init__(self) -> None:
        self.rows: Counter[Row] = Counter()
        self.names: list[tuple[list[str], list[str]]] = []

    def add(self, asks: str, clause: DemandClause, slots: Mapping[str, int]) -> None:
        """Add a row; its nouns are masked, so that equal frames are one row."""
        arguments = tuple(SpokenArgument(a.marker, "thing") for a in clause.arguments)
        masked = DemandClause(
            clause.verb, clause.particle, arguments, clause.complement, clause.negated
        )
        self.rows[asks, masked, tuple(sorted(slots.items()))] += 1

    def add_steps(self, steps: Sequence[tuple[str, tuple[DemandClause, ...]]]) -> None:
        """Add step sentences, each with the name of its action."""
        said: dict[str, Counter[str]] = defaultdict(Counter)
        for action, clauses in steps:
            for clause in clauses:
                said[clause.action][action] += 1
        for action, clauses in steps:
            for clause in clauses:
                every = said[clause.action]
                share = every[action] / every.total()
                simple = action in _SIMPLE
                if simple and (len(clauses) > 1 or share < 0.3):
                    continue
                if not simple and (every.total() < 3 or share < 0.55):
                    continue
                slots = _find_slots(action, clause)
                if slots:
                    self.add(MEANINGS[action], clause, slots)

    def add_sentences(
        self, sentences: Sequence[tuple[AlfredTask, tuple[ParsedClause, ...]]]
    ) -> None:
        """Add sentences for whole tasks: demands, states and names."""
        verbs: dict[str, Counter[str]] = defaultdict(Counter)
        adjectives: dict[str, Counter[str]] = defaultdict(Counter)
        for task, parsed in sentences:
            for one in parsed:
                verbs[read_parts(one).clause.action][task.kind] += 1
            for word in _list_adjectives(parsed):
                adjectives[word][task.kind] += 1
            self.names.append((_list_nouns(parsed), list(task.labels)))
        for task, parsed in sentences:
            clauses = [read_parts(one).clause for one in parsed]
            for clause in clauses:
                every = verbs[clause.action]
                typical = every.total() >= 3 and every[task.kind] / every.total() > 0.7
                if task.kind in KINDS and typical and clause.verb != "put":
                    self._add_demand(KINDS[task.kind], clause)
                    continue
                if len(clauses) == 1 and task.kind != "look_at_obj_in_light":
                    slots = _find_slots("PutObject", clause)
                    if len(slots) == 2 and task.kind != "pick_and_place_with_movable_recep":
                        self.add("in_or_on", clause, slots)
        for word, kinds in sorted(adjectives.items()):
            kind, count = kinds.most_common(1)[0]
            if kind in STATES and kinds.total() >= 5 and count / kinds.total() > 0.8:
                clause = DemandClause("be", "", (SpokenArgument(SUBJECT, "thing"),), word)
                for _ in range(count):
                    self.add(STATES[kind], clause, {"object": 0})

    def _add_demand(self, asks: str, clause: DemandClause) -> None:
        objects = [i for i, a in enumerate(clause.arguments) if a.marker == OBJECT]
        others = [i for i, a in enumerate(clause.arguments) if a.preposition]
        if not objects:
            return
        slots = {"object": objects[0]}
        if asks == "examine":
            if not others:
                return
            slots["lamp"] = others[0]
        self.add(asks, clause, slots)

    def write(self, file: Path) -> None:
        """Write the file of rows."""
        clauses: dict[str, list[object]] = defaultdict(list)
        for (asks, clause, slots), count in sorted(self.rows.items(), key=str):
            clauses[asks].append(write_clause(clause, dict(slots), count))
        content = {
            "licence": LICENCE,
            "domains": {"alfred": {"file": str(DOMAIN_FILE), "clauses": clauses}},
            "names": align_names(self.names),
        }
        file.write_text(json.dumps(content, indent=0), encoding="utf-8")


def _find_slots(action: str, clause: DemandClause) -> dict[str, int]:
    """Find which arguments fill the slots of an action; empty where they aren't all said."""
    objects = [i for i, a in enumerate(clause.arguments) if a.marker == OBJECT]
    places = [i for i, a in enumerate(clause.arguments) if a.preposition in _DESTINATIONS]
    if action == "GotoLocation":
        to = [i for i in places if clause.arguments[i].preposition == "to"]
        return {"to": to[0]} if to else {}
    if not objects:
        return {}
    if action == "ToggleObject":
        return {"lamp": objects[0]}
    if action == "PutObject":
        return {"object": objects[0], "place": places[0]} if places else {}
    return {"object": objects[0]}


def _list_adjectives(parsed: Iterable[ParsedClause]) -> list[str]:
    trees = {id(one.tree): one.tree for one in parsed}
    return [w.text for tree in trees.values() for w in tree.words if w.role == "amod"]


def _list_nouns(parsed: Iterable[ParsedClause]) -> list[str]:
    trees = {id(one.tree): one.tree for one in parsed}
    return [
        name_noun(tree, w)
        for tree in trees.values()
        for w in tree.words
        if w.is_noun and w.role != "compound"
    ]


def main() -> None:
    """Write the rows to the file that the command line names."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "alfred_rows.json")
    tasks = [task for task in read_tasks(DATA) if not is_development(task.floor_plan)]
    draw = random.Random(1)
    steps: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for task in tasks:
        for person in task.step_sentences:
            if len(person) == len(task.steps):
                for said, step in zip(person, task.steps, strict=True):
                    action = step.split()[0]
                    if said.strip():
                        steps[action].append((action, said))
    chosen = [pair for some in steps.values() for pair in draw.sample(some, min(STEPS, len(some)))]
    rows = RowCollection()
    rows.add_steps(
        [
            (action, tuple(read_parts(one).clause for one in parse_clauses(said)))
            for action, said in chosen
        ]
    )
    sentences = [(task, said) for task in tasks for said in task.sentences]
    rows.add_sentences(
        [(task, parse_clauses(said)) for task, said in draw.sample(sentences, SENTENCES)]
    )
    rows.write(target)
    print(f"{len(rows.rows)} rows of {rows.rows.total()} clauses in {target}")


if __name__ == "__main__":
    main()
