# SPDX-License-Identifier: Apache-2.0
"""Our planner as a process that is ready before it is asked: one job in, one answer out, as JSON.

``planners.py`` starts it. It first loads everything and plans a task of one action, says that
it is ready, and then takes its job from standard input. A job is answered as ``fcp plan`` would.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DOMAIN = """(define (domain lamp) (:requirements :strips) (:predicates (off) (lit))
(:action switch :parameters () :precondition (off) :effect (and (lit) (not (off)))))"""
PROBLEM = "(define (problem lamp-1) (:domain lamp) (:init (off)) (:goal (lit)))"


def main() -> None:
    """Get ready, say so, answer one job."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the planner prints is no answer
    _get_ready()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    job = json.loads(sys.stdin.readline())
    resource.setrlimit(resource.RLIMIT_AS, (job["address_space"] * 2**20,) * 2)
    print(json.dumps(_answer(job)), file=answers, flush=True)


def _get_ready() -> None:
    from fcp_ros.planning.warm_up import warm_up

    warm_up()
    with tempfile.TemporaryDirectory(prefix="ipc-") as name:
        domain, problem = Path(name) / "domain.pddl", Path(name) / "problem.pddl"
        domain.write_text(DOMAIN, encoding="utf-8")
        problem.write_text(PROBLEM, encoding="utf-8")
        _answer({"domain": str(domain), "problem": str(problem), "time_limit": 10.0})


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    """Plan as the command line does; the answer has status, times and the plan's text.

    `better` has seconds, steps and cost of each plan that was better than those before it.
    """
    from fcp_ros.cli.grounding.judge_choice import JudgeChoice
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

    began, cpu = time.perf_counter(), time.process_time()
    try:
        with open_interruption() as interruption:
            start = RequestStart.now()
            output = PlanCommand(asked, start, interruption, Listener(note)).answer()
    except InputError as error:
        return {"status": "REFUSED", "note": str(error)}
    result = output.result
    plan = output.to_ipc_plan() if result.plan is not None else None
    return {
        "status": result.status.name,
        "note": "" if plan is not None else result.message,
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "expansions": result.expansions,
        "stages": dict(result.timings),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
        "plan": plan,
        "better": better,
        "optimal_in": [measure.value for measure in result.optimal_in],
    }


if __name__ == "__main__":
    main()
