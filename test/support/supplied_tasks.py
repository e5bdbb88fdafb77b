# SPDX-License-Identifier: Apache-2.0
"""Flat tasks in which resources run short (or over) and time matters."""

import math

import numpy as np
from connected_tasks import connected_task
from hypothesis import strategies as st


def supplied(task, seed):
    """A task with a resource that has both bounds, and with time and windows."""
    draw = np.random.default_rng(seed)
    count = len(task.loss)
    use = np.column_stack(
        [draw.choice([0.0, 1.0, 2.0, -1.0, -2.0], count), draw.choice([0.0, -1.0, -2.0], count)]
    )
    return task._replace(
        use=use,
        amount=np.array([draw.choice([0.0, 2.0, 4.0]), 0.0]),
        low=np.array([0.0, 0.0]),
        high=np.array([4.0, draw.choice([6.0, 12.0])]),
        clock=1,
        opens=draw.choice([0.0, 0.0, 0.0, 3.0], count),
        closes=draw.choice([math.inf, math.inf, 4.0, 8.0], count),
    )


def supplied_tasks():
    """Connected tasks with resources, drawn by their seed."""
    return st.integers(0, 100_000).map(
        lambda seed: supplied(connected_task(seed, variables=3, operators=9, plain=True), seed)
    )
