# SPDX-License-Identifier: Apache-2.0
"""Parts of the planning benchmark: planning after a change, and the first plan of a process."""

from __future__ import annotations

import random
import resource
import statistics
import time

from benchmark.planning.household import Household, Kind, household
from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN, Settings, our_line
from benchmark.planning.vague import CountingSource
from benchmark.rivals.ours import Job
from benchmark.tables import Line, Part, Verdict, limit
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Fact, Instance, with_facts
from fcp_ros.domain import load_domain, parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan
from fcp_ros.scene import load_scene

SIZE = (1_000, 200, 3)
CHANGES = 50
MEDIAN_MS = 20.0
COLD_SECONDS = 2.0


def replanning_part(settings: Settings) -> Part:
    """A plan, one changed fact, and the next plan; 50 times, each time from the same state."""
    objects, receptacles, moves = (100, 40, 3) if settings.quick else SIZE
    house = household(objects, receptacles, moves)
    domain = load_domain(HOUSEHOLD_DOMAIN)
    scene = settings.folder / "replanning.json"
    write_scene(house, scene)
    state = scene_to_instance(load_scene(scene), domain.schema, domain.mapping).instance
    goal = parse_expression(house.goal_text())
    options = PlanningOptions(alpha=0.0, time_limit=settings.limits.seconds)
    session = PlanningSession(domain)
    session.prepare()
    first = plan(PlanningRequest(domain, state, goal, options, CountingSource(), session=session))
    generator = random.Random(1)
    milliseconds, solved, kept = [], 0, 0
    for _ in range(CHANGES):
        changed = changed_state(house, state, generator)
        if first.plan is not None:
            session.remember(first.plan)
        start = time.perf_counter()
        result = plan(
            PlanningRequest(domain, changed, goal, options, CountingSource(), session=session)
        )
        milliseconds.append((time.perf_counter() - start) * 1e3)
        solved += result.plan is not None
        kept += result.kept is not None
    figures = {
        "changes": CHANGES,
        "solved": solved,
        "kept": kept,
        "median ms": statistics.median(milliseconds),
        "worst ms": max(milliseconds),
    }
    median = statistics.median(milliseconds) if solved == CHANGES else None
    return Part(
        "replanning",
        [Line(f"{objects:,}/{receptacles:,} k={moves}", "ours", figures)],
        [limit("after one changed fact, median", median, MEDIAN_MS, "ms")],
    )


def changed_state(house: Household, state: Instance, generator: random.Random) -> Instance:
    """The state with one random change: an item elsewhere, or a container opened or closed.

    Every other change is about what the task speaks of, so that not all of them are beside the
    point.
    """
    near = generator.random() < 0.5
    moved = [item for item, _ in house.goal] if near else [item.name for item in house.items]
    places = [place for _, place in house.goal] + [house.item[i].place for i, _ in house.goal]
    boxes = [
        place.name
        for place in house.receptacles
        if place.kind is Kind.CONTAINER and (not near or place.name in places)
    ]
    if boxes and generator.random() < 0.5:
        box = generator.choice(boxes)
        fact = Fact("closed", (box,))
        is_closed = house.receptacle[box].closed
        return with_facts(state, () if is_closed else [fact], [fact] if is_closed else ())
    item = house.item[generator.choice(moved)]
    surfaces = [place.name for place in house.receptacles if place.kind is Kind.SURFACE]
    inside = house.receptacle[item.place].kind is Kind.CONTAINER
    now = Fact("inside" if inside else "on", (item.name, item.place))
    return with_facts(state, [Fact("on", (item.name, generator.choice(surfaces)))], [now])


def cold_start_part(settings: Settings) -> Part:
    """Fresh processes: from the start of the interpreter to the first plan."""
    objects, receptacles, moves = SIZE
    house = household(objects, receptacles, moves)
    scene = settings.folder / "cold.json"
    write_scene(house, scene)
    job = Job(
        str(HOUSEHOLD_DOMAIN),
        scene=str(scene),
        goal=house.goal_text(),
        time_limit=settings.limits.seconds,
    )
    lines, walls = [], []
    for number in range(4):
        start, used = time.perf_counter(), _children_seconds()
        run = settings.ours(job, ready=False)
        wall, used = time.perf_counter() - start, _children_seconds() - used
        if number:  # the first one may compile, and fills the disk cache
            walls.append(wall if run.solved else float("inf"))
        name = "first process (kernels may be compiled)" if number == 0 else "fresh process"
        line = our_line(name, run)
        lines.append(
            Line(name, line.who, {**line.figures, "process": wall * 1e3, "its CPU": used * 1e3})
        )
    best = min(walls)
    note = "CPU counts all threads; where it is far below the wall clock, the machine was busy."
    value = best if best < float("inf") else None
    verdict: Verdict = limit("process start to first plan", value, COLD_SECONDS, "s")
    return Part("cold start", lines, [verdict], [note])


def _children_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
