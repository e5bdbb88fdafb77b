# SPDX-License-Identifier: Apache-2.0
"""Compile the search kernels, or load them from the disk, before the first request needs them.

Compiled once, they lie in the cache beside their sources (or, if that is not writable, in numba's
cache of the user) until a source or numba changes: `python -m fcp_ros.planning.warm_up`.
"""

from __future__ import annotations

import time

from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator, FlatResource
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.estimator import Estimator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.model.request import Algorithm, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.lookahead import find_lookahead_plan
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.prepared import PreparedTask


def warm_up() -> float:
    """Use every kernel once; return the seconds that it took."""
    began = time.perf_counter()
    task = _make_little_task()
    for code in HeuristicCode:
        Estimator(task, code, task.loss).estimate(task.initial)
    estimator = Estimator(task, HeuristicCode.MAX, task.loss)
    estimator.find_helpful(task.initial)
    estimator.compute_operator_bounds(task.initial)
    prepared = PreparedTask(task)
    BestFirst(prepared, Objective(), SearchOptions(Algorithm.LAZY_GREEDY)).run(1000)
    find_lookahead_plan(prepared, Objective(), lambda: None)
    return time.perf_counter() - began


def _make_little_task() -> FlatTask:
    """Make a task of two switches; each operator turns one on and has some loss."""
    operators = [
        FlatOperator((), (), (FlatEffect(variable, 1),), loss=0.1, use=(1.0,))
        for variable in (0, 1)
    ]
    goal = [(0, 1), (1, 1)]
    return FlatBuilder([2, 2], [0, 0], goal, operators, [FlatResource(5.0, 0.0)]).build()


if __name__ == "__main__":
    print(f"search kernels ready after {warm_up():.1f} s")
