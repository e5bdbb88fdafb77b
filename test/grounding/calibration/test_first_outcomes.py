# SPDX-License-Identifier: Apache-2.0
"""A small version of benchmark/grounding_first.py: ten outcomes help, and no more than they can."""

import io

import numpy as np
import pytest
from grounding_first import ALONE, BEFORE, TAUGHT_TEN, FirstOutcomes, learn_first, show_first
from grounding_limit import KnowingJudge, Tried, bound_by_information
from grounding_models import MISTAKES, RIGHT, Mistake, copy_oracle
from grounding_simulated import BIASED, Oracle
from rich.console import Console

SEEDS = range(2000, 2006)
HARSH = BIASED[0]
KINDS: tuple[tuple[Mistake, Oracle | None], ...] = (
    (copy_oracle(HARSH), HARSH),
    (MISTAKES[0], None),
    (MISTAKES[6], None),
    (RIGHT, None),
)


@pytest.fixture(scope="module")
def found() -> list[FirstOutcomes]:
    return [learn_first(mistake, oracle, SEEDS) for mistake, oracle in KINDS]


def test_ten_outcomes_are_no_worse_than_the_prior(found: list[FirstOutcomes]) -> None:
    """Over all kinds with confidence, and for each kind within a bound."""
    for stage in (ALONE, TAUGHT_TEN):
        changes = np.asarray([np.subtract(one.errors[stage], one.errors[BEFORE]) for one in found])
        by_seed = changes.mean(axis=0)
        assert by_seed.mean() + 2.0 * by_seed.std(ddof=1) / np.sqrt(len(SEEDS)) < 0.0
        assert changes.mean(axis=1).max() < 0.006


def test_other_predicates_teach(found: list[FirstOutcomes]) -> None:
    harsh = found[0]
    before, alone, taught = (np.mean(harsh.eces[stage]) for stage in (BEFORE, ALONE, TAUGHT_TEN))
    assert taught < 0.5 * alone < alone < before


def test_who_knows_more_does_better(found: list[FirstOutcomes]) -> None:
    harsh = found[0]
    for stage in (ALONE, TAUGHT_TEN):
        assert np.mean(harsh.least_eces[stage]) < np.mean(harsh.eces[stage])


def test_a_judge_who_knows_the_kind_of_mistake_learns_the_shift() -> None:
    degrees = np.asarray([0.2, 0.5, 0.8])
    rates = 1.0 / (1.0 + np.exp(-np.log(degrees / (1.0 - degrees)) - 1.5))
    judge = KnowingJudge(HARSH)
    tried = [
        Tried(degree, round(400 * rate), 400 - round(400 * rate))
        for degree, rate in zip(degrees.tolist(), rates.tolist(), strict=True)
    ]
    assert judge.judge(degrees, tried, []) == pytest.approx(rates, abs=0.02)
    assert judge.judge(degrees, [], tried) == pytest.approx(rates, abs=0.03)


def test_a_judge_who_knows_that_there_is_no_mistake_keeps_the_degrees() -> None:
    degrees = np.asarray([0.2, 0.5, 0.8])
    judge = KnowingJudge(Oracle("exactly right"))
    assert judge.judge(degrees, [Tried(0.2, 0, 3)], []) == pytest.approx(degrees, abs=0.01)


def test_the_bound_falls_with_the_root_of_the_outcomes() -> None:
    many, more = (bound_by_information(count, 0.17, 1.5) for count in (1000, 4000))
    assert more == pytest.approx(0.5 * many, rel=0.01)
    assert bound_by_information(0, 0.17, 1.5) == pytest.approx(np.sqrt(2 / np.pi) * 1.5 * 0.17)


def test_the_table_is_written(found: list[FirstOutcomes]) -> None:
    console = Console(file=io.StringIO(), width=200)
    show_first("Some", found, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "over all kinds the error changes by -" in text
