# SPDX-License-Identifier: Apache-2.0
"""The membership after each step, against composing all degrees up to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import EPSILON, TNORMS
from fcp_ros.planning.verification.degrees import compose_running


@pytest.mark.parametrize("tnorm", TNORMS.values(), ids=TNORMS)
@given(degrees=st.lists(st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0, 1.0]), max_size=8))
def test_running_composition(tnorm, degrees):
    expected = [tnorm.compose_all(degrees[: n + 1]) for n in range(len(degrees))]
    assert compose_running(degrees, tnorm) == pytest.approx(expected, abs=EPSILON)
