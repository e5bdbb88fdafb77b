# SPDX-License-Identifier: Apache-2.0
"""A sample of the golden answers; ``make golden`` compares all quick ones."""

from __future__ import annotations

import pytest
from golden import Part
from golden_cases import MissingData, differ, list_differences, read_answers, round_numbers

SAMPLE = 1
"""Cases of a part: a change of answers shows in the first one mostly, and `make golden` has all."""
SAMPLED = [part for part in Part if part is not Part.SENTENCES]
"""Each change of a reader changes some sentences: ``make golden`` lists what became of them."""


@pytest.mark.parametrize("part", SAMPLED, ids=lambda part: part.value)
def test_a_sample_is_answered_as_before(part: Part) -> None:
    kept = read_answers(part.file)
    try:
        quick = [case for case in part.list_cases() if case.quick]
    except MissingData as missing:
        pytest.skip(str(missing))
    for case in quick[:: len(quick) // SAMPLE]:
        answer = round_numbers(case.answer())
        assert list(list_differences(kept[case.name], answer)) == [], case.name


@pytest.mark.parametrize("part", SAMPLED, ids=lambda part: part.value)
def test_each_quick_case_has_an_answer(part: Part) -> None:
    kept = read_answers(part.file)
    try:
        names = [case.name for case in part.list_cases() if case.quick]
    except MissingData as missing:
        pytest.skip(str(missing))
    assert set(names) <= set(kept)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1.0, 1.000001, False),
        (1.0, 1.001, True),
        ({"steps": 3}, {"steps": 3, "end": 4.0}, True),
        (["on(a, b)"], ["on(a, c)"], True),
        ("SOLVED", "TIMEOUT", True),
    ],
)
def test_only_last_digits_may_differ(old: object, new: object, expected: bool) -> None:
    assert differ(old, new) is expected
