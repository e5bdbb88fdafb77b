# SPDX-License-Identifier: Apache-2.0
"""Context keys hold the declared context and nothing else; degrees are checked."""

import json
import math
import pickle
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError, Membership
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest, drop_latencies
from fcp_ros.grounding.options import (
    check_sample_count,
    compute_distribution_median,
    compute_median,
    find_quantile,
)


def request(element: str, purpose: str = "drinking", **attributes: object) -> JudgementRequest:
    item = ArgumentContext("item", element, "mug", tuple(sorted(attributes.items())))  # type: ignore[arg-type]
    return JudgementRequest("serves_as", (item, ArgumentContext("purpose", purpose)))


def test_two_elements_alike_are_one_question() -> None:
    assert request("mug_1").context_key == request("mug_2").context_key


def test_a_declared_name_makes_two_questions() -> None:
    first, second = request("mug_1", name="mug_1"), request("mug_2", name="mug_2")
    assert first.context_key != second.context_key


def test_texts_count_up_to_case_and_spaces() -> None:
    assert request("m", "Drinking ").context_key == request("m", "drinking").context_key
    assert request("m", "drinking").context_key != request("m", "eating").context_key


@given(st.text(max_size=20), st.text(max_size=20), st.dictionaries(st.text(), st.booleans()))
def test_the_key_is_written_as_json_writes_it(
    label: str, text: str, flags: dict[str, bool]
) -> None:
    item = ArgumentContext("item", "x", label, tuple(sorted(flags.items())))
    asked = JudgementRequest('"serves"', (item, ArgumentContext("purpose", text)))
    content = {
        "predicate": asked.predicate,
        "arguments": [argument.to_json() for argument in asked.arguments],
    }
    assert asked.context_key == json.dumps(
        content, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )


@pytest.mark.parametrize("degree", [-0.1, 1.1, math.nan, math.inf, True, "0.5"])
def test_a_degree_outside_the_unit_interval_is_refused(degree: float) -> None:
    with pytest.raises(GroundingError, match="degree of a membership") as caught:
        Membership(degree, 0.5)
    assert caught.value.code is GroundingCode.INVALID_DEGREE


@pytest.mark.parametrize("distribution", [(0.5, 0.5), (math.nan,) + (0.0,) * 100, (1.5,) * 101])
def test_a_distribution_has_a_probability_for_each_score(distribution: tuple[float, ...]) -> None:
    with pytest.raises(GroundingError, match="distribution of a membership"):
        Membership(0.5, 0.5, distribution=distribution)


@pytest.mark.parametrize("uncertainty", [-0.1, 1.1, math.nan])
def test_an_uncertainty_outside_the_unit_interval_is_refused(uncertainty: float) -> None:
    with pytest.raises(GroundingError, match="uncertainty of a membership"):
        Membership(0.5, 0.5, uncertainty=uncertainty)


@pytest.mark.parametrize("latency", [-1.0, math.nan, math.inf])
def test_a_latency_is_seconds(latency: float) -> None:
    with pytest.raises(GroundingError, match="latency"):
        Membership(0.5, 0.5, latency=latency)


DEGREES = st.floats(0, 1)


@given(st.lists(st.tuples(DEGREES, DEGREES, st.text(max_size=5)), max_size=6), st.floats(0, 9))
def test_a_batch_is_built_like_its_members(
    rows: list[tuple[float, float, str]], latency: float
) -> None:
    built = Membership.of_degrees(
        [degree for degree, _, _ in rows],
        (note for _, _, note in rows),
        [error for _, error, _ in rows],
        source="head",
        model="m",
        latency=latency,
    )
    apart = [
        replace(Membership.of_degree(d, "head", "m", n, uncertainty=e), latency=latency)
        for d, e, n in rows
    ]
    assert [asdict(one) for one in built] == [asdict(one) for one in apart]
    assert [hash(one) for one in built] == [hash(one) for one in apart]
    stripped = [replace(one, latency=0.0) for one in built]
    assert [asdict(one) for one in drop_latencies(built)] == [asdict(one) for one in stripped]
    assert all(one.latency == latency for one in built)


def test_an_error_survives_a_process_boundary() -> None:
    error = GroundingError(GroundingCode.NO_ANSWER, "no score")
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.sentence, str(again)) == (error.code, "no score", "no score")


# --- The median of judgements and of distributions


degrees = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=15)


@pytest.mark.parametrize("count", [0, 2, 4, -1, 2.5, True])
def test_even_or_senseless_sample_counts_are_refused(count: int) -> None:
    with pytest.raises(GroundingError, match="odd number") as caught:
        check_sample_count(count)
    assert caught.value.code is GroundingCode.INVALID_OPTION


@given(degrees)
def test_median_lies_between_the_judgements(values: list[float]) -> None:
    median, spread = compute_median(values)
    assert min(values) <= median <= max(values)
    assert 0.0 <= spread <= max(values) - min(values) + 1e-12


@pytest.mark.parametrize("values", [[], [0.5, math.nan]])
def test_no_median_of_nothing(values: list[float]) -> None:
    with pytest.raises(GroundingError):
        compute_median(values)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=11), st.floats(0.01, 1.0))
def test_quantile_is_that_of_the_repeated_values(weights: list[int], fraction: float) -> None:
    if sum(weights) == 0:
        return
    values = [i / 10 for i in range(len(weights))]
    repeated = [v for v, w in zip(values, weights, strict=True) for _ in range(w)]
    slow = sorted(repeated)[max(0, math.ceil(fraction * len(repeated) - 1e-9) - 1)]
    assert find_quantile(values, weights, fraction) == slow


def test_distribution_median_is_the_limit_of_sample_medians() -> None:
    values, weights = [0.0, 0.3, 0.7, 1.0], [0.1, 0.25, 0.45, 0.2]
    median, spread = compute_distribution_median(values, weights)
    drawn = np.random.default_rng(1).choice(values, 9999, p=weights)
    assert median == float(np.median(drawn)) == 0.7
    assert spread == pytest.approx(0.4)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [math.nan, 1.0], [-1.0, 2.0]])
def test_senseless_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(GroundingError):
        find_quantile([0.0, 1.0], weights, 0.5)
