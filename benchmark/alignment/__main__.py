# SPDX-License-Identifier: Apache-2.0
"""Names that mean the same: ``python -m benchmark.alignment``.

Blocks (4, 5, 6) and gripper (4 to 12 balls) of the IPC, in which one action makes other names true
than the next one needs: plans that failed, and seconds until the names are found. Then the same
with random guesses instead of structure and meaning, for many seeds; simulators that lie; and
actions that fail by chance.
Names of scenes are in ``scenes.py``. ``--only`` runs one part.
``--quick`` takes fewer seeds.

The tasks are looked for in ../shared/bench/fluents (``--tasks``). The program ends with a table and
the exit code 1 if a goal is missed.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from benchmark.tables import Part as Measured
from benchmark.tables import Verdict, finish, open_console
from fcp_ros.alignment.answer import AlignmentOptions, AlignmentStatus
from fcp_ros.alignment.comparison import align, declare_synonyms
from fcp_ros.alignment.evidence import Standing
from fcp_ros.alignment.pairing import AlignmentTask, make_task, pair_domains
from fcp_ros.alignment.predicate_use import list_atoms
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.simulator import GroundAction, Observation
from fcp_ros.alignment.synonyms import Synonym
from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.domain.pddl.syntax_tree import Conjunction, Typed
from fcp_ros.domain.pddl.task_reader import PddlTexts
from fcp_ros.planning.warm_up import compile_missing_kernels

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "support"))
from clumsy_world import ClumsyWorld  # noqa: E402
from random_adl import make_task as make_random  # noqa: E402
from torn_names import BLOCKS, GRIPPER, draw_tears, find_truth, parse, read_files, simulate, tear  # noqa: E402

from benchmark.alignment.scenes import measure_scenes  # noqa: E402

TASKS = REPOSITORY.parent / "shared" / "bench" / "fluents"
BLOCKS_FOLDER, GRIPPER_FOLDER = "blocks-strips-typed", "gripper-round-1-strips"
INSTANCES = (
    *((BLOCKS_FOLDER, n, BLOCKS, f"blocks, {b} blocks ({n})") for n, b in enumerate("444556", 1)),
    *((GRIPPER_FOLDER, n, GRIPPER, f"gripper, {2 * n + 2} balls") for n in range(1, 6)),
)
RIGHT = {
    BLOCKS_FOLDER: {Synonym("not-holding", "handempty")},
    GRIPPER_FOLDER: {Synonym("in", "at", (0, 1)), Synonym("not-holding", "free", (0,))},
}
MOST_FAILURES, MOST_SECONDS = 3, 1.0
RANDOM_SECONDS, LIAR_SECONDS = 30.0, 2.0
"""Time limits with a simulator that answers at random, which is soon found out, and with one that
always tells the same lies, which may take all the time there is."""
CHANCES = (0.01, 0.05, 0.1)
"""Probabilities that an action fails by chance."""
MANY = 1450


class Part(str, Enum):
    """A part of the measurements."""

    INSTANCES = "instances"
    ARITIES = "arities"
    MANY = "many"
    ORDERS = "orders"
    WORLDS = "worlds"
    LIARS = "liars"
    CHANCE = "chance"
    SCENES = "scenes"


class _Clock:
    """Measures from its making on. Goals are in CPU time: other jobs may run on the machine."""

    def __init__(self) -> None:
        self._begun, self._used = time.perf_counter(), time.process_time()

    @property
    def busy(self) -> float:
        """CPU time (s)."""
        return time.process_time() - self._used

    def __str__(self) -> str:
        return f"{time.perf_counter() - self._begun:.2f} s, {self.busy:.2f} s of CPU"


class _RandomLikeness:
    """Finds any two names alike, by chance."""

    def __init__(self, seed: int) -> None:
        self._draw = np.random.default_rng(seed)

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Return random numbers in [0, 1]."""
        return self._draw.random((len(labels), len(known))).astype(np.float32)


