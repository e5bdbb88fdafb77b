# SPDX-License-Identifier: Apache-2.0
"""The planners on one task with preferences, each for the same time: ours and Kairos."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from benchmark.ipc.planners import make_job
from benchmark.ipc.tasks import IpcTask
from benchmark.ipc.validation import ask_val
from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.ours import run_ours as run_job
from benchmark.rivals.programs import PLAN, Limits, run_program

OURS, KAIROS = "fcp", "Kairos"


@dataclass(frozen=True)
class PreferenceRun:
    """The run of one planner on one task.

    Attributes:
        planner: its name.
        task: name of the task.
        status: the planner's word for how it ended.
        metric: of its best plan; None without a valid one.
        by_val: True if VAL computed the metric, False if that is the planner's own word.
        proven: the planner claims that no plan is better.
        first, best: seconds from the request to its first and to its best plan.
        seconds: to its end.
        plans: number of plans, each better than the one before.
        steps: length of the best plan.
        note: why there is no plan, or none that counts.
    """

    planner: str
    task: str
    status: str = "no plan"
    metric: float | None = None
    by_val: bool = False
    proven: bool = False
    first: float | None = None
    best: float | None = None
    seconds: float = 0.0
    plans: int = 0
    steps: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Setting:
    """How all of them run.

    Attributes:
        limits: for each call.
        val: the binary of VAL; None without it.
        rivals: the environment of the others; None to leave them out.
        threads: of a planner that can use several.
    """

    limits: Limits
    val: Path | None
    rivals: RivalEnvironment | None
    threads: int = 1

    def planners(self) -> Mapping[str, Callable[[IpcTask, Setting], PreferenceRun]]:
        """The planners that can be run, by name."""
        found = {OURS: run_ours}
        if self.rivals is not None and KAIROS not in self.rivals.missing:
            found[KAIROS] = run_kairos
        return MappingProxyType(found)


def run_ours(task: IpcTask, setting: Setting) -> PreferenceRun:
    """Let our planner improve its plan until the limit; its start-up does not count."""
    limits = setting.limits
    found = run_job(make_job(task, limits, improve_time=limits.seconds))
    run = PreferenceRun(OURS, task.name, found.status, seconds=found.wall, note=found.message)
    if found.plan is None:
        return run
    better = found.better
    run = replace(
        run,
        proven="cost" in found.optimal_in,
        first=better[0][0] if better else found.wall,
        best=better[-1][0] if better else found.wall,
        plans=len(better),
    )
    return with_metric(run, task, found.plan, better[-1][2] if better else None, setting.val)


def run_kairos(task: IpcTask, setting: Setting) -> PreferenceRun:
    """Let Kairos improve its plan until the limit."""
    assert setting.rivals is not None, "callers check that there are rivals"
    limits = setting.limits
    command = [*setting.rivals.command(KAIROS), "solve", "{0}", "{1}", "--output", PLAN]
    command += ["--timeout", f"{limits.seconds:g}", "--memory", str(limits.memory)]
    command += ["--threads", str(setting.threads)]
    found = run_program(command, [task.domain, task.problem], limits)
    run = PreferenceRun(KAIROS, task.name, seconds=found.seconds)
    if not found.plans:
        return replace(run, note=found.last_words)
    run = replace(
        run,
        status="solved",
        proven=re.search(r"solved \((?!stopped)[^)]*optimal", found.output) is not None,
        first=found.plans[0].seconds,
        best=found.plans[-1].seconds,
        plans=len(found.plans),
    )
    text = found.plans[-1].text
    return with_metric(run, task, text, _claimed_cost(text), setting.val)


def with_metric(
    run: PreferenceRun, task: IpcTask, plan: str, claimed: float | None, val: Path | None
) -> PreferenceRun:
    """Return the run with the metric of its plan: by VAL, or as the planner claims it."""
    steps = sum(line.startswith("(") for line in plan.splitlines())
    run = replace(run, steps=steps, metric=claimed)
    if val is None:
        return run
    with tempfile.TemporaryDirectory(prefix="val-") as name:
        file = Path(name) / "plan"
        file.write_text(plan, encoding="utf-8")
        accepted, said = ask_val(val, task.domain, task.problem, file)
    value = re.search(r"^Final value:\s*(\S+)", said, re.MULTILINE)
    if accepted and value is not None:
        metric = float(value[1])
        wrong = claimed is not None and abs(metric - claimed) > 1e-6 * max(1.0, abs(metric))
        note = f"claims {claimed:g}" if wrong else run.note
        return replace(run, metric=metric, by_val=True, note=note)
    if accepted is False:
        return replace(run, status="INVALID", metric=None, proven=False, note="VAL refuses it")
    return replace(run, note="VAL gave no verdict")


def _claimed_cost(plan: str) -> float | None:
    found = re.findall(r"^; cost = (\S+)", plan, re.MULTILINE)
    return float(found[-1]) if found else None
