# SPDX-License-Identifier: Apache-2.0
"""The heads that the package ships: they fit the judgements in the repository and are worth it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.heads.head_file import PACKAGED_FOLDER, Heads, load_heads
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.judgement_set import (
    Agreement,
    JudgementSet,
    hash_judgements,
    measure_agreement,
    read_judgements,
    split,
)
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder, find_packaged_model

MINILM = PACKAGED_FOLDER / "minilm.safetensors"
EVERY = 20
"""One in so many held-out judgements is measured here; the benchmark measures all."""


@pytest.fixture(scope="module")
def sets(repository: Path) -> dict[str, JudgementSet]:
    return read_judgements([repository / "config" / "judgements"])


@pytest.fixture(scope="module")
def heads(embedding_oracle: EmbeddingOracle) -> Heads:
    return load_heads(MINILM, embedding_oracle._encoder)


@pytest.fixture(scope="module")
def measured(sets: Mapping[str, JudgementSet], heads: Heads) -> Agreement:
    """By the heads, without looking judged pairs up."""
    ours: list[float] = []
    given: list[float] = []
    for name, kind in sets.items():
        sample = split(kind.judgements).held_out[::EVERY]
        ours += heads.by_name[name].judge([judgement.pair for judgement in sample])
        given += [judgement.degree for judgement in sample]
    return measure_agreement(ours, given)


def read_figures(file: Path) -> dict[str, dict[str, float]]:
    """Those that its training measured on the held-out part of each set."""
    with safe_open(file, "numpy") as opened:
        found: dict[str, dict[str, float]] = json.loads(opened.metadata()["fcp_ros"])["figures"]
    return found


def test_their_figures_are_theirs(heads: Heads, measured: Agreement) -> None:
    counts = [figures["count"] for figures in heads.figures.values()]
    errors = [figures["mean_error"] for figures in heads.figures.values()]
    assert heads.figures == read_figures(MINILM)
    assert measured.count > 250
    assert measured.mean_error == pytest.approx(np.average(errors, weights=counts), abs=0.02)


def test_unrelated_things_come_out_low(heads: Heads) -> None:
    things = ["clock", "cushion", "banana", "ladder", "shampoo", "keyboard", "brick"]
    wanted = ["mug", "scarf", "screwdriver", "olive oil", "blanket"]
    pairs = [(thing, other) for thing in things for other in wanted]
    degrees = heads.by_name["substitution"].judge(pairs)
    assert sum(degrees) / len(degrees) < 0.15
    same = heads.by_name["substitution"].judge(
        [("cup", "mug"), ("shawl", "scarf"), ("sunflower oil", "olive oil")]
    )
    assert min(same) > max(0.3, sorted(degrees)[len(degrees) * 9 // 10])


def question(predicate: Any, *words: str) -> JudgementRequest:
    arguments = zip(predicate.parameters, words, strict=True)
    return JudgementRequest(
        predicate.name,
        tuple(ArgumentContext(p.name, word, "" if p.is_text else word) for p, word in arguments),
    )


def test_an_answer_says_where_it_comes_from(
    embedding_oracle: EmbeddingOracle, household: Any
) -> None:
    predicate = household.graded["serves_as"]
    (new,) = embedding_oracle.judge(predicate, [question(predicate, "tin mug", "drinking in bed")])
    assert "like what was judged in the set function" in new.note


def test_sides_are_found_by_name(embedding_oracle: EmbeddingOracle, household: Any) -> None:
    stable = replace(household.graded["stable_enough"], judged_like="stability", rubric=None)
    turned = replace(stable, parameters=stable.parameters[::-1])
    on_bed, same = (
        embedding_oracle.judge(predicate, [question(predicate, *words)])[0].degree
        for predicate, words in ((stable, ("bed", "wine glass")), (turned, ("wine glass", "bed")))
    )
    assert on_bed == same


def test_an_unknown_set_is_said(embedding_oracle: EmbeddingOracle, household: Any) -> None:
    predicate = replace(household.graded["serves_as"], judged_like="functions")
    with pytest.raises(GroundingError, match="did you mean function") as caught:
        embedding_oracle.judge(predicate, [question(predicate, "mug", "drinking")])
    assert caught.value.code is GroundingCode.NO_ANCHORS
    lonely = replace(
        household.graded["safe_for"],
        judged_like="function",
        parameters=household.graded["safe_for"].parameters[:1],
    )
    with pytest.raises(GroundingError, match="remove judged_like"):
        embedding_oracle.judge(lonely, [question(lonely, "mug")])


def test_heads_are_found_by_the_weights_wherever_they_lie(household: Any) -> None:
    oracle = EmbeddingOracle(SentenceEncoder(find_packaged_model()))
    assert oracle.mode == EmbeddingOracle(SentenceEncoder()).mode
    predicate = household.graded["serves_as"]
    (answer,) = oracle.judge(predicate, [question(predicate, "tin mug", "drinking in bed")])
    assert "like what was judged" in answer.note
    assert answer.uncertainty is not None
    assert 0.1 < answer.uncertainty < 0.5


def test_another_model_without_heads_judges_by_the_rubric_and_says_so(
    household: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SentenceEncoder, "weights", "others")
    oracle = EmbeddingOracle(SentenceEncoder(find_packaged_model()))
    predicate = household.graded["serves_as"]
    (answer,) = oracle.judge(predicate, [question(predicate, "wine glass", "drinking")])
    assert answer.degree > 0.7
    assert "no heads are trained for model@" in answer.note
    assert oracle.mode.endswith("none")


def test_the_mode_follows_the_heads(tmp_path: Path) -> None:
    encoder = SentenceEncoder()
    other = tmp_path / "heads.safetensors"
    other.write_bytes(MINILM.read_bytes() + b" ")
    assert EmbeddingOracle(encoder).mode == EmbeddingOracle(encoder, MINILM).mode
    assert EmbeddingOracle(encoder, other).mode != EmbeddingOracle(encoder).mode
    with pytest.raises(GroundingError, match="fcp grounding train"):
        EmbeddingOracle(encoder, tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "file", sorted(PACKAGED_FOLDER.glob("*.safetensors")), ids=lambda file: file.stem
)
def test_they_were_trained_on_the_judgements_here(
    file: Path, sets: dict[str, JudgementSet]
) -> None:
    with safe_open(file, "numpy") as opened:
        text = json.loads(opened.metadata()["fcp_ros"])
    assert text["judgements"] == hash_judgements(sets), (
        f"config/judgements changed: fcp grounding train --model {file.stem} --out {file}"
    )
    assert set(text["columns"]) == set(sets)
    assert file.stat().st_size < 20 << 20
