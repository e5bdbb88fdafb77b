# SPDX-License-Identifier: Apache-2.0
"""How soon it is known what a change of the world breaks, in processor time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from benchmark.executive.house import DOMAIN, make_shift, make_tasks
from benchmark.tables import Line, Part, Verdict, limit
from fcp_ros.cset import InstanceBuilder
from fcp_ros.execution.monitoring import Monitor, PlanWatch
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules

ELEMENTS = 10_000
STEPS = (4, 20, 100)
"""Of the rest of the plan that is looked at."""
WITHIN = 5.0  # ms of processor time
REPETITIONS = 20


def measure(_quick: bool) -> Part:
    """Take away the thing that the last steps need, and look at the rest of the plan."""
    tasks = make_tasks(ELEMENTS)
    shift = make_shift(tasks[: max(STEPS)], 1)
    builder = InstanceBuilder.of(shift.instance)
    for task in tasks[max(STEPS) :]:
        builder.add("item", task.item)
        builder.relate("on", builder.id_of(task.item), builder.id_of(f"room_{task.source}"))
    before = builder.build()
    rules = StepRules(DOMAIN)
    rules.prepare()
    watch = PlanWatch(rules, shift.steps, Monitor(rules, lambda: before).find_effects)
    lines, verdicts = [], []
    for count in STEPS:
        item, place = _find_last_picked(shift.steps[:count])
        changed = InstanceBuilder.of(before)
        changed.unrelate("on", changed.id_of(item), changed.id_of(place))
        after = changed.build()
        seconds, said = [], ""
        for _ in range(REPETITIONS):
            began = time.process_time()
            assert watch.find_affected(range(count), {item}) == (item,)
            said = watch.find_problem((), range(count), after)
            seconds.append(time.process_time() - began)
        assert f"on({item}, {place}) does not hold" in said, said
        name = f"a change among {ELEMENTS:,} elements, a rest of {count} steps"
        median = 1e3 * sorted(seconds)[REPETITIONS // 2]
        figures = {"first [ms]": 1e3 * seconds[0], "median [ms]": median}
        lines.append(Line(name, "PlanWatch", figures))
        verdicts += _judge(name, median)
    return Part("what a change breaks", lines, verdicts)


def _judge(name: str, median: float) -> Iterator[Verdict]:
    yield limit(f"{name}: CPU until it is known", median, WITHIN, "ms")


def _find_last_picked(steps: Sequence[PlanStep]) -> tuple[str, str]:
    """Return the item that is picked up last, and where."""
    step = [one for one in steps if one.rule == "pick"][-1]
    _, item, place = step.elements
    return item, place
