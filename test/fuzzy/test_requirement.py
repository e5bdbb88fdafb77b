# SPDX-License-Identifier: Apache-2.0
"""Backward requirements agree with forward composition."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import (
    EPSILON,
    TNORMS,
    Hamacher,
    Lukasiewicz,
    TNorm,
    backward_requirement,
    is_feasible,
    reaches,
    requirements_along,
)

degrees = st.floats(0.0, 1.0, allow_subnormal=False)


def test_the_requirement_is_the_minimum_over_the_steps() -> None:
    # To reach 0.6: a step of 0.9 to where 0.6 is needed asks for 0.7; one of 0.5 for 1.1
    # (infeasible); a crisp one to where 0.65 is needed for 0.65, which is the cheapest.
    steps = [(0.6, 0.9), (0.6, 0.5), (0.65, 1.0)]
    assert backward_requirement(steps, Lukasiewicz()) == pytest.approx(0.65)


def test_without_a_step_it_is_infeasible() -> None:
    requirement = backward_requirement([], Lukasiewicz())
    assert requirement == math.inf
    assert not is_feasible(requirement)


def test_requirements_along_a_plan() -> None:
    assert requirements_along(0.5, [0.9, 1.0, 0.8], Lukasiewicz()) == pytest.approx(
        (0.8, 0.7, 0.7, 0.5)
    )


ALL = (*TNORMS.values(), Hamacher(0.5), Hamacher(2.0))


@pytest.mark.parametrize("tnorm", ALL, ids=[tnorm.name for tnorm in ALL])
@given(steps=st.lists(degrees, max_size=6), alpha=degrees)
def test_backward_feasibility_is_forward_reaching(
    tnorm: TNorm, steps: list[float], alpha: float
) -> None:
    membership = tnorm.compose_all(steps)
    if abs(membership - alpha) > 10 * EPSILON:
        first = requirements_along(alpha, steps, tnorm)[0]
        assert is_feasible(first) == reaches(membership, alpha)


def test_alpha_is_reached_within_the_tolerance() -> None:
    assert reaches(0.2 - 1e-12, 0.2)
    assert reaches(Lukasiewicz().compose_all([0.8] * 4), 0.2)
    assert not reaches(0.2 - 1e-6, 0.2)
