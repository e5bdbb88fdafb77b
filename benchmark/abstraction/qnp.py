# SPDX-License-Identifier: Apache-2.0
"""The solver of qualitative numeric problems: verdicts, sizes and seconds.

Known problems in our own words, of the structure of the published ones; loops in loops beside the
seconds published for Nest10; and random problems whose actions undo one another, on which a search
would take back choices without end.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmark.tables import Verdict
from fcp_ros.abstraction.qnp.problem import Qnp
from fcp_ros.abstraction.qnp.solver import QnpResult, QnpStatus, solve_qnp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "support"))
from qnp_problems import KNOWN, make_nest, make_tangle

NEST10_PUBLISHED = 4.2
"""Seconds that DSET takes for Nest10."""
REPEATED = 5
"""Runs of a problem; the fastest counts."""


def measure(quick: bool) -> Iterator[Verdict]:
    """Solve all problems.

    Args:
        quick: fewer random problems, and smaller loops.
    """
    yield from _measure_known()
    yield from _measure_nests(quick)
    yield _measure_tangles(50 if quick else 400)


def _measure_known() -> Iterator[Verdict]:
    right, seconds = 0, []
    for known in KNOWN:
        result, spent = _solve(known.qnp)
        seconds.append(spent)
        solved = result.status is QnpStatus.SOLVED
        right += (solved, result.statistics.reachable) == (known.solvable, known.reachable)
    yield Verdict(
        "known QNPs in our own words: verdict and reachable qstates",
        f"{right} of {len(KNOWN)} right; slowest {1e3 * max(seconds):.1f} ms",
        "all right",
        right == len(KNOWN),
    )


def _measure_nests(quick: bool) -> Iterator[Verdict]:
    for depth in (10, 12) if quick else (10, 12, 14, 16):
        result, seconds = _solve(make_nest(depth))
        solved = result.status is QnpStatus.SOLVED
        judged = depth == 10
        yield Verdict(
            f"{depth} loops in one another: {result.statistics.reachable} qstates",
            f"{result.status.value}, {seconds:.3f} s",
            f"solved, under {NEST10_PUBLISHED} s" if judged else "",
            solved and seconds < NEST10_PUBLISHED if judged else None,
        )
    result, seconds = _solve(make_nest(10, endless=True))
    yield Verdict(
        "10 loops, the innermost starts the outermost again",
        f"{result.status.value}, {1e3 * seconds:.1f} ms",
        "refuted since no run reaches the goal",
        result.status is QnpStatus.UNSOLVABLE and result.hopeless is not None,
    )


def _measure_tangles(count: int) -> Verdict:
    statuses: Counter[str] = Counter()
    seconds = []
    for seed in range(count):
        result, spent = _solve(make_tangle(seed), repeated=1)
        statuses[result.status.value] += 1
        seconds.append(spent)
    listed = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
    return Verdict(
        f"{count} random QNPs of 6 numbers and 16 actions",
        f"{listed}; slowest {max(seconds):.2f} s",
        "all decided",
        QnpStatus.LIMIT.value not in statuses,
    )


def _solve(qnp: Qnp, repeated: int = REPEATED) -> tuple[QnpResult, float]:
    """Return the result and the seconds of the fastest run."""
    seconds = []
    for _ in range(repeated):
        start = time.perf_counter()
        result = solve_qnp(qnp)
        seconds.append(time.perf_counter() - start)
    return result, min(seconds)
