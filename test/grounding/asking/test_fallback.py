# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong with the oracle that should answer, the fallback does, and says that it did."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_oracle import ScriptedOracle, refusing

from fcp_ros.domain.expressions.arithmetic import Number
from fcp_ros.domain.model import FuzzyRule, RuleLine, TableEntry
from fcp_ros.foundation.stopping import WorkStopped
from fcp_ros.fuzzy.fuzzy_sets import Trapezoid
from fcp_ros.grounding import (
    CalibrationStore,
    Grounder,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementCache,
    make_grounder,
)
from fcp_ros.grounding import cached_oracle as cached_oracle_module
from fcp_ros.grounding.cached_oracle import RETRY_PERIOD, Outage
from fcp_ros.grounding.stated import RuleOracle, TableOracle

TABLE = (TableEntry({"item": "mug"}, 0.9),)
DOWN = refusing(GroundingCode.SERVER_UNREACHABLE, "the server is down")


def break_folder(kind: str, path: Path) -> Path:
    """A model's folder with one thing wrong with it."""
    folder = path / "model"
    if kind == "missing":
        return folder
    folder.mkdir()
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    name = "pytorch_model.bin" if kind == "pickle" else "model.safetensors"
    (folder / name).write_bytes(b"\xff" * 64)
    return folder


