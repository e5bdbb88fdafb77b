# SPDX-License-Identifier: Apache-2.0
"""Validity and cost of plans by the definition of PDDL.

The files are read by the package; states are sets of facts and formulas are evaluated as they
stand (test/support/pddl_interpreter.py), which shares nothing with planner and verifier. VAL
(`validate`), which shares nothing at all, is asked besides, where its binary is given.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from fcp_ros.domain.pddl import PddlError
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts
from fcp_ros.planning.verification.ipc_plan import Action, read_ipc_plan

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "support"))
from pddl_interpreter import Interpreter

VAL_PATIENCE = 60.0
"""Seconds for its answer."""


class InvalidPlan(Exception):
    """The plan is wrong; the message says where."""


@dataclass(frozen=True)
class Validation:
    """The judgement about one plan.

    Attributes:
        valid: True or False; None if the task uses what is not covered here.
        cost: By the metric of the problem, else the number of steps; None without a valid plan.
        note: The reason if `valid` is not True.
    """

    valid: bool | None
    cost: float | None
    note: str = ""


def validate_plan(domain: Path, problem: Path, plan: Path, val: Path | None = None) -> Validation:
    """Check a plan file of the IPC.

    Args:
        domain: The domain file.
        problem: The problem file.
        plan: A line ``(action object ...)`` a step.
        val: The binary of VAL, whose verdict counts then; None to rely on this file.
    """
    actions = read_ipc_plan(plan.read_text(encoding="utf-8").lower())
    try:
        task = Interpreter(read_texts(read_source(domain), read_source(problem)))
        own = Validation(True, float(execute(task, actions)))
    except InvalidPlan as error:
        own = Validation(False, None, str(error))
    except PddlError as error:
        own = Validation(None, float(len(actions)), f"not checked: {error}")
    if val is None:
        return own
    accepted, _ = ask_val(val, domain, problem, plan)
    if accepted:
        if own.valid is False:
            return Validation(False, None, f"VAL accepts, the own check refuses: {own.note}")
        return Validation(True, own.cost)
    if own.valid and accepted is None:
        return Validation(True, own.cost, "VAL gave no verdict")
    return Validation(False, None, f"VAL refuses; own check: {own.note or 'valid'}")


def ask_val(val: Path, domain: Path, problem: Path, plan: Path) -> tuple[bool | None, str]:
    """Return the verdict of VAL on a plan file, None if it gives none, and what it says."""
    try:
        done = subprocess.run(
            [str(val), str(domain), str(problem), str(plan)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VAL_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    if done.returncode == 0 and "Plan valid" in done.stdout:
        return True, done.stdout
    refused = re.search(r"Plan (invalid|failed)|Goal not satisfied", done.stdout)
    return (False if refused else None), done.stdout


def execute(task: Interpreter, actions: Iterable[Action]) -> Fraction:
    """Return the cost of a plan.

    Raises:
        InvalidPlan: an action can't be done, or the goal does not hold in the end.
    """
    state, cost, steps = task.initial, Fraction(0), 0
    known = {action.name: action for action in task.domain.actions}
    for name, arguments in actions:
        steps += 1
        where = f"step {steps} ({' '.join((name, *arguments))})"
        if name not in known:
            raise InvalidPlan(f"{where}: no such action")
        parameters = known[name].parameters
        if len(parameters) != len(arguments):
            raise InvalidPlan(f"{where}: takes {len(parameters)} objects")
        for parameter, value in zip(parameters, arguments, strict=True):
            if value not in task.objects(parameter.types):
                raise InvalidPlan(f"{where}: {value} is no {' or '.join(parameter.types)}")
        after = task.step(state, name, arguments)
        if after is None:
            raise InvalidPlan(f"{where}: the precondition does not hold, or a number is missing")
        state = after
        cost += task.cost(name, arguments) or 0
    if not task.reaches_goal(state):
        raise InvalidPlan("the goal does not hold in the end")
    return cost if task.problem.minimises_cost else Fraction(steps)
