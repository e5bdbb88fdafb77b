# SPDX-License-Identifier: Apache-2.0
"""Random ADL worlds with torn names: what is right is never refuted, what is wrong never proven."""

from __future__ import annotations

import random

import pytest
from random_adl import make_task as make_random
from torn_names import draw_tears, find_truth, parse, simulate, tear

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentStatus
from fcp_ros.alignment.comparison import align
from fcp_ros.alignment.evidence import Standing
from fcp_ros.alignment.pairing import make_task

SEEDS = (0, 1, 2, 3, 5, 8, 11, 13, 14, 17, 24, 31)


@pytest.mark.parametrize("seed", SEEDS)
def test_conclusions_agree_with_the_world(seed: int) -> None:
    true, draw = parse(*make_random(seed)), random.Random(seed)
    torn = draw_tears(true, draw)
    model = tear(true, torn)
    result = align(make_task(model), simulate(true), AlignmentOptions(time_limit=10.0, seed=seed))
    truth = find_truth(true, torn)
    for one in (*result.mapping, *result.others):
        is_right = truth.implies(one.proposal.synonym)
        assert not (is_right and one.standing is Standing.REFUTED), one
        assert is_right or one.standing is not Standing.PROVEN, one
    # Of a goal that can be reached it is never said that it can't.
    solvable = align(make_task(true), simulate(true)).status is AlignmentStatus.NOTHING_TO_ALIGN
    if solvable:
        assert result.status not in (AlignmentStatus.NO_PLAN, AlignmentStatus.UNEXPLAINED)
