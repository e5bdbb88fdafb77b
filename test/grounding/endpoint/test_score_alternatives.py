# SPDX-License-Identifier: Apache-2.0
"""What the alternatives of answers' tokens say of the scores, for tokenizers of both kinds."""

from collections.abc import Callable
from typing import Any

import pytest
from chat_server import ScriptedModel, single_digits, whole_numbers
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding.chat_completion import AnswerToken, ChatAnswer, read_choices
from fcp_ros.grounding.endpoint_oracle import read_alternatives


def told(
    answers: dict[str, float],
    tokens: Callable[[str], list[str]] = whole_numbers,
    shows_end: bool = False,
    **changes: Any,
) -> list[ChatAnswer]:
    body = {
        "model": "m",
        "messages": [{"content": ""}],
        "max_tokens": 8,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 20,
        **changes,
    }
    model = ScriptedModel(answers, tokens, shows_end=shows_end)
    return list(read_choices(model.complete(body), "the server"))


@pytest.mark.parametrize("shows_end", [False, True])
def test_single_digits_are_read_along_the_answer(shows_end: bool) -> None:
    answers = {"70": 0.5, "75": 0.25, "80": 0.125, "7": 0.125}
    reading = read_alternatives(told(answers, single_digits, shows_end))
    assert reading.scores[70] == pytest.approx(0.5)
    assert reading.scores[75] == pytest.approx(0.25)
    assert reading.scores[7] == pytest.approx(0.125)  # its end is among the alternatives
    assert reading.unread == pytest.approx(0.125)  # an 8 may have become anything
    assert reading.share == pytest.approx(0.875)


def test_ten_and_a_hundred_digit_by_digit() -> None:
    reading = read_alternatives(told({"100": 0.75, "10": 0.25}, single_digits, shows_end=True))
    assert reading.scores[100] == pytest.approx(0.75)
    assert reading.scores[10] == pytest.approx(0.25)
    ended = read_alternatives(told({"10": 1.0}, single_digits))
    assert ended.scores[10] == pytest.approx(1.0)


def test_what_stands_before_and_behind_the_score() -> None:
    reading = read_alternatives(told({"Score: 40": 0.6, "Score: 50": 0.4}))
    assert reading.scores[40] == pytest.approx(0.6)
    assert reading.scores[50] == pytest.approx(0.4)
    behind = read_alternatives(told({"40.": 0.5, "40\n\nBecause": 0.5}))
    assert behind.scores[40] == pytest.approx(1.0)


def test_other_scales_are_no_scores() -> None:
    reading = read_alternatives(told({"0.7": 0.6, "150": 0.3, "20": 0.1}))
    assert reading.mass == pytest.approx(0.1)
    assert reading.scores[0] == 0.0


def test_two_tokens_of_one_text_both_count() -> None:
    content = {
        "choices": [
            {
                "message": {"content": "70"},
                "finish_reason": "stop",
                "logprobs": {
                    "content": [
                        {
                            "token": "70",
                            "logprob": -1.0,
                            "top_logprobs": [
                                {"token": "70", "logprob": -0.6931471805599453},
                                {"token": "70", "logprob": -1.3862943611198906},
                                {"token": "80", "logprob": float("nan")},
                                {"token": "90", "logprob": 1e-9},
                            ],
                        }
                    ]
                },
            }
        ]
    }
    reading = read_alternatives(read_choices(content, "the server"))
    assert reading.scores[70] == pytest.approx(0.75)
    assert reading.scores[90] == 1.0
    assert reading.scores[80] == 0.0


def test_a_server_that_tells_the_chosen_token_alone() -> None:
    choice = ChatAnswer("70", (AnswerToken("70", {"70": 0.3}),), True)
    assert read_alternatives([choice]).scores[70] == 0.3


SCORES = st.dictionaries(st.integers(0, 100), st.floats(0.01, 1.0), min_size=1, max_size=12)


@given(SCORES, st.booleans())
def test_whole_numbers_give_the_distribution_itself(
    weights: dict[int, float], shows_end: bool
) -> None:
    # One that is written in two digits says how this tokenizer writes numbers.
    weights = {**weights, 42: weights.get(42, 0.5)}
    total = sum(weights.values())
    answers = {str(score): weight / total for score, weight in weights.items()}
    reading = read_alternatives(told(answers, shows_end=shows_end))
    for score, weight in weights.items():
        assert reading.scores[score] == pytest.approx(weight / total)


@given(SCORES, st.integers(0, 1000))
def test_digits_never_say_more_than_is_true(weights: dict[int, float], seed: int) -> None:
    total = sum(weights.values())
    answers = {str(score): weight / total for score, weight in weights.items()}
    choices = told(answers, single_digits, shows_end=True, temperature=1.0, n=5, seed=seed)
    reading = read_alternatives(choices)
    assert reading.mass + reading.unread == pytest.approx(1.0)
    for score in range(101):
        assert reading.scores[score] <= weights.get(score, 0.0) / total + 1e-9
