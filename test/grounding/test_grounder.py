# SPDX-License-Identifier: Apache-2.0
"""The grounder: batching, cache, calibration and errors, on the real household domain."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.grounding import (
    CalibrationOptions,
    CalibrationStore,
    Device,
    Grounder,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementCache,
    JudgementRequest,
    make_grounder,
)
from fcp_ros.grounding.models import model_store
from fcp_ros.grounding.stated import TableOracle


@pytest.fixture(scope="module")
def state(household: Any) -> Any:
    builder = InstanceBuilder(household.schema)
    builder.add("robot", "robot_1", {"category": "robot"})
    for type_, name, category in [
        ("cup", "mug_1", "mug"),
        ("cup", "mug_2", "mug"),
        ("cup", "wine_glass_1", "wine glass"),
        ("book", "book_1", "book"),
        ("couch", "couch_1", "couch"),
        ("table", "table_1", "dining_table"),
    ]:
        builder.add(type_, name, {"category": category})
    return builder.build()


@pytest.fixture
def grounder(household: Any, embedding_oracle: Any) -> Iterator[Grounder]:
    """The household's grounder around the embedding model that is loaded already."""
    grounder = Grounder(
        household.graded,
        {"embedding": embedding_oracle, "table": TableOracle()},
        "embedding",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    yield grounder
    grounder.close()


def test_answers_come_in_order_and_equal_contexts_are_asked_once(
    grounder: Grounder, state: Any, embedding_oracle: Any, monkeypatch: Any
) -> None:
    asked: list[int] = []
    plain = embedding_oracle.judge
    monkeypatch.setattr(embedding_oracle, "judge", lambda p, r: asked.append(len(r)) or plain(p, r))
    requests = [
        grounder.request("serves_as", (name, "drinking"), state)
        for name in ("book_1", "mug_1", "wine_glass_1", "mug_2")
    ]
    book, mug, glass, same = grounder.judge(requests)
    assert book.degree < 0.3 < 0.5 < glass.degree
    assert mug == same
    assert asked == [3]
    assert grounder.judge(requests) == [book, mug, glass, same]
    assert asked == [3]
    assert grounder.statistics().memory_hits == 3


def test_outcomes_lower_one_item_and_its_twin_only_a_little(grounder: Grounder, state: Any) -> None:
    bad, good = (
        grounder.request("can_grasp", ("robot_1", name), state) for name in ("mug_1", "mug_2")
    )
    before, _ = grounder.judge([bad, good])
    for _ in range(3):
        (relied,) = grounder.judge([bad])
        assert grounder.record(bad, 0.0, "pick(robot_1, mug_1)", stamp=1.0, membership=relied)
    lowered, twin = grounder.judge([bad, good])
    assert 0.3 < lowered.degree < 4 * before.prior / 7
    assert (lowered.prior, lowered.evidence_count) == (before.prior, 3)
    assert before.degree - 0.2 < twin.degree < before.degree - 0.1
    assert twin.evidence_count == 0
    assert "3 outcomes, of other contexts too, moved it from 0.97 to 0." in twin.note
    assert "moved" not in lowered.note
    kept = grounder.calibration.entries("can_grasp")[1]
    assert (kept.prior, kept.source, kept.weight) == (before.prior, "table", 1.0)
    assert lowered.degree < kept.degree < before.degree  # as it stood before this outcome
    assert grounder.calibration.entries("can_grasp")[0].step == "pick(robot_1, mug_1)"


def test_what_is_not_calibrated_keeps_its_degree(
    household: Any, state: Any, grounder: Grounder
) -> None:
    fixed = replace(household.graded["can_grasp"], calibrated=False)
    other = Grounder(
        {"can_grasp": fixed},
        {"table": TableOracle()},
        "table",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    request = other.request("can_grasp", ("robot_1", "mug_1"), state)
    assert not other.record(request, 0.0)
    assert other.judge([request])[0].evidence_count == 0
    assert other.calibration.entries() == ()


def test_calibration_and_cache_survive_a_restart(
    household: Any, state: Any, tmp_path: Path
) -> None:
    options = GroundingOptions(
        calibration=CalibrationOptions(tmp_path / "calibration.sqlite"),
        cache_path=tmp_path / "cache.sqlite",
        device=Device.CPU,
    )
    first = make_grounder(household, options)
    grasp = first.request("can_grasp", ("robot_1", "mug_1"), state)
    drink = first.request("serves_as", ("wine_glass_1", "drinking"), state)
    first.record(grasp, 0.0)
    learnt = first.judge([grasp, drink])
    first.close()
    again = make_grounder(household, options)
    assert again.judge([grasp, drink]) == learnt
    assert learnt[0].degree < learnt[0].prior
    info = {entry.predicate: entry for entry in again.describe()}
    assert not info["serves_as"].loaded  # the answer came from the file
    assert info["serves_as"].model.startswith("all-MiniLM-L6-v2@")
    assert again.notes == ()


def test_a_table_without_an_answer_asks_the_default_oracle(
    household: Any, embedding_oracle: Any, ask: Any
) -> None:
    predicate = replace(household.graded["serves_as"], oracle="table", default_degree=None)
    oracles = {"embedding": embedding_oracle, "table": TableOracle()}
    grounder = Grounder(
        {"serves_as": predicate},
        oracles,
        "embedding",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    assert grounder.judge([ask("flask", "drinking")])[0].source == "embedding"


def test_several_threads_get_the_same_answers(
    grounder: Grounder, household: Any, embedding_oracle: Any, ask: Any
) -> None:
    requests = [ask(item, "sitting") for item in ("sofa", "stool", "knife", "bench")]
    expected = grounder.judge(requests)
    fresh = Grounder(
        household.graded,
        {"embedding": embedding_oracle, "table": TableOracle()},
        "embedding",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(fresh.judge(requests))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert answers == [expected] * 6


def test_unknown_predicates_are_named_with_a_near_one(grounder: Grounder, ask: Any) -> None:
    request = replace(ask("mug", "drinking"), predicate="serves_at")
    with pytest.raises(GroundingError, match="did you mean serves_as") as caught:
        grounder.judge([request])
    assert caught.value.code is GroundingCode.UNKNOWN_PREDICATE


def test_arguments_must_fit_the_parameters(grounder: Grounder, ask: Any) -> None:
    swapped = JudgementRequest("serves_as", ask("mug", "drinking").arguments[::-1])
    with pytest.raises(GroundingError, match="item, purpose"):
        grounder.judge([swapped])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (GroundingOptions(model="/no/such/model"), GroundingCode.MODEL_NOT_FOUND),
        (
            GroundingOptions(oracle="causal_lm", model="/no/such/model"),
            GroundingCode.MODEL_NOT_FOUND,
        ),
        (GroundingOptions(oracle="causal_lm"), GroundingCode.MODEL_NOT_FOUND),
        (GroundingOptions(oracle="embeding"), GroundingCode.UNKNOWN_ORACLE),
        (
            GroundingOptions(calibration=CalibrationOptions("/dev/null/calibration.sqlite")),
            GroundingCode.STORE_FAILED,
        ),
    ],
)
def test_wrong_settings_are_reported_when_it_is_made(
    household: Any, options: GroundingOptions, code: GroundingCode
) -> None:
    with pytest.raises(GroundingError) as caught:
        make_grounder(household, options)
    assert caught.value.code is code


@pytest.mark.parametrize("model", ["", "minilm", "mpnet"])
def test_without_its_model_tables_go_on_and_the_command_is_told(
    household: Any, state: Any, ask: Any, monkeypatch: Any, tmp_path: Path, model: str
) -> None:
    strange = ask("zeppelin", "drinking tea on a boat")
    name = model or "minilm"
    with monkeypatch.context() as bare:
        bare.setattr(model_store, "find_installed", lambda _name: None)
        bare.setenv("FCP_MODELS", str(tmp_path))
        grounder = make_grounder(household, GroundingOptions(model=model))
        table = grounder.request("stable_enough", ("couch_1", "mug_1"), state)
        assert grounder.judge([table])[0].degree == 0.4
        with pytest.raises(GroundingError, match=f"fcp models fetch {name}") as caught:
            grounder.judge([strange])
        assert caught.value.code is GroundingCode.MODEL_NOT_FOUND
        assert any(f"fcp models fetch {name}" in note for note in grounder.notes)
    grounder.close()
