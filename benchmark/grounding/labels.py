# SPDX-License-Identifier: Apache-2.0
"""How well two authors of the judgements agree.

The second author graded a sample of the pairs in config/judgements without seeing the first's
degrees. What a judge that learnt from one author can reach is bounded by how well another agrees.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.grounding.questions import HELD_OUT, JUDGEMENTS, MIXED, MIXED_NAME, Question
from benchmark.intervals import (
    Figure,
    measure_difference,
    measure_error,
    measure_rank,
    measure_with_interval,
)
from fcp_ros.grounding.judgement_set import read_judgements, to_plain

SECOND = JUDGEMENTS / "second_author" / "sample.csv"
NEAR = 0.2
"""Degrees that differ by no more say the same in other words."""


@dataclass(frozen=True, slots=True)
class TwiceJudged:
    """A pair that two authors judged."""

    question: Question
    second: float


def read_twice_judged(
    path: Path = SECOND, folders: Sequence[Path] = (JUDGEMENTS,)
) -> list[TwiceJudged]:
    """Read a second opinion, each pair with the degree of the first.

    Arguments:
        path: the second opinion.
        folders: of the first.

    Raises:
        KeyError: a pair is not among the judgements.
    """
    first = {
        (name, *judgement.pair): judgement.degree
        for name, kind in read_judgements(folders).items()
        for judgement in kind.judgements
    }
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for row in rows:
        asked = (row["set"], to_plain(row["item"]), to_plain(row["other"]))
        found.append(TwiceJudged(Question(*asked, first[asked]), float(row["degree"])))
    return found


def group_by_column(pairs: Sequence[TwiceJudged]) -> dict[str, list[TwiceJudged]]:
    """The pairs of each column of the held-out judgements."""
    groups = {HELD_OUT: list(pairs)}
    groups[MIXED_NAME] = [pair for pair in pairs if pair.question.kind in MIXED]
    for pair in pairs:
        groups.setdefault(pair.question.kind, []).append(pair)
    return groups


def measure_authors(pairs: Sequence[TwiceJudged]) -> dict[str, Figure]:
    """Error, rank and difference of the second author, as of a judge of the first's degrees."""
    second = [pair.second for pair in pairs]
    first = [pair.question.degree for pair in pairs]
    clusters = [pair.question.cluster for pair in pairs]
    measures = {"error": measure_error, "rank": measure_rank, "difference": measure_difference}
    return {
        name: measure_with_interval(measure, second, first, clusters)
        for name, measure in measures.items()
    }
