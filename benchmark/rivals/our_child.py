# SPDX-License-Identifier: Apache-2.0
"""Our planner as a process: a job comes in, a run goes out, as JSON.

``ours.py`` starts it. With ``--ready`` it first loads everything and plans a task of one action.
It says that it listens, and then takes its job from standard input: PDDL files, which are answered
as ``fcp plan`` would, or a scene and a goal. The first of the repetitions loads what is not loaded
yet and is reported apart; of the others, the shortest time of each stage counts.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.processes import read_peak

STARTED = time.perf_counter()
DOMAIN = """(define (domain lamp) (:requirements :strips) (:predicates (off) (lit))
(:action switch :parameters () :precondition (off) :effect (and (lit) (not (off)))))"""
PROBLEM = "(define (problem lamp-1) (:domain lamp) (:init (off)) (:goal (lit)))"
Job = Mapping[str, Any]
"""The fields of `ours.Job`."""


def main() -> None:
    """Get ready, say so, answer one job."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the planner prints is no answer
    if "--ready" in sys.argv:
        _get_ready()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    job = json.loads(sys.stdin.readline())
    if job["address_space"]:
        resource.setrlimit(resource.RLIMIT_AS, (job["address_space"] * 2**20,) * 2)
    print(json.dumps(measure(job)), file=answers, flush=True)


def measure(job: Job) -> dict[str, Any]:
    """Run a job as often as it says; return fields of `ours.OurRun`."""
    once = _plan_files if job["problem"] else _plan_scene
    runs, ends = [], []
    for _ in range(job["repetitions"] + 1):
        began, cpu = time.perf_counter(), time.process_time()
        found = once(job)
        ends.append(time.perf_counter())
        found |= {"wall": ends[-1] - began, "cpu": time.process_time() - cpu}
        # What no stage counts is reading.
        found["seconds"].setdefault("read", found["wall"] - sum(found["seconds"].values()))
        runs.append(found)
    others = runs[1:] or runs
    best = min(others, key=lambda run: sum(run["seconds"].values()))
    seconds = {
        stage: min(run["seconds"].get(stage, 0.0) for run in others) for stage in best["seconds"]
    }
    first = ends[0] - STARTED
    return {**best, "seconds": seconds, "first_seconds": first, "memory": read_peak()}


def _get_ready() -> None:
    from fcp_ros.planning.warm_up import warm_up

    warm_up()
    with tempfile.TemporaryDirectory(prefix="ours-") as name:
        domain, problem = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
        domain.write_text(DOMAIN, encoding="utf-8")
        problem.write_text(PROBLEM, encoding="utf-8")
        _plan_files({"domain": str(domain), "problem": str(problem), "time_limit": 10.0})


def _plan_files(job: Job) -> dict[str, Any]:
    """Plan PDDL files as the command line does.

    `better` has seconds, steps and cost of each plan that was better than those before it.
    """
    from fcp_ros.cli.options import JudgeChoice
    from fcp_ros.cli.plan.interruption import open_interruption
    from fcp_ros.cli.plan.request import Listener, PlanCommand, PlanInput
    from fcp_ros.foundation.input_error import InputError
    from fcp_ros.planning import PlanningOptions, Progress
    from fcp_ros.planning.model.watch import RequestStart

    options = PlanningOptions(
        time_limit=job["time_limit"],
        memory_limit=job.get("memory_limit", 2048.0),
        improve_time=job.get("improve_time", 0.0),
    )
    asked = PlanInput(job["domain"], job["problem"], "", options, JudgeChoice())
    better: list[tuple[float, int, float]] = []

    def note(progress: Progress) -> None:
        best = progress.best
        if best is not None and (not better or better[-1][1:] != (best.steps, best.cost)):
            better.append((progress.elapsed, best.steps, best.cost))

    try:
        with open_interruption() as interruption:
            start = RequestStart.now()
            output = PlanCommand(asked, start, interruption, Listener(note)).answer()
    except InputError as error:
        return {"status": "REFUSED", "message": str(error), "seconds": {}}
    text = output.to_ipc_plan() if output.result.plan is not None else None
    return {**_describe(output.result), "plan": text, "better": better}


def _plan_scene(job: Job) -> dict[str, Any]:
    """Read a scene and a domain, plan, and tell how long each took."""
    from benchmark.planning.vague import CountingSource
    from fcp_ros.binding.scene_to_state import scene_to_instance
    from fcp_ros.domain import load_domain, parse_expression
    from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan
    from fcp_ros.scene import load_scene

    source = CountingSource(job["lowest"])
    options = PlanningOptions(alpha=job["alpha"], time_limit=job["time_limit"], keep=False)
    start = time.perf_counter()
    domain = load_domain(Path(job["domain"]))
    session = PlanningSession(domain)
    session.prepare()
    graph = load_scene(job["scene"])
    instance = scene_to_instance(graph, domain.schema, domain.mapping).instance
    read = time.perf_counter() - start
    goal = parse_expression(job["goal"])
    request = PlanningRequest(domain, instance, goal, options, source, session=session)
    found = _describe(plan(request))
    found["seconds"]["read"] = read
    return found | {"questions": source.questions, "batches": source.batches}


def _describe(result: Any) -> dict[str, Any]:
    found = result.plan
    return {
        "status": result.status.name,
        "message": "" if found is not None else result.message,
        "seconds": {stage: spent for stage, spent in result.timings.items() if stage != "total"},
        "steps": None if found is None else len(found.steps),
        "membership": None if found is None else found.membership,
        "expansions": result.expansions,
        "optimal_in": [measure.value for measure in result.optimal_in],
    }


if __name__ == "__main__":
    main()
