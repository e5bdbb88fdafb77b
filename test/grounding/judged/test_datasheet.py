# SPDX-License-Identifier: Apache-2.0
"""The datasheet of the judgements says what the files hold, and how well two authors agree."""

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmark.grounding.labels import (
    NEAR,
    SECOND,
    TwiceJudged,
    group_by_column,
    measure_authors,
    read_twice_judged,
)
from benchmark.grounding.questions import HELD_OUT
from benchmark.intervals import Figure
from fcp_ros.grounding.judgement_set import JudgementSet, read_judgements, split

SAMPLE = {"function": 99, "substitution": 120, "stability": 40, "safety": 40}


@pytest.fixture(scope="module")
def sets(repository: Path) -> dict[str, JudgementSet]:
    return read_judgements([repository / "config" / "judgements"])


@pytest.fixture(scope="module")
def twice() -> list[TwiceJudged]:
    return read_twice_judged()


@pytest.fixture(scope="module")
def datasheet(repository: Path) -> str:
    return (repository / "config" / "judgements" / "README.md").read_text(encoding="utf-8")


def test_it_counts_the_pairs(sets: dict[str, JudgementSet], datasheet: str) -> None:
    for name, kind in sets.items():
        parts = split(kind.judgements)
        sides = [len({judgement.pair[side] for judgement in kind.judgements}) for side in (0, 1)]
        split_sizes = [len(parts.training), len(parts.held_out), parts.left_out]
        numbers = [len(kind.judgements), *sides, *split_sizes]
        assert f"| {name} | {' | '.join(map(str, numbers))} |" in datasheet


def test_the_sample_of_the_second_author_is_whole(twice: list[TwiceJudged]) -> None:
    asked = [pair.question.asked for pair in twice]
    assert len(set(asked)) == len(asked)
    assert Counter(kind for kind, *_ in asked) == SAMPLE
    assert all(0.0 <= pair.second <= 1.0 for pair in twice)
    assert len({pair.second for pair in twice}) > 10


def test_it_is_no_set_of_judgements(sets: dict[str, JudgementSet]) -> None:
    assert set(sets) == set(SAMPLE)
    assert SECOND.is_file()


def test_a_pair_that_nobody_judged_first_is_no_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "sample.csv"
    file.write_text("set,item,other,degree\nfunction,green idea,sleeping furiously,0.5\n")
    with pytest.raises(KeyError):
        read_twice_judged(file)


@pytest.fixture(scope="module")
def figures(twice: list[TwiceJudged]) -> dict[str, dict[str, Figure]]:
    """Of each column, how well the authors agree."""
    return {name: measure_authors(mine) for name, mine in group_by_column(twice).items()}


def test_the_authors_agree_as_it_says(
    twice: list[TwiceJudged], figures: dict[str, dict[str, Figure]], datasheet: str
) -> None:
    for name, mine in group_by_column(twice).items():
        row = write_row("all" if name == HELD_OUT else name, mine, figures[name])
        (said,) = (line for line in datasheet.splitlines() if line.startswith(row.split("0.")[0]))
        # The bounds come from random draws, which another numpy may draw otherwise.
        for ours, theirs in zip(find_numbers(row), find_numbers(said), strict=True):
            assert ours == pytest.approx(theirs, abs=0.006), f"the datasheet should say {row}"


def test_second_opinions_are_close(figures: dict[str, dict[str, Figure]]) -> None:
    """What heads are held to would mean nothing if a second author said something else."""
    for found in figures.values():
        assert found["error"].high < 0.12
        assert found["rank"].low > 0.9
        assert abs(found["difference"].value) < 0.08


def write_row(name: str, pairs: list[TwiceJudged], figures: dict[str, Figure]) -> str:
    """The row of the datasheet's table."""
    near = sum(abs(p.second - p.question.degree) <= NEAR + 1e-9 for p in pairs) / len(pairs)
    shown = " | ".join(str(figures[measure]) for measure in ("error", "rank", "difference"))
    return f"| {name} | {len(pairs)} | {shown} | {near:.2f} |"


def find_numbers(row: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d*\.?\d+", row)]