KINDS = {
    "missing": "there is no model at",
    "pickle": "only pickle weights",
    "corrupt": "",  # whatever the library says of such files, at the first question
}
"""What else may be wrong with a folder is in models/test_model_folder.py."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("oracle", ["causal_lm", "embedding"])
def test_broken_models(
    household: Any, make_predicate: Any, ask: Any, tmp_path: Path, kind: str, oracle: str
) -> None:
    folder = break_folder(kind, tmp_path)
    domain = replace(household, graded={"serves_as": make_predicate(table=TABLE)})
    options = GroundingOptions(oracle=oracle, model=folder)
    question = ask("tin mug", "drinking")
    with pytest.raises(GroundingError) as caught:
        make_grounder(domain, options).judge([question])
    assert KINDS[kind] in caught.value.sentence
    grounder = make_grounder(domain, replace(options, fallback="table"))
    for _ in range(2):
        (answer,) = grounder.judge([question])
        assert (answer.degree, answer.source) == (0.9, "table")
        assert answer.fallback == caught.value.sentence
    assert grounder.notes == (f"the oracle {oracle} can't answer: {caught.value.sentence}",)
    with pytest.raises(
        GroundingError, match="the fallback table can't answer either: no entry"
    ) as both:
        grounder.judge([ask("comic book", "drinking")])
    assert caught.value.sentence in both.value.sentence
    assert both.value.code is caught.value.code
    assert grounder.describe()[0].oracle == oracle


def test_wrong_names_are_errors_in_spite_of_a_fallback(household: Any) -> None:
    with pytest.raises(GroundingError, match="did you mean embedding"):
        make_grounder(household, GroundingOptions(oracle="embeding", fallback="table"))
    with pytest.raises(GroundingError, match="did you mean table"):
        make_grounder(household, GroundingOptions(fallback="tabel"))
    with pytest.raises(GroundingError, match="needs a model"):
        make_grounder(household, GroundingOptions(fallback="causal_lm"))


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: Any) -> Clock:
    clock = Clock()
    plain = cached_oracle_module.CachedOracle.__init__
    monkeypatch.setattr(
        cached_oracle_module.CachedOracle,
        "__init__",
        lambda self, oracle, cache, **rest: plain(self, oracle, cache, clock, **rest),
    )
    return clock


@pytest.fixture
def make(make_predicate: Any) -> Callable[..., Grounder]:
    def made(*oracles: Any, fallback: str = "second", **changes: Any) -> Grounder:
        return Grounder(
            {"serves_as": make_predicate(**changes)},
            {oracle.name: oracle for oracle in oracles},
            "first",
            JudgementCache(),
            CalibrationStore(":memory:"),
            fallback=fallback,
        )

    return made


def test_a_server_that_comes_back_is_asked_again_after_a_while(
    make: Any, ask: Any, clock: Clock
) -> None:
    first, second = ScriptedOracle("first", {"*": DOWN}), ScriptedOracle("second", {"*": 0.2})
    grounder = make(first, second)
    question = ask("mug", "drinking")
    for _ in range(3):
        answer = grounder.judge([question])[0]
        assert (answer.degree, answer.fallback) == (0.2, "the server is down")
    assert len(first.asked) == 1
    assert len(second.asked) == 1  # what the fallback says is kept as its own answer
    first.degrees = {"*": 0.7}
    clock.now += RETRY_PERIOD - 1
    assert grounder.judge([question])[0].fallback
    clock.now += 2
    answer = grounder.judge([question])[0]
    assert (answer.degree, answer.fallback, grounder.notes) == (0.7, "", ())
    first.degrees = {"*": DOWN}
    assert grounder.judge([question])[0].degree == 0.7  # kept, whether the server is there or not
    assert grounder.judge([ask("jar", "drinking")])[0].fallback == "the server is down"
    assert grounder.judge([question])[0].degree == 0.7


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB"),
        MemoryError(),
        refusing(GroundingCode.NO_ANSWER, "the scores have 0.01 % of its probability"),
        refusing(GroundingCode.CONTEXT_TOO_LONG, "the question is too long"),
        refusing(GroundingCode.INVALID_DEGREE, "the degree is nan"),
    ],
    ids=repr,
)
def test_whatever_an_oracle_raises(make: Any, ask: Any, error: Exception) -> None:
    first = ScriptedOracle("first", {"mug": error, "*": 0.6})
    grounder = make(first, ScriptedOracle("second", {"*": 0.2}))
    (answer,) = grounder.judge([ask("mug", "drinking")])
    assert answer.degree == 0.2
    assert str(error) in answer.fallback
    with pytest.raises(GroundingError):
        make(first, fallback="").judge([ask("mug", "drinking")])


def test_a_request_that_ends_is_no_failure_of_the_oracle(make: Any, ask: Any) -> None:
    """A time limit was logged as a crash of the model, with its traceback, before the answer."""
    first = ScriptedOracle("first", {"*": WorkStopped("the time limit of 30 s passed")})
    grounder = make(first, ScriptedOracle("second", {"*": 0.2}))
    with pytest.raises(WorkStopped):
        grounder.judge([ask("mug", "drinking")])
    first.degrees = {"*": 0.6}
    assert grounder.judge([ask("mug", "drinking")])[0].fallback == ""


def test_answers_that_are_too_few(make: Any, ask: Any, monkeypatch: Any) -> None:
    first = ScriptedOracle("first", {})
    monkeypatch.setattr(first, "judge", lambda predicate, requests: [])
    grounder = make(first, ScriptedOracle("second", {"*": 0.2}))
    assert "0 answers to 1 questions" in grounder.judge([ask("mug", "drinking")])[0].fallback


def test_the_default_degree_is_the_last_resort(make: Any, ask: Any) -> None:
    first, second = ScriptedOracle("first", {"*": DOWN}), ScriptedOracle("second", {"*": DOWN})
    grounder = make(first, second, default_degree=0.35)
    (answer,) = grounder.judge([ask("mug", "drinking")])
    assert (answer.degree, answer.source) == (0.35, "default_degree")
    assert "the server is down; the fallback second can't answer either" in answer.fallback


def test_what_the_author_says_of_a_gap_comes_before_the_fallback(make: Any, ask: Any) -> None:
    second = ScriptedOracle("second", {})
    stated = {"oracle": "table", "table": TABLE}
    grounder = make(
        TableOracle(), second, ScriptedOracle("first", {}), **stated, default_degree=0.3
    )
    (answer,) = grounder.judge([ask("book", "drinking")])
    assert (answer.degree, answer.fallback, second.asked) == (0.3, "", [])


def test_outcomes_of_a_rule_are_recorded_with_its_degree(make: Any, ask: Any) -> None:
    line = RuleLine("1", Number(1.0), Trapezoid(0.0, 2.0, 3.0, 4.0))
    grounder = make(RuleOracle(), fallback="", oracle="rule", rule=FuzzyRule((line,)))
    question = ask("mug", "drinking")
    (answer,) = grounder.judge([question])
    assert grounder.record(question, 1.0, membership=answer)
    assert grounder.calibration.entries("serves_as")[0].prior == 0.5
    assert grounder.statistics().misses == 0  # to reckon costs less than to look up


def test_without_a_substitute_every_question_is_a_try(make: Any, ask: Any) -> None:
    first = ScriptedOracle("first", {"*": DOWN})
    grounder = make(first, fallback="")
    for _ in range(2):
        with pytest.raises(GroundingError, match="the server is down"):
            grounder.judge([ask("mug", "drinking")])
    assert len(first.asked) == 2


def test_a_try_that_takes_long_is_made_more_seldom() -> None:
    clock = Clock()
    outage = Outage(clock)
    outage.record_failure(DOWN, duration=60.0)
    clock.now += 2 * RETRY_PERIOD
    assert outage.find_reason_to_wait() is DOWN
    clock.now += 60.0
    assert outage.find_reason_to_wait() is None
    assert outage.error is DOWN
    outage.clear()
    assert outage.error is None
    outage.record_failure(refusing(GroundingCode.NO_ANSWER))  # of one question only
    assert outage.error is None


def test_an_oracle_that_is_not_set_up(make: Any) -> None:
    with pytest.raises(GroundingError, match="option fallback asks for the oracle 'third'"):
        make(ScriptedOracle("first", {}), fallback="third")
