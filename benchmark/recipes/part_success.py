# SPDX-License-Identifier: Apache-2.0
"""How many recipes keep the constraints, by number of missing ingredients."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.recipes.checker import Fault, check, keeps_constraints
from benchmark.recipes.rivals import Rival
from benchmark.recipes.scores import interval_of_share
from benchmark.recipes.setting import Setting
from benchmark.recipes.tasks import BINDING, Task
from benchmark.tables import Line, Part, Verdict, limit, share

SUCCESS, SECONDS = 0.95, 1.0
"""Goals: share of recipes that keep the constraints, and CPU time of the median recipe (s)."""
PUBLISHED = {
    "ours": (83.6, 90.5),
    "SubDB-Retrieve": (67.8, 92.7),
    "ReAct": (52.1, 90.8),
    "language model": (20.4, 90.4),
}
"""Success (%) and BLEU of the paper, on tasks that aren't public."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task; `faults` is None where no recipe was given."""

    task: Task
    faults: Sequence[Fault] | None
    seconds: float

    @property
    def keeps(self) -> bool:
        return self.faults is not None and keeps_constraints(self.faults)

    @property
    def is_clean(self) -> bool:
        return self.faults == []


def run(rival: Rival, tasks: Sequence[Task], setting: Setting) -> list[Outcome]:
    """Let a rival rewrite the recipe of each task, and check it."""
    found = []
    for task in tasks:
        begin = time.process_time()
        document = rival.cook(task)
        seconds = time.process_time() - begin
        faults = None if document is None else check(document, task, setting.words)
        found.append(Outcome(task, faults, seconds))
    return found


def measure_success(setting: Setting) -> Part:
    """All rivals in all bins."""
    lines, marks, verdicts = [], {}, []
    times: list[float] = []
    for number, tasks in setting.tasks.items():
        for rival in setting.rivals:
            outcomes = run(rival, tasks, setting)
            marks[rival.name, number] = [one.keeps for one in outcomes]
            lines.append(summarise(f"{number} missing", rival.name, outcomes))
            if rival.name == "ours":
                times += [one.seconds for one in outcomes]
    every = [mark for (name, _), found in marks.items() if name == "ours" for mark in found]
    verdicts.append(share("success of ours, all bins", every, SUCCESS))
    verdicts.append(_compare_bins(setting, marks))
    verdicts.append(limit("a recipe, median of CPU time", statistics.median(times), SECONDS, "s"))
    binding = [task.binds for tasks in setting.tasks.values() for task in tasks]
    verdicts.append(share("tasks whose unconstrained best is forbidden", binding, BINDING))
    published = "; ".join(f"{name} {s} / {b}" for name, (s, b) in PUBLISHED.items())
    return Part(
        f"success ({'held-out' if setting.held_out else 'development'} half)",
        lines,
        verdicts,
        [
            f"published, other tasks, success / BLEU: {published}",
            "a language model of 7B or more: not run (none is at hand)",
        ],
    )


def summarise(task: str, who: str, outcomes: Sequence[Outcome]) -> Line:
    """The row of one rival."""
    keeps = [one.keeps for one in outcomes]
    low, high = interval_of_share(keeps, [one.task.recipe.key for one in outcomes])
    rules = Counter(
        rule.name for one in outcomes for rule in {fault.rule for fault in one.faults or ()}
    )
    return Line(
        task,
        who,
        {
            "tasks": len(outcomes),
            "success %": 100.0 * sum(keeps) / len(outcomes),
            "95 %": f"{100 * low:.0f} to {100 * high:.0f}",
            "ours, too %": 100.0 * sum(one.is_clean for one in outcomes) / len(outcomes),
            "no answer": sum(one.faults is None for one in outcomes),
            "s CPU": statistics.median(one.seconds for one in outcomes),
            "faults": ", ".join(f"{name} {count}" for name, count in rules.most_common(4)),
        },
    )


def _compare_bins(setting: Setting, marks: dict[tuple[str, int], list[bool]]) -> Verdict:
    worse = [
        f"{rival.name}, {number} missing"
        for number in setting.tasks
        for rival in setting.rivals[1:]
        if sum(marks[rival.name, number]) >= sum(marks["ours", number])
    ]
    value = "everywhere" if not worse else f"not above {'; '.join(worse)}"
    return Verdict("success above every row in every bin", value, "everywhere", not worse)
