# SPDX-License-Identifier: Apache-2.0
"""Parts of the planning benchmark: moving things in houses of growing size, also past blockers."""

from __future__ import annotations

from pathlib import Path

from benchmark.planning.blockers import BLOCKERS, blocked_household
from benchmark.planning.household import Household, household, restricted
from benchmark.planning.household_pddl import DOMAIN, problem_text
from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN, Settings, our_line, rival_line
from benchmark.rivals.fast_downward import RivalRun
from benchmark.rivals.ours import Job, OurRun
from benchmark.tables import Line, Part, Verdict, limit

SIZES = ((100, 40), (1_000, 200), (5_000, 800), (20_000, 2_000))
"""Objects and receptacles."""
MOVES = (3, 10)
PLANNING_MS = {3: 50.0, 10: 150.0}
"""Goals for compile, search and verify, by the number of items to move."""
TOTAL_SECONDS = {1_000: 0.3, 5_000: 1.0, 20_000: 3.0}
"""Goals for everything, reading included, by the number of objects."""
MEMORY_MIB = 1_500.0


def household_part(settings: Settings) -> Part:
    """Every size with every number of items to move."""
    lines: list[Line] = []
    verdicts: list[Verdict] = []
    for objects, receptacles in SIZES[:2] if settings.quick else SIZES:
        for moves in MOVES:
            task = f"{objects:,}/{receptacles:,} k={moves}"
            house = household(objects, receptacles, moves)
            ours, theirs = _measured(task, house, settings, lines)
            verdicts += _verdicts(task, moves, objects, ours, theirs)
    return Part("household", lines, verdicts)


def blockers_part(settings: Settings) -> Part:
    """Each kind of blocker in a small and in a large house."""
    lines: list[Line] = []
    verdicts: list[Verdict] = []
    for objects, receptacles in SIZES[:1] if settings.quick else SIZES[:3]:
        for name in BLOCKERS:
            task = f"{name}, {objects:,}/{receptacles:,}"
            house = blocked_household(name, objects, receptacles)
            ours, theirs = _measured(task, house, settings, lines)
            verdicts.append(Verdict(f"{task}: solved", ours.status, "a verified plan", ours.solved))
            verdicts += _no_longer(task, ours, theirs)
    return Part("blockers and tools", lines, verdicts)


def house_files(house: Household, settings: Settings) -> tuple[Path, Path, Path]:
    """Scene, full problem and restricted problem of a house, as files."""
    scene, full, small = (
        settings.folder / name for name in ("scene.json", "full.pddl", "restricted.pddl")
    )
    write_scene(house, scene)
    full.write_text(problem_text(house), encoding="utf-8")
    small.write_text(problem_text(restricted(house)), encoding="utf-8")
    return scene, full, small


def _measured(
    task: str, house: Household, settings: Settings, lines: list[Line]
) -> tuple[OurRun, RivalRun | None]:
    """Our run, and that of lama-first on the task restricted by hand; adds the lines of all."""
    scene, full, small = house_files(house, settings)
    job = Job(
        str(HOUSEHOLD_DOMAIN),
        scene=str(scene),
        goal=house.goal_text(),
        time_limit=settings.limits.seconds,
        repetitions=settings.repetitions,
    )
    ours = settings.ours(job)
    lines.append(our_line(task, ours))
    by_hand = None
    for problem, name in ((small, "by hand"), (full, "")):
        run = settings.lama(DOMAIN, problem)
        if run is not None:
            lines.append(rival_line(task, run, name))
            by_hand = by_hand or run
    return ours, by_hand


def _verdicts(
    task: str, moves: int, objects: int, ours: OurRun, theirs: RivalRun | None
) -> list[Verdict]:
    planning = ours.planning * 1e3 if ours.solved else None
    total = ours.reading + ours.planning if ours.solved else None
    found = [limit(f"{task}: compile, search, verify", planning, PLANNING_MS[moves], "ms")]
    if objects in TOTAL_SECONDS:
        found.append(limit(f"{task}: from files to plan", total, TOTAL_SECONDS[objects], "s"))
    memory = ours.memory if ours.solved else None
    found.append(limit(f"{task}: memory", memory, MEMORY_MIB, "MiB"))
    return found + _no_longer(task, ours, theirs)


def _no_longer(task: str, ours: OurRun, theirs: RivalRun | None) -> list[Verdict]:
    """That our plan is no longer than that of lama-first on the restricted task."""
    if theirs is None or theirs.steps is None:
        return []
    steps = None if ours.steps is None else float(ours.steps)
    return [limit(f"{task}: steps, lama-first's on the restricted task", steps, theirs.steps, "")]
