# SPDX-License-Identifier: Apache-2.0
"""Planning while a policy is learned: ``python benchmark/abstraction_beside.py FOLDER``.

FOLDER has ``domain.pddl`` and ``train/*.pddl``, such as that of Gripper in ../shared/bench/genplan.
One short plan after the other is made in the furnished twin house: with nothing beside it, while a
policy is learned in a process of its own, as the planner node does it, and while one is learned in
a thread of the same process.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from fcp_ros.abstraction.debugging.learning_process import LearningRequest, generalize_apart
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.debugging.outcome import GeneralizationOptions
from fcp_ros.abstraction.proposers.symbolic.symbolic_proposer import SymbolicProposer
from fcp_ros.abstraction.sampling.training_task import TrainingTask, read_training_task
from fcp_ros.binding import load_scene_for, scene_to_instance
from fcp_ros.domain import load_domain, parse_expression
from fcp_ros.grounding import GroundingOptions, make_grounder
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanningSession, plan
from fcp_ros.planning.warm_up import compile_missing_kernels, warm_up

GOALS = ("on(book_1, counter_1)", "on(mug_1, counter_1)", "on(laptop_1, counter_1)")
LIMIT = 60.0
"""Seconds of learning."""
PAUSE = 0.02
"""Seconds between two plans."""
ALONE = 300
"""Plans with nothing beside them."""


def make_planner() -> Callable[[int], float]:
    """Return a function that makes one plan and returns the time that it took (s)."""
    compile_missing_kernels(print)
    warm_up()
    domain = load_domain(find_domain("household"))
    graph = load_scene_for(find_scene("twin_house_furnished"), domain.schema, domain.mapping)
    state = scene_to_instance(graph, domain.schema, domain.mapping).instance
    grounder = make_grounder(domain, GroundingOptions())
    session = PlanningSession(domain)

    def make_plan(number: int) -> float:
        goal = parse_expression(GOALS[number % len(GOALS)])
        began = time.perf_counter()
        result = plan(domain, state, goal, PlanningOptions(), grounder, session=session)
        assert result.status.solved, result.message
        return time.perf_counter() - began

    for number in range(len(GOALS)):
        make_plan(number)
    return make_plan


def measure(make_plan: Callable[[int], float], is_over: Callable[[int], bool]) -> list[float]:
    """Make plans until it is over; return the time of each (s)."""
    times: list[float] = []
    while not is_over(len(times)):
        times.append(make_plan(len(times)))
        time.sleep(PAUSE)
    return times


def measure_beside(make_plan: Callable[[int], float], learn: Callable[[], object]) -> list[float]:
    """Make plans while something else is done in another thread."""
    thread = threading.Thread(target=learn)
    thread.start()
    return measure(make_plan, lambda _count: not thread.is_alive())


def show(name: str, times: Sequence[float]) -> None:
    """Print one row of the table."""
    median, high, most = np.percentile(times, [50, 99, 100]) * 1000
    print(f"| {name} | {median:.1f} ms | {high:.0f} ms | {most:.0f} ms | {len(times)} |")


def main() -> int:
    """Measure all three, and print a table."""
    folder = Path(sys.argv[1])
    problems = sorted((folder / "train").glob("*.pddl"))
    tasks: tuple[TrainingTask, ...] = tuple(
        read_training_task(folder / "domain.pddl", problem) for problem in problems
    )
    options = GeneralizationOptions(time_limit=LIMIT)
    make_plan = make_planner()
    print("| beside it | median | 99 % | longest | plans |\n| --- | --- | --- | --- | --- |")
    show("nothing", measure(make_plan, lambda count: count == ALONE))
    apart = LearningRequest(tasks, options=options)
    show("a process", measure_beside(make_plan, lambda: generalize_apart(apart)))
    learner = SymbolicProposer()
    show("a thread", measure_beside(make_plan, lambda: generalize(tasks, learner, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
