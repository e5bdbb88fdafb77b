# SPDX-License-Identifier: Apache-2.0
"""T-norms: their laws, and the traps of DESIGN section 4."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import (
    EPSILON,
    TNORMS,
    Goedel,
    Lukasiewicz,
    Product,
    TNorm,
    check_degree,
    is_feasible,
    tnorm_by_name,
)

degrees = st.floats(0.0, 1.0, allow_subnormal=False)
tnorms = pytest.mark.parametrize("tnorm", TNORMS.values(), ids=TNORMS)


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
@given(a=degrees, b=degrees, x=degrees)
def test_the_residuum_is_the_greatest_solution(tnorm: TNorm, a: float, b: float, x: float) -> None:
    residuum = tnorm.residuum(a, b)
    assert 0.0 <= residuum <= 1.0
    assert tnorm.compose(a, residuum) <= b + EPSILON
    if x > residuum + EPSILON:
        assert tnorm.compose(a, x) > b
    else:
        assert tnorm.compose(a, x) <= b + EPSILON


@tnorms
@given(required=degrees, degree=degrees, x=degrees)
def test_the_least_requirement_is_the_least_solution(
    tnorm: TNorm, required: float, degree: float, x: float
) -> None:
    least = tnorm.least_requirement(required, degree)
    # Galois-like: what reaches `required` is exactly what is not below `least`.
    if x >= least:
        assert tnorm.compose(x, degree) >= required - EPSILON
    if tnorm.compose(x, degree) >= required:
        assert x >= least - EPSILON
    if not is_feasible(least):
        assert tnorm.compose(1.0, degree) < required


@tnorms
def test_nothing_required_needs_nothing(tnorm: TNorm) -> None:
    assert [tnorm.least_requirement(0.0, degree) for degree in (0.0, 0.3, 1.0)] == [0.0, 0.0, 0.0]


def test_a_requirement_above_one_is_infeasible_and_not_clipped() -> None:
    # The residuum 0.5 => 0.7 is 1, yet 0.5 (x) 1 = 0.5 < 0.7: it is not the inverse to use.
    tnorm = Lukasiewicz()
    assert tnorm.residuum(0.5, 0.7) == 1.0
    assert tnorm.compose(0.5, 1.0) < 0.7
    assert tnorm.least_requirement(0.7, 0.5) == pytest.approx(1.2)
    assert Product().least_requirement(0.7, 0.5) == pytest.approx(1.4)
    assert Product().least_requirement(0.7, 0.0) == math.inf
    assert Goedel().least_requirement(0.7, 0.5) == math.inf


def test_degradation_of_lukasiewicz() -> None:
    # n steps at 0.8 lose 0.2 n: four leave 0.2, five and six leave 0.
    tnorm = Lukasiewicz()
    assert tnorm.compose_all([0.8] * 4) == pytest.approx(0.2, abs=EPSILON)
    assert tnorm.compose_all([0.8] * 5) == pytest.approx(0.0, abs=EPSILON)
    assert tnorm.compose_all([0.8] * 6) == 0.0


def test_crisp_steps_cost_exactly_nothing() -> None:
    for tnorm in TNORMS.values():
        assert tnorm.compose_all([1.0] * 40 + [0.1] + [1.0] * 40) == 0.1


def test_a_sum_does_not_depend_on_its_order() -> None:
    values = [0.9, 0.97, 0.9999999, 0.8, 1.0]
    assert len({Lukasiewicz().compose_all(order) for order in permutations(values)}) == 1


def test_ten_thousand_small_losses_stay_exact() -> None:
    # 1 - 10,000 * 0.00005 = 0.5; adding up one by one drifts further than the tolerance allows.
    assert Lukasiewicz().compose_all([0.99995] * 10_000) == pytest.approx(0.5, abs=1e-12)


def test_tnorms_go_by_name() -> None:
    assert tnorm_by_name("goedel") == Goedel()
    assert {Product(): 1}[Product()] == 1
    with pytest.raises(ValueError, match="unknown t-norm 'max'; choose one of: goedel, luka"):
        tnorm_by_name("max")


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None])
def test_what_is_no_degree_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"alpha is .*; give a number from 0 to 1"):
        check_degree(value, "alpha")  # type: ignore[arg-type]
