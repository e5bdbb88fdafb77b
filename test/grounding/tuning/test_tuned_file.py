# SPDX-License-Identifier: Apache-2.0
"""The file of a tuned encoder: from a training to a grounder, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tuned_encoder import save_tuned_minilm

from fcp_ros.grounding import (
    ArgumentContext,
    Device,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementRequest,
    make_grounder,
)
from fcp_ros.grounding.confirming import make_tuned
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.heads.head_file import HeadSource, find_packaged_heads
from fcp_ros.grounding.models import sentence_encoder
from fcp_ros.grounding.models.bert_encoder import MappedModel, map_model
from fcp_ros.grounding.models.model_store import FOLDER_VARIABLE, MANIFEST
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.tuning.tuned_file import (
    PACKAGED_FOLDER,
    Tuned,
    TunedSource,
    find_tuned,
    load_tuned,
    save_tuned,
)

PACKAGED = PACKAGED_FOLDER / "mpnet.safetensors"
FRESH = ("fork", "eating spaghetti")


def ask(item: str, purpose: str) -> JudgementRequest:
    return JudgementRequest(
        "serves_as", (ArgumentContext("item", item, item), ArgumentContext("purpose", purpose))
    )


@pytest.fixture(scope="module")
def plain() -> HeadSource:
    encoder = SentenceEncoder(None)
    file = find_packaged_heads(encoder.weights)
    assert file is not None
    return HeadSource(encoder, file)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> GroundingOptions:
    """Options with a tuned MiniLM, which was never trained."""
    file = save_tuned_minilm(tmp_path_factory.mktemp("tuned") / "minilm.safetensors")
    return GroundingOptions(model="minilm", tuned=file)


def test_a_file_holds_what_was_saved(tmp_path: Path) -> None:
    tuned = load_tuned(PACKAGED)
    save_tuned(tuned, tmp_path / "again")
    again = load_tuned(tmp_path / "again")
    assert again.blends == tuned.blends
    assert again.forms == tuned.forms
    assert list(again.forms) == list(tuned.forms)  # the order of the logits
    assert (again.encoder, again.weights) == (tuned.encoder, tuned.weights)
    assert all(np.array_equal(again.arrays[name], tuned.arrays[name]) for name in tuned.arrays)
    assert PACKAGED.stat().st_size < 15e6


def test_an_encoder_is_tuned_and_its_file_used(
    make_folder: Callable[..., Path], plain: HeadSource
) -> None:
    """A tuned encoder is refused where another one lies in its folder."""
    source = TunedSource(plain, SentenceEncoder(make_folder("bert")), PACKAGED)
    with pytest.raises(GroundingError, match="holds another model") as caught:
        source.load()
    assert caught.value.code is GroundingCode.NOT_A_MODEL


@pytest.mark.parametrize("kept", [0, 7, 100, 5000, -100])
def test_a_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "cut.safetensors"
    file.write_bytes(PACKAGED.read_bytes()[:kept])
    with pytest.raises(GroundingError, match=r"cut\.safetensors") as caught:
        make_tuned(file, EmbeddingOracle(SentenceEncoder(None))) and load_tuned(file)
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_a_file_of_something_else_is_refused(tmp_path: Path, plain: HeadSource) -> None:
    for file in (plain.file, tmp_path / "nothing.safetensors", PACKAGED):
        with pytest.raises(GroundingError, match="tuned encoder"):
            find_tuned(plain, file)


def test_what_is_packaged_leaves_the_heads_of_another_model_alone(plain: HeadSource) -> None:
    assert find_tuned(plain) is None


def test_numbers_that_are_none_are_refused(
    tmp_path: Path, plain: HeadSource, minilm: GroundingOptions
) -> None:
    tuned = load_tuned(Path(minilm.tuned))
    name = "layers.0.query.bias"
    arrays = {**tuned.arrays, name: np.full_like(tuned.arrays[name], np.nan)}
    file = tmp_path / "nan.safetensors"
    save_tuned(
        Tuned("minilm", tuned.weights, tuned.judgements, tuned.forms, arrays, tuned.blends), file
    )
    source = find_tuned(plain, file)
    assert source is not None
    with pytest.raises(GroundingError, match="not finite"):
        source.load()


def test_without_a_setting_nothing_is_confirmed(household) -> None:
    grounder = make_grounder(household, GroundingOptions(model="minilm", tuned=""))
    before = grounder.judge([ask(*FRESH)])
    assert not grounder.confirm([ask(*FRESH)])
    assert grounder.judge([ask(*FRESH)]) == before
    grounder.close()


def test_what_was_confirmed_counts_from_then_on_and_nothing_else_moves(household, minilm) -> None:
    grounder = make_grounder(household, minilm)
    requests = [ask(*FRESH), ask("ladle", "serving soup"), ask("mug", "drinking")]
    before = grounder.judge(requests)
    grounder.confirm(requests[:1] + requests[2:])
    after = grounder.judge(requests)
    assert after[0].source == "tuned"
    assert "minilm-tuned@" in after[0].model
    assert after[0].uncertainty is not None
    assert after[1:] == before[1:]  # not asked, and judged word for word
    assert not grounder.confirm(requests[:1])  # each once
    assert grounder.record(requests[0], 1.0, membership=after[0])
    (row,) = grounder.calibration.entries("serves_as")
    assert (row.source, row.prior) == ("tuned", after[0].prior)
    grounder.close()


def test_the_weights_are_mapped_once_for_both_looks(
    household, minilm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of each map count, so a second one costs all the memory of the encoder again."""
    mapped: list[Path] = []

    def note(folder: Path) -> MappedModel:
        mapped.append(folder)
        return map_model(folder)

    monkeypatch.setattr(sentence_encoder, "map_model", note)
    grounder = make_grounder(household, replace(minilm, device=Device.CPU))
    grounder.judge([ask(*FRESH)])
    grounder.confirm([ask(*FRESH)])
    assert grounder.judge([ask(*FRESH)])[0].source == "tuned"
    assert mapped == [sentence_encoder.find_packaged_model()]
    grounder.close()


