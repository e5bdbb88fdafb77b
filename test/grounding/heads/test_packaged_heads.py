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
MIXED = ("function", "substitution")
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


def combine(figures: Mapping[str, Mapping[str, float]], what: str) -> float:
    """The mean over all held-out judgements of things and their purposes or substitutes."""
    counts = [figures[name]["count"] for name in MIXED]
    return float(np.average([figures[name][what] for name in MIXED], weights=counts))


def test_their_figures_are_theirs(heads: Heads, measured: Agreement) -> None:
    counts = [figures["count"] for figures in heads.figures.values()]
    errors = [figures["mean_error"] for figures in heads.figures.values()]
    assert heads.figures == read_figures(MINILM)
    assert measured.count > 250
    assert measured.mean_error == pytest.approx(np.average(errors, weights=counts), abs=0.02)


def test_the_default_reaches_what_its_words_can_tell() -> None:
    """It lacks the words for near misses; what more is wanted, the benchmark says."""
    figures = read_figures(MINILM)
    assert combine(figures, "mean_error") <= 0.262
    assert combine(figures, "rank") >= 0.48
    assert min(figures[name]["area"] for name in figures) >= 0.80


@pytest.mark.parametrize(
    "file", [f for f in PACKAGED_FOLDER.glob("*.safetensors") if f != MINILM], ids=lambda f: f.stem
)
def test_heads_of_larger_models_are_worth_their_size(file: Path) -> None:
    """A larger model that isn't clearly better need not be fetched."""
    larger, default = read_figures(file), read_figures(MINILM)
    assert combine(larger, "mean_error") <= combine(default, "mean_error") - 0.01
    assert combine(larger, "rank") >= combine(default, "rank") + 0.03


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


# --- Every file of heads that the package ships, by the scores in it: no model is needed


FILES = sorted(PACKAGED_FOLDER.glob("*.safetensors"))


def read(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    from safetensors import safe_open

    with safe_open(str(file), framework="numpy") as arrays:
        text = json.loads(arrays.metadata()["fcp_ros"])
        return text, {name: arrays.get_tensor(name) for name in arrays.keys()}  # noqa: SIM118


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_they_were_trained_on_the_judgements_here(
    file: Path, sets: dict[str, JudgementSet]
) -> None:
    text, _ = read(file)
    assert text["judgements"] == hash_judgements(sets), (
        f"config/judgements changed: fcp grounding train --model {file.stem} --out {file}"
    )
    assert set(text["columns"]) == set(sets)
    assert file.stat().st_size < 20 << 20


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_expected_errors_are_those_that_are_made(file: Path, sets: dict[str, JudgementSet]) -> None:
    _, arrays = read(file)
    for name, kind in sets.items():
        given = np.array([judgement.degree for judgement in split(kind.judgements).held_out])
        scores, expected, _ = arrays[f"{name}.evidence_held_out"].astype(float).T
        degrees = np.interp(scores, arrays[f"{name}.map_scores"], arrays[f"{name}.map_degrees"])
        squares = (degrees - given) ** 2
        assert np.sqrt(squares.mean()) == pytest.approx(np.sqrt((expected**2).mean()), abs=0.03)
        order = np.argsort(expected)
        for part in np.array_split(order, 5):
            # A fifth of the small sets is 46 judgements.
            allowed = 0.05 + 0.35 / np.sqrt(len(part))
            assert np.sqrt(squares[part].mean()) == pytest.approx(
                np.sqrt((expected[part] ** 2).mean()), abs=allowed
            )


def test_the_language_model_comes_near_to_the_wanted_figures(sets: dict[str, JudgementSet]) -> None:
    """Of what it never saw; wanted are 0.175 and 0.77, and the authors agree to 0.07 and 0.97."""
    _, arrays = read(PACKAGED_FOLDER / "qwen2.5-coder-1.5b.safetensors")
    degrees, given = [], []
    for name in ("function", "substitution"):
        scores = arrays[f"{name}.evidence_held_out"].astype(np.float32)[:, 0]
        knots = arrays[f"{name}.map_scores"], arrays[f"{name}.map_degrees"]
        degrees += np.interp(scores, *knots).tolist()
        given += [judgement.degree for judgement in split(sets[name].judgements).held_out]
    measured = measure_agreement(degrees, given)
    assert measured.mean_error < 0.178
    assert measured.rank > 0.755
