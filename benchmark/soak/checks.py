# SPDX-License-Identifier: Apache-2.0
"""What must hold after a soak: compares what the nodes say and keep with what really happened."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmark.soak.executors import Attempt, Fault
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import time_from_ros
from fcp_ros.nodes.executive.outcome_delivery import read_key

SKILL_FAILED = frozenset({Fault.FAIL, Fault.HANG, Fault.DEAF, Fault.LIE, Fault.OTHERS})
"""What an executor did when evidence that its skill failed is right: it failed, did not end in time,
or did not do what it said."""

SAME_TIME = 1e-3
"""Seconds by which the stamp of an outcome and that of its evidence may differ."""

FOUND_OTHERWISE = "found the world otherwise"
"""In the words of evidence about earlier steps, which counts with the weight of a suspicion."""


def find_overlaps(attempts: Iterable[Attempt]) -> list[tuple[Attempt, Attempt]]:
    """Find pairs of attempts at one executor that acted at the same time, and steps done twice."""
    ordered = sorted((one for one in attempts if one.end is not None), key=lambda one: one.begin)
    found = []
    last: dict[str, Attempt] = {}
    seen: dict[tuple[str, int], Attempt] = {}
    for one in ordered:
        before = last.get(one.executor)
        if before is not None and before.end is not None and one.begin < before.end:
            found.append((before, one))
        if before is None or before.end is None or one.end is None or one.end > before.end:
            last[one.executor] = one
        again = seen.setdefault((one.plan, one.index), one)
        if again is not one:
            found.append((again, one))
    return found


def find_robot_overlaps(attempts: Iterable[Attempt]) -> list[tuple[Attempt, Attempt]]:
    """Find pairs of attempts of the one robot that acted at the same time, at any executor."""
    ordered = sorted((one for one in attempts if one.end is not None), key=lambda one: one.begin)
    found = []
    last: Attempt | None = None
    for one in ordered:
        if last is not None and last.end is not None and one.begin < last.end:
            found.append((last, one))
        if last is None or last.end is None or (one.end is not None and one.end > last.end):
            last = one
    return found


def read_recorded(store: Path, journal: Path) -> set[tuple[bytes, int]]:
    """Read which outcomes the grounder has recorded, or the executive still keeps for it."""
    found: set[tuple[bytes, int]] = set()
    for path in (store, journal):
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT stream, number FROM outcomes").fetchall()
            found |= {(bytes(stream), int(number)) for stream, number in rows}
    return found


def find_lost(
    outcomes: Iterable[ActionOutcome], recorded: Collection[tuple[bytes, int]]
) -> list[ActionOutcome]:
    """Find outcomes that were published, and are kept nowhere."""
    return [one for one in outcomes if tuple(read_key(one)) not in recorded]


@dataclass(frozen=True)
class Blame:
    """Evidence that a skill has failed, though it has not."""

    step: str
    quality: float
    attempt: Attempt | None
    outcome: ActionOutcome


def find_wrong_blame(
    store: Path, outcomes: Sequence[ActionOutcome], attempts: Iterable[Attempt]
) -> tuple[list[Blame], Counter[str]]:
    """Find evidence of failures that were none of the skill; count all evidence by its kind."""
    truth = {(one.plan, one.index): one for one in attempts}
    by_rule: dict[str, list[ActionOutcome]] = defaultdict(list)
    for outcome in outcomes:
        by_rule[outcome.step.rule].append(outcome)
    found, counts = [], Counter[str]()
    for stamp, quality, step in _read_evidence(store):
        if FOUND_OTHERWISE in step:
            counts["suspicion"] += 1
            continue
        matching = [
            one
            for one in by_rule[step.partition("(")[0]]
            if abs(time_from_ros(one.header.stamp) - stamp) < SAME_TIME
        ]
        counts["evidence"] += 1
        if quality >= 0.5 or not matching:
            counts["without an outcome that was heard"] += not matching
            continue
        outcome = matching[0]
        attempt = truth.get((bytes(outcome.plan_id.uuid).hex(), outcome.step_index))
        counts["failures"] += 1
        if attempt is None or attempt.fault not in SKILL_FAILED:
            found.append(Blame(step, quality, attempt, outcome))
    return found, counts


def _read_evidence(store: Path) -> Iterator[tuple[float, float, str]]:
    with closing(sqlite3.connect(store)) as connection:
        yield from connection.execute("SELECT stamp, quality, step FROM evidence").fetchall()


def find_slope(samples: Sequence[tuple[float, float]]) -> float | None:
    """Return the growth of memory in its second half (MiB in an hour of the samples' first value)."""
    half = samples[len(samples) // 2 :]
    if len(half) < 10 or half[0][0] == half[-1][0]:
        return None
    hours, sizes = np.array(half).T
    return float(np.polyfit(hours, sizes, 1)[0])


def name_code(outcome: ActionOutcome) -> str:
    """The name of an outcome's code."""
    return OutcomeCode(outcome.outcome.code).name
