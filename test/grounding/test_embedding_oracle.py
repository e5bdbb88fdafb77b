# SPDX-License-Identifier: Apache-2.0
"""The default oracle on the packaged model: offline, sensible, monotone, batched."""

import shutil
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.domain.model import Anchor, Parameter, Rubric
from fcp_ros.grounding import Device, GroundingCode, GroundingError
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle, compare_pairs, measure_concordance
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder, find_packaged_model


def degrees(oracle: EmbeddingOracle, predicate: Any, requests: list[JudgementRequest]) -> Any:
    return [membership.degree for membership in oracle.judge(predicate, requests)]


def test_it_loads_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    encoder = SentenceEncoder(device=Device.CPU)
    assert not encoder.is_loaded
    assert encoder.encode(["a mug", "a book"]).shape == (2, 384)
    assert encoder.model.startswith("all-MiniLM-L6-v2@")


def test_household_degrees_are_sensible(
    embedding_oracle: EmbeddingOracle, household: Any, ask: Any
) -> None:
    predicate = household.graded["serves_as"]
    items = ["mug", "wine glass", "drinking cup", "bowl", "apple", "book", "hammer"]
    mug, wine_glass, cup, bowl, apple, book, hammer = degrees(
        embedding_oracle, predicate, [ask(item, "drinking") for item in items]
    )
    assert min(mug, cup) > 0.8
    assert min(wine_glass, bowl) > 0.3
    assert max(book, hammer) < 0.3
    assert apple < bowl
    items = ["sponge", "towel", "cloth", "book", "mug"]
    *wipes, book, mug = degrees(
        embedding_oracle, predicate, [ask(item, "wiping a surface") for item in items]
    )
    assert min(wipes) > 0.7
    assert max(book, mug) < 0.3


def test_identical_words_are_a_perfect_fit_of_a_pair(
    embedding_oracle: EmbeddingOracle, make_predicate: Any, ask: Any
) -> None:
    for category in ("mug", "dining_table", "desk lamp"):
        request = ask(category, category.replace("_", " "))
        assert degrees(embedding_oracle, make_predicate(), [request]) == [1.0]


def test_a_higher_similarity_never_gives_a_lower_degree(
    embedding_oracle: EmbeddingOracle, household: Any, ask: Any
) -> None:
    predicate = replace(household.graded["serves_as"], judged_like="")
    fitted = embedding_oracle.find_fit(predicate)
    items = ["pitcher", "kettle", "vase", "shoe", "window", "carafe", "flask", "brick"]
    pairs = [(item, "drinking") for item in items]
    similarities = compare_pairs(pairs, embedding_oracle._encoder.encode)
    answers = degrees(embedding_oracle, predicate, [ask(*pair) for pair in pairs])
    assert answers == [fitted.degree_map.apply(s) for s in similarities]
    order = sorted(range(len(items)), key=similarities.__getitem__)
    assert [answers[i] for i in order] == sorted(answers)


def test_a_batch_is_one_model_call_and_changes_nothing(
    embedding_oracle: EmbeddingOracle, make_predicate: Any, ask: Any, monkeypatch: Any
) -> None:
    predicate = make_predicate()
    embedding_oracle.find_fit(predicate)
    calls = []
    plain = embedding_oracle._encoder._encode
    monkeypatch.setattr(
        embedding_oracle._encoder, "_encode", lambda p: calls.append(len(p)) or plain(p)
    )
    asked = [ask(item, "carrying sand") for item in ("spade", "bucket", "sieve", "spade")]
    together = degrees(embedding_oracle, predicate, asked)
    assert len(calls) == 1
    apart = [degrees(embedding_oracle, predicate, [request])[0] for request in asked]
    assert together == pytest.approx(apart)
    assert len(calls) == 1


def test_declared_words_count(embedding_oracle: EmbeddingOracle, make_predicate: Any) -> None:
    def request(*attributes: Any) -> JudgementRequest:
        item = ArgumentContext("item", "x", "mug", attributes)
        return JudgementRequest("serves_as", (item, ArgumentContext("purpose", "drinking")))

    plain, numbered, broken = embedding_oracle.judge(
        make_predicate(),
        [request(), request(("name", "x"), ("size_x", 0.1)), request(("broken", True))],
    )
    assert plain.degree == numbered.degree == 1.0
    assert broken.note != plain.note


def test_predicates_without_a_text_are_compared_with_the_anchors(
    embedding_oracle: EmbeddingOracle, household: Any
) -> None:
    predicate = household.graded["safe_for"]

    def request(item: str, person: str) -> JudgementRequest:
        pair = (ArgumentContext("item", "x", item), ArgumentContext("person", "y", person))
        return JudgementRequest("safe_for", pair)

    knife, cushion = degrees(
        embedding_oracle,
        predicate,
        [request("carving knife", "child"), request("cushion", "child")],
    )
    assert knife < 0.45
    assert cushion > 0.7


def test_a_unary_predicate(embedding_oracle: EmbeddingOracle, make_predicate: Any) -> None:
    anchors = (
        Anchor(0, "It survives a fall.", (("pillow",), ("spoon",), ("book",))),
        Anchor(100, "It breaks when it falls.", (("vase",), ("wine glass",), ("egg",))),
    )
    predicate = make_predicate(
        name="fragile",
        parameters=(Parameter("item", "item"),),
        rubric=Rubric("How fragile is {item}?", anchors),
    )
    glass, cushion = degrees(
        embedding_oracle,
        predicate,
        [
            JudgementRequest("fragile", (ArgumentContext("item", "x", category),))
            for category in ("champagne glass", "cushion")
        ],
    )
    assert glass > 0.7
    assert cushion < 0.3


def test_without_a_rubric_it_does_not_guess(
    embedding_oracle: EmbeddingOracle, make_predicate: Any, ask: Any
) -> None:
    with pytest.raises(GroundingError, match="has no rubric") as caught:
        embedding_oracle.judge(make_predicate(rubric=None), [ask("mug", "drinking")])
    assert caught.value.code is GroundingCode.NO_ANCHORS


def test_a_damaged_model_is_said_at_the_first_question(tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(find_packaged_model(), folder)
    weights = folder / "model.safetensors"
    weights.chmod(0o644)
    weights.write_bytes(weights.read_bytes()[: 1 << 20])
    with pytest.raises(GroundingError, match=r"can't be loaded .*; copy it again") as caught:
        SentenceEncoder(folder, Device.CPU).encode(["a mug"])
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_rank_agreement_is_the_share_of_ordered_pairs() -> None:
    assert measure_concordance([0, 50, 100], [0.1, 0.2, 0.3]) == 1.0
    assert measure_concordance([0, 50, 100], [0.3, 0.2, 0.1]) == 0.0
    assert measure_concordance([0, 100], [0.2, 0.2]) == 0.5
    assert measure_concordance([50, 50], [0.1, 0.9]) == 0.5
