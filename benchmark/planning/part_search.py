# SPDX-License-Identifier: Apache-2.0
"""Part of the planning benchmark: search alone, on tasks that Fast Downward has translated.

Blind A* tells how fast states are expanded; LM-cut over losses how fast the best membership is
proven. Both planners get the same variables and operators; where they may differ in the number of
expansions, only in how they break ties. Seconds of search are CPU seconds on both sides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.planning.classics import CLASSICS
from benchmark.planning.household import household, restricted
from benchmark.planning.household_pddl import DOMAIN, problem_text
from benchmark.planning.settings import Settings, rival_line
from benchmark.rivals.programs import BLIND, LM_CUT, Rival, RivalRun
from benchmark.rivals.sas_reader import read_sas, with_losses
from benchmark.tables import Line, Part, Verdict
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.objective import Objective, SearchOutcome, SearchReport

BLIND_SIZES = {
    "blocks": 8,
    "gripper": 12,
    "logistics": 4,
    "miconic": 9,
    "ferry": 8,
    "satellite": 5,
    "rovers": 4,
}
LM_CUT_SIZES = {
    "blocks": 15,
    "gripper": 6,
    "logistics": 8,
    "miconic": 10,
    "ferry": 8,
    "satellite": 6,
    "rovers": 8,
}
FASTER = 3.0
"""Goal: so many times the expansions a second of blind A*."""
EXPANSIONS_AT_ONCE = 100_000
"""After so many the time limit is looked at."""
TICK = 0.004
"""Seconds that Fast Downward's clock goes on at once."""


@dataclass(frozen=True)
class Searched:
    """What our search did: CPU seconds of the search alone, and its report."""

    seconds: float
    report: SearchReport


def raw_search_part(settings: Settings) -> Part:
    """Blind A* on both sides: expansions a second."""
    lines: list[Line] = []
    verdicts: list[Verdict] = []
    for name, files in _tasks(BLIND_SIZES, 3, settings):
        sas = settings.folder / "blind.sas"
        theirs = settings.rival(BLIND, *files, keep_sas=sas)
        if theirs is None or not sas.is_file():
            continue
        lines.append(rival_line(name, theirs))
        ours = _searched(read_sas(sas, 0.001), Heuristic.BLIND, settings)
        sas.unlink()
        lines.append(_our_line(name, ours))
        verdicts.append(_speed(name, ours, theirs))
    return Part("raw search", lines, verdicts, _notes(lines))


def best_membership_part(settings: Settings) -> Part:
    """A* with LM-cut over losses on both sides: seconds to the proven optimum."""
    lines: list[Line] = []
    verdicts: list[Verdict] = []
    for name, files in _tasks(LM_CUT_SIZES, 4, settings):
        plain, sas = settings.folder / "plain.sas", settings.folder / "losses.sas"
        if settings.rival(_TRANSLATE, *files, keep_sas=plain) is None or not plain.is_file():
            continue
        sas.write_text(with_losses(plain.read_text(encoding="utf-8")), encoding="utf-8")
        plain.unlink()
        theirs = settings.rival(LM_CUT, sas)
        assert theirs is not None
        lines.append(rival_line(name, theirs))
        ours = _searched(read_sas(sas, 0.01), Heuristic.LM_CUT, settings)
        lines.append(_our_line(name, ours))
        verdicts.append(_time(name, ours, theirs))
    return Part("best membership", lines, verdicts, _notes(lines))


_TRANSLATE = Rival("Fast Downward", ("--translate",), "translator")


def _tasks(
    sizes: dict[str, int], moves: int, settings: Settings
) -> Iterator[tuple[str, tuple[Path, Path]]]:
    """A task of each classical domain, and a house restricted by hand."""
    for classic in CLASSICS[:2] if settings.quick else CLASSICS:
        size = sizes[classic.name]
        problem = settings.folder / "search.pddl"
        problem.write_text(classic.problem(size), encoding="utf-8")
        yield f"{classic.name} {size}", (classic.domain, problem)
    problem = settings.folder / "search.pddl"
    problem.write_text(problem_text(restricted(household(1_000, 200, moves))), encoding="utf-8")
    yield f"household k={moves}", (DOMAIN, problem)


def _searched(task: FlatTask, heuristic: Heuristic, settings: Settings) -> Searched:
    """Our A*, the fastest of some repetitions, once its kernels are compiled and loaded."""
    best = None
    _search(task, heuristic, settings).run(1)
    for _ in range(settings.repetitions):
        start = time.process_time()
        search = _search(task, heuristic, settings)
        report = search.run(EXPANSIONS_AT_ONCE)
        while report.outcome is SearchOutcome.PAUSED and _since(start) < settings.limits.seconds:
            report = search.run(EXPANSIONS_AT_ONCE)
        seconds = _since(start)
        if best is None or seconds < best.seconds:
            best = Searched(seconds, report)
        if seconds > settings.limits.seconds / 2.0:
            break
    assert best is not None
    return best


def _search(task: FlatTask, heuristic: Heuristic, settings: Settings) -> BestFirst:
    options = SearchOptions(Algorithm.ASTAR, heuristic, tie_heuristic=Heuristic.BLIND)
    return BestFirst(task, Objective(), options, settings.limits.memory * 2**20)


def _since(start: float) -> float:
    """CPU seconds, which is what Fast Downward's own clock counts; both have one thread."""
    return time.process_time() - start


def _our_line(task: str, ours: Searched) -> Line:
    report = ours.report
    return Line(
        task,
        "ours",
        {
            "status": report.outcome.value,
            "steps": None if report.best is None else len(report.best.operators),
            "loss": None if report.best is None else report.best.loss,
            "search": ours.seconds * 1e3,
            "expansions": report.expanded,
        },
    )


def _speed(task: str, ours: Searched, theirs: RivalRun) -> Verdict:
    goal = f"at least {FASTER:g} times"
    if theirs.expansions is None or not theirs.search_seconds:
        return Verdict(task, "not solved by Fast Downward", goal, None)
    speed = ours.report.expanded / ours.seconds
    rival = theirs.expansions / max(theirs.search_seconds, TICK)
    value = f"{speed / 1e6:.2f} M/s, {speed / rival:.1f} times {rival / 1e6:.2f} M/s"
    return Verdict(f"{task}: expansions a second", value, goal, speed >= FASTER * rival)


def _time(task: str, ours: Searched, theirs: RivalRun) -> Verdict:
    what, goal = f"{task}: optimum proven", "no slower than astar(lmcut())"
    proven = ours.report.outcome is SearchOutcome.OPTIMAL
    if theirs.search_seconds is None:
        value = f"{ours.seconds:.3g} s, astar(lmcut()) does not" if proven else "by nobody"
        return Verdict(what, value, goal, True if proven else None)
    value = f"{ours.seconds:.3g} s, astar(lmcut()) {theirs.search_seconds:.3g} s"
    faster = ours.seconds <= theirs.search_seconds + TICK
    same = proven and ours.report.best is not None and theirs.cost is not None
    if same and abs(ours.report.best.loss * 100.0 - theirs.cost) > 1e-3:
        value += f"; the optima differ: {ours.report.best.loss:g} and {theirs.cost / 100.0:g}"
        faster = False
    return Verdict(what, value, goal, proven and faster)


def _notes(lines: list[Line]) -> list[str]:
    return [] if lines else ["Fast Downward, which translates the tasks, is left out."]
