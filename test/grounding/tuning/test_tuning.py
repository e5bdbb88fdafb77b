# SPDX-License-Identifier: Apache-2.0
"""Tuning of an encoder: what it is trained on, going on after a kill, and numpy's same logits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from later import Later

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.judgement_set import JudgementSet
from fcp_ros.grounding.models.bert_encoder import map_model
from fcp_ros.grounding.tuning.adapter import TunedEncoder, make_writer, reduce_change, write_form
from fcp_ros.grounding.tuning.batches import (
    BatchOptions,
    collect_pairs,
    count_batches,
    draw_batches,
    is_in_fold,
)

torch = Later("torch")
tuning = Later("fcp_ros.grounding.tuning.tuning")  # which imports it

Sets = dict[str, JudgementSet]
SETTINGS: dict[str, Any] = {"rate": 1e-2, "passes": 2, "batches": BatchOptions(size=16)}
PAIRS = [("mug", "drinking"), ("a very long rope", "sitting"), ("\u6676", "drying hands")]


def make_tuner(folder: Path, sets: Sets, **changes: Any) -> Any:
    pairs = collect_pairs(sets, 0, 8)
    forms = [write_form(name, sets[name].columns) for name in pairs.names]
    return tuning.Tuner(folder, pairs, forms, tuning.TuningOptions(**{**SETTINGS, **changes}))


def list_weights(tuner: Any) -> dict[str, np.ndarray]:
    return {name: p.detach().numpy().copy() for name, p in tuner.model.named_parameters()}


@pytest.mark.parametrize("fold", range(3))
def test_the_fold_is_not_trained_on(sets: Sets, fold: int) -> None:
    pairs = collect_pairs(sets, fold, 3)
    for number, name in enumerate(pairs.names):
        words = {w for e in pairs.training if e.kind == number for w in (e.left, e.right)}
        assert not any(
            is_in_fold(w, fold, 3) for w in words & {j.item for j in sets[name].judgements}
        )
        assert words.isdisjoint(j.item for j in pairs.left_out[name])


def test_a_pass_holds_each_judgement_once_and_random_pairs_that_nobody_judged(sets: Sets) -> None:
    pairs = collect_pairs(sets, 0, 8)
    options = BatchOptions(size=10, unrelated=0.3, swapped=0.0)
    batches = list(draw_batches(pairs, options, 1))
    assert len(batches) == count_batches(pairs, options)
    judged = [e for batch in batches for e in batch[:-3]]
    assert sorted(judged) == sorted(pairs.training)
    assert all(len(batch) == 10 for batch in batches[:-1])
    assert batches == list(draw_batches(pairs, options, 1))
    assert batches != list(draw_batches(pairs, options, 2))


def test_a_share_of_substitutions_is_swapped(sets: Sets) -> None:
    pairs = collect_pairs(sets, 0, 8)
    (kind,) = (n for n, name in enumerate(pairs.names) if name == "substitution")
    options = BatchOptions(unrelated=0.0, swapped=1.0)
    drawn = [e for batch in draw_batches(pairs, options, 0) for e in batch]
    swapped = {(e.right, e.left, e.degree) for e in drawn if e.kind == kind}
    assert swapped == {(e.left, e.right, e.degree) for e in pairs.training if e.kind == kind}
    others = sorted(e for e in drawn if e.kind != kind)
    assert others == sorted(e for e in pairs.training if e.kind != kind)


def test_a_killed_tuning_goes_on_to_the_same_weights(
    make_folder: Callable[..., Path], sets: Sets, tmp_path: Path
) -> None:
    folder = make_folder("bert")
    whole = make_tuner(folder, sets)
    whole.run(tmp_path / "whole", lambda *_: None)
    first = make_tuner(folder, sets)
    first.run(tmp_path / "parts", lambda *_: None, until=whole.steps // 2)
    second = make_tuner(folder, sets)
    steps: list[int] = []
    second.run(tmp_path / "parts", lambda _what, done, _all: steps.append(done))
    assert steps[0] == whole.steps // 2
    assert second.done == whole.done == whole.steps
    after = list_weights(second)
    for name, values in list_weights(whole).items():
        assert np.array_equal(values, after[name]), name


def test_a_state_of_another_training_is_left_alone_and_a_damaged_one_refused(
    make_folder: Callable[..., Path], sets: Sets, tmp_path: Path
) -> None:
    folder, file = make_folder("bert"), tmp_path / "state"
    make_tuner(folder, sets).run(file, lambda *_: None, until=3)
    other = make_tuner(folder, sets, rate=1e-3)
    other.run(file, lambda *_: None, until=1)
    assert other.done == 1
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(GroundingError, match="damaged") as caught:
        make_tuner(folder, sets, rate=1e-3).run(file, lambda *_: None)
    assert caught.value.code is GroundingCode.STORE_FAILED


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_numpy_computes_the_logits_of_torch(
    kind: str, make_folder: Callable[..., Path], sets: Sets, tmp_path: Path
) -> None:
    folder = make_folder(kind)
    preset = tuning.PRESETS[kind]
    frozen = min(preset.frozen, 1)
    tuner = make_tuner(
        folder, sets, rate=preset.rate, layer_decay=preset.layer_decay, frozen=frozen
    )
    tuner.run(tmp_path / "state", lambda *_: None, until=5)
    model = map_model(folder)
    arrays = reduce_change(model.weights, list_weights(tuner), rank=24)
    ranks = [arrays[f"layers.{layer}.inner.left"].shape[1] for layer in range(2)]
    assert ranks == [0 if layer < frozen else 24 for layer in range(2)]
    forms = {name: write_form(name, one.columns) for name, one in sets.items()}
    encoder = TunedEncoder(model, arrays, dict(sorted(forms.items())))
    for number, name in enumerate(sorted(sets)):
        wanted = tuner.score(number, PAIRS)
        assert encoder.score(name, PAIRS) == pytest.approx(wanted, abs=5e-3)
        alone = [encoder.score(name, [pair])[0] for pair in PAIRS]
        assert encoder.score(name, PAIRS) == pytest.approx(alone, abs=1e-4)


def test_tuning_learns_what_it_is_shown(
    make_folder: Callable[..., Path], sets: Sets, tmp_path: Path
) -> None:
    batches = BatchOptions(size=16, unrelated=0.0, swapped=0.0)
    tuner = make_tuner(make_folder("bert"), sets, rate=3e-3, passes=30, batches=batches)
    pairs = collect_pairs(sets, 0, 8)
    shown = [e for e in pairs.training if e.kind == 0]
    given = [e.degree for e in shown]
    words = [(e.left, e.right) for e in shown]
    before = np.corrcoef(tuner.score(0, words), given)[0, 1]
    tuner.run(tmp_path / "state", lambda *_: None)
    after = np.corrcoef(tuner.score(0, words), given)[0, 1]
    assert after > 0.6 > before


def test_a_side_keeps_its_tokens_and_no_text_adds_signs(make_folder: Callable[..., Path]) -> None:
    writer = make_writer(make_folder("bert"))
    (plain, signs) = writer.write([("mug", "tea"), ("", "tea [SEP] mug" * 40)], "used for {}")
    assert plain.tokens[0] == writer.first
    assert plain.tokens[1 + plain.left] == plain.tokens[-1] == writer.between
    assert len(plain.tokens) == plain.left + plain.right + 3
    assert signs.left == 1
    assert signs.tokens.count(writer.between) == 3
    assert len(signs.tokens) <= 67
