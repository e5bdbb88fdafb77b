# SPDX-License-Identifier: Apache-2.0
"""One measured planning request in a process of its own: a job comes in, a run goes out, as JSON.

``ours.py`` starts it. The first of the repetitions loads compiled kernels and is reported
apart; of the others, the shortest time of each stage counts. Memory is the peak of the process.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STARTED = time.perf_counter()


def measured(job: Mapping[str, Any]) -> dict[str, Any]:
    """Run a job as often as it says.

    Arguments:
        job: the fields of `ours.Job`.

    Returns:
        the fields of `ours.OurRun`.
    """
    if job["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (job["memory"] * 2**20,) * 2)
    runs = [_once(job) for _ in range(job["repetitions"] + 1)]
    first, others = runs[0], runs[1:] or runs
    best = min(others, key=lambda run: sum(run["seconds"].values()))
    seconds = {
        stage: min(run["seconds"].get(stage, 0.0) for run in others) for stage in best["seconds"]
    }
    return {
        **best,
        "seconds": seconds,
        "first_seconds": first["finished"] - STARTED,
        "memory": peak_mebibytes(),
    }


def peak_mebibytes() -> float:
    """Peak of the resident memory; not from getrusage, which counts what started us, too."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _once(job: Mapping[str, Any]) -> dict[str, Any]:
    """Read the files, plan, and tell how long each took."""
    from benchmark.planning.vague import CountingSource
    from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan

    seconds, domain, instance, goal = _read(job)
    source = CountingSource(job["lowest"])
    options = PlanningOptions(alpha=job["alpha"], time_limit=job["time_limit"], keep=False)
    start = time.perf_counter()
    session = PlanningSession(domain)
    session.prepare()
    seconds["domain"] = seconds.get("domain", 0.0) + time.perf_counter() - start
    result = plan(PlanningRequest(domain, instance, goal, options, source, session=session))
    seconds |= {stage: value for stage, value in result.timings.items() if stage != "total"}
    found = result.plan
    return {
        "status": result.status.name,
        "message": result.message,
        "seconds": seconds,
        "plan_seconds": result.timings["total"],
        "steps": None if found is None else len(found.steps),
        "membership": None if found is None else found.membership,
        "expansions": result.expansions,
        "questions": source.questions,
        "batches": source.batches,
        "finished": time.perf_counter(),
    }


def _read(job: Mapping[str, Any]) -> tuple[dict[str, float], Any, Any, Any]:
    """Seconds of each stage of reading, and the domain, state and goal."""
    if job["problem"]:
        return _read_pddl(job)
    from fcp_ros.binding import scene_to_instance
    from fcp_ros.domain import load_domain, parse_expression
    from fcp_ros.scene import load_scene

    start = time.perf_counter()
    domain = load_domain(Path(job["domain"]))
    after_domain = time.perf_counter()
    graph = load_scene(job["scene"])
    after_scene = time.perf_counter()
    instance = scene_to_instance(graph, domain.schema, domain.mapping).instance
    seconds = {
        "domain": after_domain - start,
        "scene": after_scene - after_domain,
        "c-set": time.perf_counter() - after_scene,
    }
    return seconds, domain, instance, parse_expression(job["goal"])


def _read_pddl(job: Mapping[str, Any]) -> tuple[dict[str, float], Any, Any, Any]:
    from fcp_ros.domain.pddl import read_pddl

    start = time.perf_counter()
    task = read_pddl(Path(job["domain"]), Path(job["problem"]))
    seconds = {"pddl": time.perf_counter() - start}
    return seconds, task.domain, task.instance, task.goal


if __name__ == "__main__":
    print(json.dumps(measured(json.load(sys.stdin))))