class _Remembered:
    """A simulator that answers by a function, once for the same actions."""

    def __init__(
        self, answer: Callable[[Sequence[GroundAction]], Observation], is_exact: bool
    ) -> None:
        self._answer = answer
        self.is_exact = is_exact
        self._memory: dict[tuple[GroundAction, ...], Observation] = {}

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Answer as the first time."""
        key = tuple(actions)
        if key not in self._memory:
            self._memory[key] = self._answer(actions)
        return self._memory[key]


def main(
    tasks: Annotated[Path, typer.Option(help="Folder of the tasks.")] = TASKS,
    seeds: Annotated[
        int, typer.Option(help="Random orders, lying simulators and chances, of each kind.")
    ] = 1000,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds.")] = False,
    only: Annotated[Part | None, typer.Option(help="One part.")] = None,
) -> None:
    """Measure and print the table."""
    compile_missing_kernels(print)
    parts: dict[Part, Callable[[], Iterable[Verdict]]] = {
        Part.INSTANCES: lambda: _measure_instances(tasks),
        Part.ARITIES: lambda: _measure_arities(tasks),
        Part.MANY: _measure_many_names,
        Part.ORDERS: lambda: _measure_orders(tasks, 20 if quick else seeds),
        Part.WORLDS: lambda: _measure_random_worlds(10 if quick else 100),
        Part.LIARS: lambda: _measure_liars(tasks, 5 if quick else seeds),
        Part.CHANCE: lambda: _measure_chance(tasks, 5 if quick else seeds),
        Part.SCENES: lambda: measure_scenes(5 if quick else 20),
    }
    console, found = open_console(), []
    for part, measure in parts.items():
        if only in (None, part):
            rows = []
            for row in measure():
                console.print(f"{row.what}: {row.value}", highlight=False, markup=False)
                rows.append(row)
            found.append(Measured(part.value, (), rows))
    finish(found, console)


def _measure_many_names() -> Iterator[Verdict]:
    """Align two names among many."""
    names = " ".join(f"(p{number} ?x)" for number in range(MANY))
    facts = " ".join(f"(p{number} a)" for number in range(0, MANY, 2))
    domain = f"""(define (domain big) (:predicates {names} (hot ?x) (warm ?x))
      (:action bake :parameters (?x) :precondition (p0 ?x)
        :effect (and (RESULT ?x) (not (p0 ?x)))))"""
    problem = f"(define (problem p) (:domain big) (:objects a) (:init {facts}) (:goal (hot a)))"
    model, world = (parse(domain.replace("RESULT", name), problem) for name in ("warm", "hot"))
    begun = time.perf_counter()
    result = align(make_task(model), simulate(world))
    seconds = time.perf_counter() - begun
    found = {one.proposal.synonym for one in result.mapping}
    yield Verdict(
        f"two names among {MANY + 2} ({(MANY + 2) * (MANY + 1) // 2} pairs)",
        f"{result.status.value}, {result.failures} failed plans, {seconds:.1f} s",
        "right name",
        found == {Synonym("warm", "hot", (0,))},
    )


def _read(tasks: Path, folder: str, number: int) -> PddlTexts:
    return read_files(tasks / folder / "domain.pddl", tasks / folder / f"instance-{number}.pddl")


def _measure_instances(tasks: Path) -> Iterator[Verdict]:
    """Align each instance; the first one twice, since it loads what all need."""
    for folder, number, torn, name in (INSTANCES[0], *INSTANCES):
        true = _read(tasks, folder, number)
        clock = _Clock()
        result = align(make_task(tear(true, torn)), simulate(true))
        found = {one.proposal.synonym for one in result.mapping}
        is_met = (
            found == RIGHT[folder]
            and result.failures <= MOST_FAILURES
            and clock.busy <= MOST_SECONDS
        )
        said = "right names" if found == RIGHT[folder] else result.status.value
        yield Verdict(
            name,
            f"{said}, {result.failures} failed plans, {clock}",
            f"right names, {MOST_FAILURES} failed plans, {MOST_SECONDS:.0f} s of CPU",
            is_met,
        )


def _measure_arities(tasks: Path) -> Iterator[Verdict]:
    """Align words in which the table is a place, `(lies ?x table)`, with blocks of the IPC."""
    right = {Synonym("ontable", "lies", (0, 1), ("table",)), Synonym("on", "lies", (0, 1))}
    for number, blocks in ((1, 4), (4, 5), (6, 6)):
        own, world = _name_the_table(_read(tasks, BLOCKS_FOLDER, number))
        clock = _Clock()
        task = declare_synonyms(pair_domains(own, world), ["(lies ?x table) = (ontable ?x)"])
        result = align(task, simulate(world))
        found = {one.proposal.synonym for one in result.mapping}
        # Where the lowest block lies there from the start, nothing needs the projection.
        is_right = Synonym("on", "lies", (0, 1)) in found and found <= right
        said = "right names" if is_right else result.status.value
        yield Verdict(
            f"other arities, {blocks} blocks ({number})",
            f"{said}, {result.failures} failed plans, {clock}",
            f"right names, {MOST_FAILURES} failed plans, {MOST_SECONDS:.0f} s of CPU",
            is_right and result.failures <= MOST_FAILURES and clock.busy <= MOST_SECONDS,
        )


def _name_the_table(blocks: PddlTexts) -> tuple[PddlTexts, PddlTexts]:
    """Return the words of a scene with a goal for blocks, and the world with the same goal."""
    goal = [one.arguments for one in list_atoms(blocks.problem.goal)]
    (low,) = {under for _, under in goal} - {item for item, _ in goal}
    facts = blocks.problem.facts
    lying = [*facts.get("on", ()), *((one, "table") for (one,) in facts["ontable"])]
    names = " ".join(one.name for one in blocks.problem.objects)
    wish = [*goal, (low, Constant("table"))]
    own = parse(
        "(define (domain scene) (:predicates (lies ?x ?place)))",
        f"(define (problem wish) (:domain scene) (:objects {names} table) "
        f"(:init {' '.join(f'(lies {x} {place})' for x, place in sorted(lying))}) "
        f"(:goal (and {' '.join(f'(lies {x.name} {place.name})' for x, place in wish)})))",
    )
    problem = replace(
        blocks.problem,
        objects=(*blocks.problem.objects, Typed("table")),
        spelling={**blocks.problem.spelling, "table": "table"},
        goal=Conjunction((blocks.problem.goal, Atom("ontable", (low,)))),
    )
    return own, replace(blocks, problem=problem)


def _confuse(texts: PddlTexts) -> AlignmentTask:
    """Let structure say nothing: every name is made true, ended and needed."""
    task = make_task(texts)
    uses = {
        name: replace(use, produced=True, deleted=True, consumed=True)
        for name, use in task.uses.items()
    }
    return replace(task, uses=uses)


def _measure_orders(tasks: Path, seeds: int) -> Iterator[Verdict]:
    """Align in random orders of the candidates: nothing right is ever refuted."""
    for folder, torn, name in (
        (BLOCKS_FOLDER, BLOCKS, "blocks, 4 blocks"),
        (GRIPPER_FOLDER, GRIPPER, "gripper, 4 balls"),
    ):
        true = _read(tasks, folder, 1)
        task = _confuse(tear(true, torn))
        world = _Remembered(simulate(true).run, is_exact=True)
        outcomes: Counter[str] = Counter()
        failures, wrong = 0, 0
        for seed in range(seeds):
            options = AlignmentOptions(seed=seed)
            result = align(task, world, options, NameLikeness(_RandomLikeness(seed)))
            outcomes[result.status.value] += 1
            failures += result.failures
            refuted = (o.proposal.synonym for o in result.others if o.standing is Standing.REFUTED)
            wrong += (
                any({one, one.invert()} & RIGHT[folder] for one in refuted)
                or not result.status.is_success
            )
        yield Verdict(
            f"{name}, {seeds} random orders, no structure",
            f"{dict(outcomes)}, {failures / seeds:.1f} failed plans each, "
            f"{wrong} wrong refutations",
            "0 wrong refutations",
            wrong == 0,
        )


def _measure_random_worlds(seeds: int) -> Iterator[Verdict]:
    """Align random ADL worlds in which up to three effects have new names."""
    outcomes: Counter[str] = Counter()
    wrong = refused = 0
    for seed in range(seeds):
        true, draw = parse(*make_random(seed)), random.Random(seed)
        if not align(make_task(true), simulate(true)).status.is_success:
            continue
        torn = draw_tears(true, draw)
        result = align(
            make_task(tear(true, torn)), simulate(true), AlignmentOptions(time_limit=10.0)
        )
        outcomes[result.status.value] += 1
        truth = find_truth(true, torn)
        refused += result.status in (AlignmentStatus.NO_PLAN, AlignmentStatus.UNEXPLAINED)
        for one in (*result.mapping, *result.others):
            is_right = truth.implies(one.proposal.synonym)
            wrong += one.standing is (Standing.REFUTED if is_right else Standing.PROVEN)
            wrong += one in result.mapping and not is_right
    yield Verdict(
        f"random ADL worlds that have a plan, of {seeds} seeds",
        f"{dict(outcomes)}, {wrong} wrong conclusions, {refused} called unsolvable",
        "0 wrong conclusions, 0 called unsolvable",
        wrong == 0 and refused == 0,
    )


def _measure_liars(tasks: Path, seeds: int) -> Iterator[Verdict]:
    """Align with simulators that answer at random, or the same wrong thing every time."""
    task = make_task(tear(_read(tasks, GRIPPER_FOLDER, 1), GRIPPER))
    kinds = (
        ("random at each run", False, RANDOM_SECONDS),
        ("random, but always the same", True, LIAR_SECONDS),
    )
    for name, is_fixed, limit in kinds:
        options = AlignmentOptions(most_trials=20, time_limit=limit)
        outcomes: Counter[str] = Counter()
        highest = 0.0
        for seed in range(seeds):
            draw = random.Random(seed)

            def answer(actions: Sequence[GroundAction], draw: random.Random = draw) -> Observation:
                done = draw.randint(0, len(actions))
                return Observation(done, done == len(actions) and draw.random() < 0.5)

            liar = _Remembered(answer, is_exact=False)
            if not is_fixed:
                liar.run = answer  # type: ignore[method-assign]
            result = align(task, liar, options)
            outcomes[result.status.value] += 1
            highest = max((highest, *(one.confidence for one in result.mapping)))
        lied = outcomes[AlignmentStatus.NO_PLAN.value]
        yield Verdict(
            f"gripper, 4 balls, simulator {name}, {seeds} seeds",
            f"{dict(outcomes)}, confidence at most {highest:.2f}",
            "never NO_PLAN, confidence at most 0.95",
            lied == 0 and highest <= 0.95,
        )


def _measure_chance(tasks: Path, seeds: int) -> Iterator[Verdict]:
    """Align with a simulator whose actions fail by chance."""
    for folder, torn, name in (
        (BLOCKS_FOLDER, BLOCKS, "blocks, 4 blocks"),
        (GRIPPER_FOLDER, GRIPPER, "gripper, 4 balls"),
    ):
        true = _read(tasks, folder, 1)
        task, world = make_task(tear(true, torn)), simulate(true)
        exact = _Remembered(world.run, is_exact=True)
        for share in CHANCES:
            outcomes: Counter[str] = Counter()
            wrong = 0
            for seed in range(seeds):
                result = align(task, ClumsyWorld(exact, share, seed))
                outcomes[result.status.value] += 1
                kept = {one.proposal.synonym for one in result.mapping}
                refuted = {
                    one.proposal.synonym
                    for one in result.others
                    if one.standing is Standing.REFUTED
                }
                wrong += bool(kept - RIGHT[folder] or refuted & RIGHT[folder])
            yield Verdict(
                f"{name}, each action fails by chance in {share:.0%}, {seeds} seeds",
                f"{dict(outcomes)}, {wrong} wrong conclusions",
                "0 wrong conclusions",
                wrong == 0,
            )


if __name__ == "__main__":
    typer.run(main)
