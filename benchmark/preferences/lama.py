# SPDX-License-Identifier: Apache-2.0
"""LAMA on the task that our planner compiles, in a process of its own: a job in, plans out.

What LAMA gets has preferences as operators that give them up (Keyder and Geffner, JAIR 36, 2009)
and constraints as variables, simplified and with our merged variables; the time for that is not
counted. Its plans are translated back into actions.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmark.rivals.programs import FoundPlan, Limits, run_program
from benchmark.rivals.sas_writer import number_of, write_sas
from fcp_ros.domain.expressions.resolution import check_goal, infer_types
from fcp_ros.domain.pddl import PddlTask, read_pddl
from fcp_ros.planning import Optimise, PlanningOptions, PlanningSession
from fcp_ros.planning.encoding.costs import CostUnit, find_cost_unit
from fcp_ros.planning.encoding.encode import (
    EncodeOptions,
    GoalSetting,
    compile_goal,
    compile_task,
    make_no_macros,
)
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.goal.symmetry import SymmetryClasses
from fcp_ros.planning.model.memberships import Judge, NoMemberships
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import MAX_OPERATORS, Breadth
from fcp_ros.planning.session import PhaseTimes, RequestContext

COMPILE_SECONDS = 600.0


def compile_whole(task: PddlTask) -> tuple[Encoding, CostUnit]:
    """Compile the whole of a task for the least cost.

    Raises:
        Interrupted: it is too large.
    """
    options = PlanningOptions(optimise=Optimise.COST, time_limit=COMPILE_SECONDS)
    watch = Watch(options)
    session = PlanningSession(task.domain)
    judge = Judge(task.domain, task.instance, NoMemberships(), watch.check)
    times = PhaseTimes(watch)
    context = RequestContext(session, task.instance, options, {}, judge, watch, times)
    wanted = check_goal(task.goal, task.domain, task.instance)
    types = infer_types(wanted, task.domain)
    goal = ground_goal(wanted, types, task.domain, task.instance, watch)
    unit = find_cost_unit(task.domain, {one.cost for one in goal.preferences} - {0})
    classes = SymmetryClasses.from_members(())
    setting = GoalSetting(session.compiler, task.instance, classes, context.tnorm)
    compiled = compile_goal(
        goal,
        setting,
        compile_task(goal, setting, Breadth.FULL, MAX_OPERATORS, watch, times),
        EncodeOptions(
            options.optimise,
            options.deadline,
            context.amounts,
            options.switches,
            make_no_macros,
            unit,
        ),
        judge.find_degree,
        watch,
        times,
    )
    return compiled.encoding, unit


def translate_plan(text: str, task: PddlTask, encoding: Encoding, unit: CostUnit) -> str:
    """Return a plan of numbered operators as one of actions, with its cost."""
    operators = [number_of(line) for line in text.splitlines() if line.startswith("(")]
    lines = []
    for step in encoding.decode(operators).steps:
        form = task.forms[step.rule.name]
        bound = dict(zip(step.rule.parameter_names, step.arguments, strict=True))
        lines.append(f"({' '.join((form.action, *(bound[name] for name in form.parameters)))})")
    cost = float(encoding.flat.cost[operators].sum() * unit.size)
    return "\n".join((*lines, f"; cost = {cost!r}", ""))


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Compile a task, let LAMA plan, translate its plans."""
    task = read_pddl(Path(job["domain"]), Path(job["problem"]))
    encoding, unit = compile_whole(task)
    limits = Limits(job["seconds"], job["memory"])
    with tempfile.TemporaryDirectory(prefix="lama-") as name:
        file = Path(name) / "task.sas"
        file.write_text(write_sas(encoding.flat), encoding="utf-8")
        run = run_program(job["command"], [file], limits)
    plans = [
        FoundPlan(plan.seconds, translate_plan(plan.text, task, encoding, unit))
        for plan in run.plans
    ]
    return {
        "plans": [asdict(plan) for plan in plans],
        "exhausted": run.code == 0,
        "seconds": run.seconds,
        "note": "" if plans else run.last_words,
    }


if __name__ == "__main__":
    try:
        print(json.dumps(answer(json.load(sys.stdin))))
    except Exception as error:  # whatever stops it is the answer
        print(json.dumps({"plans": [], "note": f"{type(error).__name__}: {error}"}))
