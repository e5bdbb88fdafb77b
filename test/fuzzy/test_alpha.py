# SPDX-License-Identifier: Apache-2.0
"""Alpha policies."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import (
    EPSILON,
    TNORMS,
    AlphaCut,
    AlphaPolicy,
    AlphaPreset,
    Hamacher,
    Lukasiewicz,
    TNorm,
    alpha_policy,
    count_graded_steps,
    reaches,
)


def test_criticality_lifts_towards_one() -> None:
    assert AlphaPolicy(0.6, criticality=0.5).alpha_for(0) == pytest.approx(0.8)
    assert AlphaPolicy(0.6, criticality=1.0).alpha_for(0) == 1.0
    assert AlphaPolicy(0.6).alpha_for(0) == 0.6


def test_only_an_adaptive_policy_depends_on_the_plan() -> None:
    fixed = AlphaPolicy(0.6, length_factor=0.5, free_length=2)
    adaptive = AlphaPolicy(0.6, length_factor=0.5, free_length=2, adaptive=True)
    assert [fixed.alpha_for(n) for n in (0, 2, 4)] == [0.6, 0.6, 0.6]
    assert [adaptive.alpha_for(n) for n in (0, 2, 4)] == pytest.approx([0.6, 0.6, 0.15])


@given(
    base=st.floats(0.0, 1.0),
    criticality=st.floats(0.0, 1.0),
    factor=st.floats(0.01, 1.0),
    free=st.integers(0, 5),
    lengths=st.lists(st.integers(0, 40), min_size=2, max_size=2),
)
def test_alpha_never_rises_with_the_length(
    base: float, criticality: float, factor: float, free: int, lengths: list[int]
) -> None:
    policy = AlphaPolicy(base, criticality, factor, free, adaptive=True)
    shorter, longer = sorted(lengths)
    assert 0.0 <= policy.alpha_for(longer) <= policy.alpha_for(shorter) + 1e-12 <= 1.0 + 1e-12


def test_a_cut_comes_with_a_sentence() -> None:
    important = AlphaPolicy(AlphaPreset.IMPORTANT, criticality=0.2).cut(0)
    assert important.alpha == pytest.approx(0.88)
    assert important.explanation == (
        "Alpha is 0.88: preset important 0.85, lifted towards 1 by criticality 0.2 (fixed)."
    )
    assert AlphaPolicy(0.5).cut(7).explanation == "Alpha is 0.5: given (fixed)."
    adaptive = AlphaPolicy(0.5, adaptive=True, length_factor=0.9)
    assert adaptive.cut(3).explanation == "Alpha is 0.5: given (adaptive)."
    assert adaptive.cut(5) == AlphaCut(
        adaptive.alpha_for(5),
        "Alpha is 0.405: given, times 0.9 for each of 2 graded steps of the plan found beyond 3 "
        "(adaptive).",
    )


def test_crisp_steps_do_not_count() -> None:
    assert count_graded_steps([1.0, 0.9, 1.0, 0.0, 0.999]) == 3
    assert count_graded_steps([]) == 0


def test_what_a_user_gives() -> None:
    assert alpha_policy("Critical").base is AlphaPreset.CRITICAL
    assert alpha_policy("0.25").alpha_for(0) == 0.25
    assert alpha_policy(1, adaptive=True).adaptive
    with pytest.raises(ValueError, match="alpha is 'high'; give a number from 0 to 1, or casual"):
        alpha_policy("high")
    with pytest.raises(ValueError, match=r"alpha is 1\.5; give a number from 0 to 1"):
        alpha_policy("1.5")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base": -0.1}, "alpha is"),
        ({"criticality": 2.0}, "criticality is"),
        ({"length_factor": 0.0}, "length_factor is"),
        ({"free_length": -1}, "free_length is"),
    ],
)
def test_values_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AlphaPolicy(**settings)  # type: ignore[arg-type]


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="length is -1"):
        AlphaPolicy(0.5).alpha_for(-1)


# --- Backward requirements agree with forward composition


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