def test_a_hazard_is_confirmed_downwards_only(household, minilm) -> None:
    grounder = make_grounder(household, minilm)
    requests = [
        JudgementRequest(
            "safe_for",
            (ArgumentContext("item", thing, thing), ArgumentContext("person", "tim", person)),
        )
        for thing in ("thumbtack", "wool hat", "glass vase", "letter opener", "plush rabbit")
        for person in ("child", "adult")
    ]
    before = grounder.judge(requests)
    grounder.confirm(requests)
    after = grounder.judge(requests)
    for one, other in zip(before, after, strict=True):
        assert other.degree <= one.degree
    grounder.close()


def test_a_set_that_it_does_not_help_is_left_to_the_heads(tmp_path: Path, household) -> None:
    file = save_tuned_minilm(tmp_path / "some.safetensors", ("function",))
    options = GroundingOptions(model="minilm", tuned=file)
    grounder = make_grounder(household, options)
    person = ArgumentContext("person", "tim", "adult")
    wool = JudgementRequest("safe_for", (ArgumentContext("item", "x", "wool hat"), person))
    before = grounder.judge([wool])
    grounder.confirm([wool, ask(*FRESH)])
    assert grounder.judge([wool]) == before
    assert grounder.judge([ask(*FRESH)])[0].source == "tuned"
    assert not grounder.notes
    grounder.close()


def test_mpnet_is_helped_by_default(
    household, fetched_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heads miss a word beside a judged pair (issue 34); the tuned encoder knows forks."""
    if not (fetched_models / "mpnet" / MANIFEST).is_file():
        pytest.skip("mpnet is not there: fcp models fetch mpnet")
    monkeypatch.setenv(FOLDER_VARIABLE, str(fetched_models))
    grounder = make_grounder(household, GroundingOptions(device=Device.CPU))
    requests = [ask(*FRESH), ask("brick", "eating spaghetti")]
    before = [one.degree for one in grounder.judge(requests)]
    assert grounder.confirm(requests)
    fork, brick = grounder.judge(requests)
    grounder.close()
    assert fork.source == brick.source == "tuned"
    assert fork.degree > 0.5 > before[0]
    assert brick.degree < 0.2
