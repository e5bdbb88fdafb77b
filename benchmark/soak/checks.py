# SPDX-License-Identifier: Apache-2.0
"""What must hold after a soak: compares what the nodes say and keep with what really happened."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmark.soak.executors import Attempt, Fault
from benchmark.soak.site import Heard
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import time_from_ros
from fcp_ros.nodes.executive.outcome_delivery import read_key

SKILL_FAILED = frozenset({Fault.FAIL, Fault.HANG, Fault.DEAF, Fault.LIE, Fault.OTHERS})
"""What an executor did when evidence that its skill failed is right: it failed, did not end in
time, or did not do what it said."""

SAME_TIME = 1e-3
"""Seconds by which the stamp of an outcome and that of its evidence may differ."""

FOUND_OTHERWISE = "found the world otherwise"
"""In the words of evidence about earlier steps, which counts with the weight of a suspicion."""


def find_overlaps(attempts: Iterable[Attempt]) -> list[tuple[Attempt, Attempt]]:
    """Find pairs of attempts at one executor that acted at the same time."""
    return _find_overlaps(attempts, lambda one: (one.robot, one.executor))


def find_repetitions(
    attempts: Iterable[Attempt], outcomes: Iterable[Heard]
) -> Counter[tuple[str, int]]:
    """Count how often a step was begun for which there is no outcome: each has one."""
    begun = Counter((one.plan, one.index) for one in attempts)
    return begun - Counter(identify_step(one.outcome) for one in outcomes)


def identify_step(outcome: ActionOutcome) -> tuple[str, int]:
    """The plan and the position that an outcome is about. Equal plans have equal ids."""
    return bytes(outcome.plan_id.uuid).hex(), outcome.step_index


def find_robot_overlaps(attempts: Iterable[Attempt]) -> list[tuple[Attempt, Attempt]]:
    """Find pairs of attempts of one robot that acted at the same time, at any executor."""
    return _find_overlaps(attempts, lambda one: one.robot)


def _find_overlaps(
    attempts: Iterable[Attempt], name: Callable[[Attempt], Hashable]
) -> list[tuple[Attempt, Attempt]]:
    ordered = sorted((one for one in attempts if one.end is not None), key=lambda one: one.begin)
    found = []
    latest: dict[Hashable, Attempt] = {}  # of each name, the one that ends last so far
    for one in ordered:
        last = latest.get(name(one))
        if last is not None and last.end is not None and one.begin < last.end:
            found.append((last, one))
        if last is None or last.end is None or (one.end is not None and one.end > last.end):
            latest[name(one)] = one
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
    outcomes: Iterable[Heard], recorded: Collection[tuple[bytes, int]]
) -> list[ActionOutcome]:
    """Find outcomes that were published, and are kept nowhere."""
    heard = (one.outcome for one in outcomes)
    return [one for one in heard if tuple(read_key(one)) not in recorded]


@dataclass(frozen=True)
class Blame:
    """Evidence that a skill has failed, though it has not."""

    step: str
    quality: float
    attempt: Attempt | None
    outcome: ActionOutcome


def find_wrong_blame(
    store: Path, outcomes: Sequence[Heard], attempts: Iterable[Attempt]
) -> tuple[list[Blame], Counter[str]]:
    """Find evidence of failures that were none of the skill; count all evidence by its kind."""
    truth: dict[tuple[str, int], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        truth[attempt.plan, attempt.index].append(attempt)
    by_rule: dict[str, list[Heard]] = defaultdict(list)
    for one in outcomes:
        by_rule[one.outcome.step.rule].append(one)
    found, counts = [], Counter[str]()
    for stamp, quality, step in _read_evidence(store):
        if FOUND_OTHERWISE in step:
            counts["suspicion"] += 1
            continue
        matching = [
            one
            for one in by_rule[step.partition("(")[0]]
            if abs(time_from_ros(one.outcome.header.stamp) - stamp) < SAME_TIME
        ]
        counts["evidence"] += 1
        if quality >= 0.5 or not matching:
            counts["without an outcome that was heard"] += not matching
            continue
        heard = matching[0]
        begun = [o for o in truth[identify_step(heard.outcome)] if o.begin <= heard.at]
        last = max(begun, key=lambda attempt: attempt.begin, default=None)
        counts["failures"] += 1
        if last is None or last.fault not in SKILL_FAILED:
            found.append(Blame(step, quality, last, heard.outcome))
    return found, counts


def _read_evidence(store: Path) -> Iterator[tuple[float, float, str]]:
    with closing(sqlite3.connect(store)) as connection:
        yield from connection.execute("SELECT stamp, quality, step FROM evidence").fetchall()


def find_slope(samples: Sequence[tuple[float, float]]) -> float | None:
    """Return the growth in the second half of samples (hours, MiB), in MiB an hour.

    None for less than an hour: what grows with the first goals of a process is no leak.
    """
    half = samples[len(samples) // 2 :]
    if len(half) < 10 or half[-1][0] - half[0][0] < 1.0:
        return None
    hours, sizes = np.array(half).T
    return float(np.polyfit(hours, sizes, 1)[0])


def name_code(outcome: ActionOutcome) -> str:
    """The name of an outcome's code."""
    return OutcomeCode(outcome.outcome.code).name
