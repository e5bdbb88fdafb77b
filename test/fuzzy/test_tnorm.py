# SPDX-License-Identifier: Apache-2.0
"""T-norms: their laws, and the traps of docs/design.md."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import (
    EPSILON,
    TNORMS,
    Composition,
    Goedel,
    Hamacher,
    Lukasiewicz,
    Product,
    TNorm,
    check_degree,
    reaches,
    tnorm_by_name,
)

degrees = st.floats(0.0, 1.0, allow_subnormal=False)
usual = st.just(0.0) | st.floats(1e-3, 1.0)
"""Degrees at which no t-norm is so flat that rounding hides a difference of `EPSILON`."""

ALL = (*TNORMS.values(), Hamacher(0.5), Hamacher(2.0), Hamacher(1e-9), Hamacher(1e6))
tnorms = pytest.mark.parametrize("tnorm", ALL, ids=[tnorm.name for tnorm in ALL])


@tnorms
@given(a=degrees, b=degrees, c=degrees)
def test_laws_of_a_tnorm(tnorm: TNorm, a: float, b: float, c: float) -> None:
    assert tnorm.compose(a, b) == tnorm.compose(b, a)
    nested = tnorm.compose(tnorm.compose(a, b), c)
    assert nested == pytest.approx(tnorm.compose(a, tnorm.compose(b, c)), abs=EPSILON)
    assert tnorm.compose(a, 1.0) == a
    assert tnorm.compose(a, 0.0) == 0.0
    assert 0.0 <= tnorm.compose(a, b) <= min(a, b)
    low, high = sorted((b, c))
    assert tnorm.compose(a, low) <= tnorm.compose(a, high)


@tnorms
@given(values=st.lists(degrees, max_size=6))
def test_compose_all_is_compose_one_after_the_other(tnorm: TNorm, values: list[float]) -> None:
    one_by_one = 1.0
    for value in values:
        one_by_one = tnorm.compose(one_by_one, value)
    assert tnorm.compose_all(values) == pytest.approx(one_by_one, abs=EPSILON)
    assert tnorm.compose_all(reversed(values)) == tnorm.compose_all(values)


@tnorms
@given(required=usual, degree=usual, x=usual)
def test_the_least_requirement_is_the_least_solution(
    tnorm: TNorm, required: float, degree: float, x: float
) -> None:
    least = tnorm.least_requirement(required, degree)
    # Galois-like: what reaches `required` is exactly what is not below `least`.
    if x >= least:
        assert tnorm.compose(x, degree) >= required - EPSILON
    if tnorm.compose(x, degree) >= required + EPSILON:
        assert x >= least - EPSILON
    if least > 1.0 + EPSILON:
        assert tnorm.compose(1.0, degree) < required


@tnorms
@given(required=degrees, degree=degrees)
def test_the_least_requirement_reaches(tnorm: TNorm, required: float, degree: float) -> None:
    least = tnorm.least_requirement(required, degree)
    if least <= 1.0:
        assert tnorm.compose(least, degree) >= required - EPSILON
    else:
        assert tnorm.compose(1.0, degree) < required


@tnorms
def test_nothing_required_needs_nothing(tnorm: TNorm) -> None:
    assert [tnorm.least_requirement(0.0, degree) for degree in (0.0, 0.3, 1.0)] == [0.0, 0.0, 0.0]


def test_a_requirement_above_one_is_infeasible_and_not_clipped() -> None:
    # The residuum 0.5 => 0.7 is 1, yet 0.5 (x) 1 = 0.5 < 0.7: it is not the inverse to use.
    tnorm = Lukasiewicz()
    assert tnorm.compose(0.5, 1.0) < 0.7
    assert tnorm.least_requirement(0.7, 0.5) == pytest.approx(1.2)
    assert Product().least_requirement(0.7, 0.5) == pytest.approx(1.4)
    assert Product().least_requirement(0.7, 0.0) == math.inf
    assert Goedel().least_requirement(0.7, 0.5) == math.inf


def test_the_degradation_in_the_paper() -> None:
    # n steps at 0.8 lose 0.2 n: four leave 0.2, five and six leave 0.
    tnorm = Lukasiewicz()
    assert tnorm.compose_all([0.8] * 4) == pytest.approx(0.2, abs=EPSILON)
    assert tnorm.compose_all([0.8] * 5) == pytest.approx(0.0, abs=EPSILON)
    assert tnorm.compose_all([0.8] * 6) == 0.0
    assert tnorm.degree_of(4 * tnorm.loss(0.8)) == pytest.approx(0.2, abs=EPSILON)
    assert tnorm.degree_of(6 * tnorm.loss(0.8)) == 0.0


@given(p=st.floats(0.0, 10.0), a=degrees, b=degrees)
def test_the_hamacher_family_is_its_formula(p: float, a: float, b: float) -> None:
    below = p + (1.0 - p) * (a + b - a * b)
    expected = a * b / below if a > 1e-6 and b > 1e-6 else 0.0
    assert Hamacher(p).compose(a, b) == pytest.approx(expected, abs=1e-6)


def test_crisp_steps_cost_exactly_nothing() -> None:
    for tnorm in ALL:
        assert tnorm.compose_all([1.0] * 40 + [0.1] + [1.0] * 40) == 0.1
        assert tnorm.loss(1.0) == 0.0
        assert tnorm.degree_of(0.0) == 1.0


def test_a_sum_does_not_depend_on_its_order() -> None:
    values = [0.9, 0.97, 0.9999999, 0.8, 1.0]
    assert len({Lukasiewicz().compose_all(order) for order in permutations(values)}) == 1


def test_ten_thousand_small_losses_stay_exact() -> None:
    # 1 - 10,000 * 0.00005 = 0.5; adding up one by one drifts further than the tolerance allows.
    assert Lukasiewicz().compose_all([0.99995] * 10_000) == pytest.approx(0.5, abs=1e-12)


def lost(tnorm: TNorm, steps: list[float]) -> float:
    """The loss of a plan, as a search composes it."""
    losses = [tnorm.loss(degree) for degree in steps]
    return math.fsum(losses) if tnorm.composition is Composition.SUM else max(losses, default=0.0)


@tnorms
@given(steps=st.lists(degrees, max_size=8))
def test_losses_compose_as_degrees_do(tnorm: TNorm, steps: list[float]) -> None:
    composed = tnorm.degree_of(lost(tnorm, steps))
    assert composed == pytest.approx(tnorm.compose_all(steps), abs=EPSILON)


@tnorms
@given(a=degrees, b=degrees)
def test_a_loss_is_finite_and_falls_with_the_degree(tnorm: TNorm, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert math.inf > tnorm.loss(low) >= tnorm.loss(high) >= 0.0
    assert tnorm.degree_of(tnorm.loss(a)) == pytest.approx(a, abs=EPSILON)
    assert tnorm.degree_of(a) >= tnorm.degree_of(a + b)


@tnorms
@given(loss=st.floats(0.0, 30.0), slack=st.floats(0.0, EPSILON))
def test_the_tolerance_of_losses_is_within_that_of_degrees(
    tnorm: TNorm, loss: float, slack: float
) -> None:
    assert tnorm.degree_of(loss) - tnorm.degree_of(loss + slack) <= EPSILON + 1e-15


@tnorms
@given(steps=st.lists(st.floats(0.5, 1.0), max_size=6) | st.lists(degrees, max_size=3), alpha=usual)
def test_a_loss_budget_is_the_alpha_cut(tnorm: TNorm, steps: list[float], alpha: float) -> None:
    membership = tnorm.compose_all(steps)
    within = lost(tnorm, steps) <= tnorm.loss_budget(alpha) + EPSILON
    if abs(membership - alpha) > 3 * EPSILON:
        assert within == reaches(membership, alpha)
    if within:
        assert reaches(membership, alpha - EPSILON)


@tnorms
@given(steps=st.lists(st.sampled_from([0.7, 0.8, 0.95, 1.0]), max_size=5))
def test_a_plan_is_within_its_own_budget(tnorm: TNorm, steps: list[float]) -> None:
    alpha = tnorm.compose_all(steps)
    assert lost(tnorm, steps) <= tnorm.loss_budget(alpha) + EPSILON


def test_without_a_cut_every_loss_is_within_the_budget() -> None:
    assert [tnorm.loss_budget(0.0) for tnorm in ALL] == [math.inf] * len(ALL)


def test_only_goedel_takes_the_largest_loss() -> None:
    largest = [tnorm for tnorm in ALL if tnorm.composition is Composition.MAXIMUM]
    assert largest == [Goedel()]


def test_tnorms_go_by_name() -> None:
    assert tnorm_by_name("goedel") == Goedel()
    assert {Product(): 1}[Product()] == 1
    for tnorm in ALL:
        assert tnorm_by_name(tnorm.name) == tnorm
    assert [Hamacher(p).name for p in (0, 0.5, 2, 1e-5)] == [
        "hamacher",
        "hamacher(0.5)",
        "hamacher(2)",
        "hamacher(1e-05)",
    ]
    assert tnorm_by_name("hamacher(2.0)") == Hamacher(2) != Hamacher(3)
    assert tnorm_by_name("hamacher(0)") == tnorm_by_name("hamacher")


@pytest.mark.parametrize(
    "name", ["max", "", "hamacher()", "hamacher(-1)", "hamacher(1e999)", "hamacher(.)"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"unknown t-norm .*; choose one of: goedel, ham.*uct, or ham"
    ):
        tnorm_by_name(name)


@pytest.mark.parametrize("parameter", [-1.0, math.nan, math.inf])
def test_a_hamacher_parameter_out_of_range_is_refused(parameter: float) -> None:
    with pytest.raises(ValueError, match="give a number >= 0"):
        Hamacher(parameter)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None])
def test_what_is_no_degree_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"alpha is .*; give a number from 0 to 1"):
        check_degree(value, "alpha")  # type: ignore[arg-type]
