# SPDX-License-Identifier: Apache-2.0
"""What a step's outcome teaches: chunks that are judged as a whole are credited when they end."""

import pytest

from fcp_ros.execution.credit import credited_step

LABELS = ("", "fetch", "fetch", "fetch", "fetch 2", "fetch 2", "carry", "")


@pytest.mark.parametrize(
    ("index", "succeeded", "expected"),
    [
        (0, True, 0),
        (0, False, 0),
        (1, True, None),  # the chunk goes on
        (1, False, 1),
        (2, True, None),
        (2, False, 1),
        (3, True, 1),
        (3, False, 1),
        (4, True, None),  # the second use of the chunk is one of its own
        (4, False, 4),
        (5, True, 4),
        (6, True, 6),  # judged by its steps
        (7, True, 7),
    ],
)
def test_a_chunk_is_credited_when_it_ends(index, succeeded, expected):
    assert credited_step(LABELS, {"fetch"}, index, succeeded) == expected


def test_without_chunks_that_are_judged_as_a_whole_each_step_speaks_for_itself():
    for index in range(len(LABELS)):
        for succeeded in (True, False):
            assert credited_step(LABELS, (), index, succeeded) == index
