# SPDX-License-Identifier: Apache-2.0
"""Requests built from a state: what is declared enters, what is not doesn't."""

from typing import Any

import pytest

from fcp_ros.cset import Attribute, AttributeKind, InstanceBuilder, Schema
from fcp_ros.grounding import (
    CalibrationOptions,
    EndpointOptions,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    LanguageModelOptions,
    build_request,
)
from fcp_ros.grounding.judgement import canonicalise


@pytest.fixture
def state() -> Any:
    schema = Schema(
        "tiny",
        {"item": (), "robot": ()},
        attributes=(
            Attribute("category", "item", AttributeKind.STRING),
            Attribute("size_x", "item", AttributeKind.FLOAT),
            Attribute("dirty", "item", AttributeKind.BOOL),
            Attribute("reach", "robot", AttributeKind.FLOAT),
        ),
    )
    builder = InstanceBuilder(schema)
    builder.add("item", "mug_1", {"category": "Coffee_Mug_3", "size_x": 0.08049, "dirty": True})
    builder.add("item", "thing_2")
    return builder.build()


def test_category_in_words_and_nothing_undeclared(make_predicate: Any, state: Any) -> None:
    request = build_request(make_predicate(), ("mug_1", "drinking"), state)
    item, purpose = request.arguments
    assert (item.category, item.words, item.attributes) == ("coffee mug", "coffee mug", ())
    assert purpose.is_text
    assert purpose.words == "drinking"


def test_declared_attributes_enter_rounded(make_predicate: Any, state: Any) -> None:
    predicate = make_predicate(context={"item": ("size_x", "dirty", "name", "category")})
    item = build_request(predicate, ("mug_1", "drinking"), state).arguments[0]
    assert item.attributes == (("dirty", True), ("name", "mug_1"), ("size_x", 0.0805))


def test_unknown_values_are_left_out(make_predicate: Any, state: Any) -> None:
    predicate = make_predicate(context={"item": ("size_x", "reach")})
    item = build_request(predicate, ("thing_2", "drinking"), state).arguments[0]
    assert item.attributes == ()
    assert item.category == "item"


@pytest.mark.parametrize(
    ("context", "arguments", "code", "sentence"),
    [
        ({}, ("mug_9", "drinking"), GroundingCode.UNKNOWN_ELEMENT, "no element mug_9"),
        ({}, ("mug_1",), GroundingCode.WRONG_ARGUMENTS, "2 parameters"),
        (
            {"item": ("colour",)},
            ("mug_1", "drinking"),
            GroundingCode.UNKNOWN_ATTRIBUTE,
            "declares colour",
        ),
    ],
)
def test_bad_requests_say_what_is_wrong(
    make_predicate: Any, state: Any, context: Any, arguments: Any, code: Any, sentence: str
) -> None:
    with pytest.raises(GroundingError, match=sentence) as caught:
        build_request(make_predicate(context=context), arguments, state)
    assert caught.value.code is code


def test_only_floats_are_rounded() -> None:
    assert canonicalise("size_x", 1234567) == 1234567
    assert canonicalise("size_x", 1234.567) == 1230.0
    assert canonicalise("x", "as it is") == "as it is"


def test_positions_are_as_exact_far_from_the_origin() -> None:
    assert canonicalise("x", 1234.567) == 1234.57
    assert canonicalise("y", -0.001) == 0.0
    assert str(canonicalise("y", -0.001)) == "0.0"
    assert canonicalise("z", float("inf")) == float("inf")


# --- Settings out of range are refused by name


@pytest.mark.parametrize(
    ("options", "change", "sentence"),
    [
        (LanguageModelOptions, {"samples": 4}, "odd number"),
        (LanguageModelOptions, {"temperature": float("nan")}, "temperature"),
        (LanguageModelOptions, {"mode": "guess"}, "exact, sample"),
        (LanguageModelOptions, {"precision": "int3"}, "float32, bfloat16"),
        (CalibrationOptions, {"half_life_days": float("nan")}, "half_life_days"),
        (CalibrationOptions, {"neighbours": 1.5}, "neighbours"),
        (EndpointOptions, {"timeout": 0.0}, "timeout"),
        (EndpointOptions, {"retries": 11}, "retries"),
        (GroundingOptions, {"device": "tpu"}, "auto, cpu, cuda"),
    ],
)
def test_out_of_range(options: type, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GroundingError, match=sentence):
        options(**change)
