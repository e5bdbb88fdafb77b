# SPDX-License-Identifier: Apache-2.0
"""Backward requirements agree with forward composition."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import EPSILON, TNORMS, Hamacher, Lukasiewicz, TNorm, reaches

degrees = st.floats(0.0, 1.0, allow_subnormal=False)
ALL = (*TNORMS.values(), Hamacher(0.5), Hamacher(2.0))


@pytest.mark.parametrize("tnorm", ALL, ids=[tnorm.name for tnorm in ALL])
@given(steps=st.lists(degrees, max_size=6), alpha=degrees)
def test_backward_feasibility_is_forward_reaching(
    tnorm: TNorm, steps: list[float], alpha: float
) -> None:
    membership = tnorm.compose_all(steps)
    if abs(membership - alpha) > 10 * EPSILON:
        first = reduce(tnorm.least_requirement, reversed(steps), alpha)
        assert (first <= 1.0 + EPSILON) == reaches(membership, alpha)


def test_alpha_is_reached_within_the_tolerance() -> None:
    assert reaches(0.2 - 1e-12, 0.2)
    assert reaches(Lukasiewicz().compose_all([0.8] * 4), 0.2)
    assert not reaches(0.2 - 1e-6, 0.2)
