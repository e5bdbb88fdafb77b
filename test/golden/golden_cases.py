# SPDX-License-Identifier: Apache-2.0
"""Cases of golden answers, and the files that answers are kept in: one line a case."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fcp_ros.domain import Domain
from fcp_ros.domain.pddl import PddlTask
from fcp_ros.planning import PlanningOptions, PlanningResult
from fcp_ros.planning.model.ground_step import compute_cost

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT.parent / "shared" / "bench"
"""Data of others, which is not in the repository; only our answers about it are."""
PATIENT = PlanningOptions(time_limit=1200.0, improve_time=0.0, keep=False, memory_limit=4096.0)
"""The first plan is the answer, so that no answer depends on how fast the machine is."""
DIGITS, CLOSE = 6, 2e-6

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A question with one right answer until somebody changes it on purpose.

    Attributes:
        name: tells it from the others of its part.
        answer: computes the answer, plain values only and no times.
        quick: it is asked in the quick form as well.
    """

    name: str
    answer: Callable[[], Answer]
    quick: bool = True


class MissingData(Exception):
    """The data of others that a part is about is not on this machine."""


def need(folder: Path) -> Path:
    """Return a folder of data if it is there.

    Raises:
        MissingData: it isn't; the sentence says which.
    """
    if not folder.is_dir():
        raise MissingData(f"{folder} is not there")
    return folder


def describe_result(
    result: PlanningResult, domain: Domain | None = None, task: PddlTask | None = None
) -> Answer:
    """Return status, relaxations, membership, length and cost of a planning result.

    Args:
        result: the answer to a request.
        domain: the domain of its plan; without it no cost is told.
        task: the PDDL task, whose metric is the cost.
    """
    plan = result.plan
    answer: dict[str, Any] = {"status": result.status.name}
    if plan is not None:
        answer |= {"steps": len(plan.steps), "membership": plan.membership, "end": plan.end}
        answer["best in"] = sorted(measure.value for measure in result.optimal_in)
    if plan is not None and domain is not None:
        cost = sum((Fraction(str(one.cost)) for one in result.given_up), Fraction(0))
        for step in plan.steps:
            bound = tuple(element for _, element in step.arguments)
            cost += compute_cost(domain.rules[step.rule], bound)
        answer["cost"] = float(cost if task is None else task.metric.compute(cost))
    if result.relaxations:
        answer["relaxed"] = sorted(change.reason for change in result.relaxations)
    if result.given_up:
        answer["given up"] = len(result.given_up)
    return answer


def read_answers(file: Path) -> dict[str, Answer]:
    """Read the answers of a part; none where nobody has written any."""
    if not file.is_file():
        return {}
    found: dict[str, Answer] = json.loads(file.read_text(encoding="utf-8"))
    return found


def write_answers(file: Path, answers: Mapping[str, Answer]) -> None:
    """Write the answers of a part."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(round_numbers(answer), ensure_ascii=False)}"
        for name, answer in answers.items()
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def round_numbers(value: Any) -> Any:
    """Return a plain value with its numbers rounded; what JSON lacks becomes text."""
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): round_numbers(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [round_numbers(one) for one in value]
    return value


def differ(old: Any, new: Any) -> bool:
    """Return True unless two plain values are the same but for the last digits of numbers."""
    if isinstance(old, float) or isinstance(new, float):
        numbers = all(isinstance(one, (int, float)) for one in (old, new))
        return old != new and not (numbers and math.isclose(old, new, rel_tol=CLOSE, abs_tol=CLOSE))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() != new.keys() or any(differ(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) != len(new) or any(map(differ, old, new))
    return bool(old != new)


def list_differences(old: Answer, new: Answer) -> Iterable[str]:
    """Yield a line for each field of an answer that is not what it was."""
    for key in dict.fromkeys([*old, *new]):
        if differ(old.get(key), new.get(key)):
            yield f"{key}: {old.get(key)!r} -> {new.get(key)!r}"
