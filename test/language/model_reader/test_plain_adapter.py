# SPDX-License-Identifier: Apache-2.0
"""A small language model that is trained to write plain English: rows, training, file, reader."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from later import Later
from tiny_language_models import make_model, make_tokenizer

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import never_stop
from fcp_ros.grounding.heads.feature_maker import locate_features
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_store import FOLDER_VARIABLE, MANIFEST
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.model_reader.heard_rows import (
    HeardRow,
    HeardRows,
    RowChanger,
    mistype,
    read_heard_rows,
)
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

adapter_training = Later("fcp_ros.language.model_reader.adapter_training")  # imports torch
compact_model = Later("fcp_ros.language.model_reader.compact_model")
plain_adapter = Later("fcp_ros.language.model_reader.plain_adapter")

BASE = "smollm2-135m"
SAID = ("fruit, table, chop chop", "the milk, wherever it may be, is what I fancy")
PLAIN = ("Put the apple on the table.", "Bring me the milk.")
ROWS = HeardRows(tuple(map(HeardRow, SAID, PLAIN)), (HeardRow(SAID[0], PLAIN[0]),), ("a: 2 rows",))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of fetched models, with a tiny one that has learnt nothing."""
    folder = tmp_path_factory.mktemp("models")
    tokenizer = make_tokenizer([*SAID, *PLAIN], "digits")
    tokenizer.bos_token = tokenizer.unk_token = tokenizer.eos_token  # CTranslate2 wants them named
    model = make_model("llama", tokenizer, max_position_embeddings=2048)
    model.save_pretrained(folder / BASE)
    tokenizer.save_pretrained(folder / BASE)
    (folder / BASE / MANIFEST).write_text("{}")
    return folder


def make_options(steps: int) -> Any:
    return adapter_training.AdapterOptions(
        steps=steps, batch=2, rank=8, first_layer=0, rate=2e-2, weight_decay=0.0
    )


def make_trainer(models: Path, steps: int) -> Any:
    folder, options = models / BASE, make_options(steps)
    return adapter_training.AdapterTrainer(folder, ROWS, ["pear"], options)


@pytest.fixture(scope="module")
def adapter(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a change that was trained on two rows."""
    file = tmp_path_factory.mktemp("adapter") / "own.safetensors"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(models))
        sheet = adapter_training.train_adapter(BASE, ROWS, make_options(150), file, lambda *_: None)
        assert not list(locate_features().glob("plain-*")), "nothing is left to go on with"
    assert sheet.scores["a token of rows kept apart"] > 0.5
    return file


def test_it_reads_what_it_was_taught(
    models: Path, adapter: Path, house: ReadingContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    reader = make_reader(ReaderOptions(model=str(adapter), seconds=60.0))
    answer = reader.read(SAID[0], house)
    assert answer.best is not None, answer.message
    assert answer.best.goal == "on(apple_1, table_1)"
    assert answer.best.level is not Confidence.PLAIN, "a person confirms it"


def test_a_training_that_was_killed_goes_on_where_it_was(models: Path, tmp_path: Path) -> None:
    whole, killed, again = (make_trainer(models, 6) for _ in range(3))
    whole.run(tmp_path / "whole", lambda *_: None)
    killed.run(tmp_path / "killed", lambda *_: None, until=3)
    again.run(tmp_path / "killed", lambda *_: None)
    for name, values in whole.extract().items():
        assert np.array_equal(values, again.extract()[name]), name


def test_a_training_goes_on_from_weights_of_the_same_model_alone(
    models: Path, adapter: Path
) -> None:
    own, _ = plain_adapter.load_adapter(adapter)
    folder, options = models / BASE, make_options(6)
    trainer = adapter_training.AdapterTrainer(folder, ROWS, ["pear"], options, own)
    assert trainer.measure() > 0.5, "it knows already what they were taught"
    for name, values in trainer.extract().items():
        assert np.array_equal(values, own.arrays[name]), name
    other = plain_adapter.PlainAdapter(BASE, "0" * 16, own.arrays)
    with pytest.raises(InputError, match="train without them"):
        adapter_training.AdapterTrainer(folder, ROWS, ["pear"], options, other)


def test_without_the_base_the_default_reader_stands_alone_and_a_named_file_says_what_to_do(
    adapter: Path, house: ReadingContext
) -> None:
    alone = make_reader(ReaderOptions()).read("flurb the gnork", house)
    assert alone.status is ReadingStatus.NOT_UNDERSTOOD
    assert "language model" not in alone.message
    named = make_reader(ReaderOptions(model=str(adapter))).read("flurb the gnork", house)
    assert f"fcp models fetch {BASE}" in named.message


def test_a_file_for_other_weights_or_without_any_is_refused(
    models: Path, adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    own, sheet = plain_adapter.load_adapter(adapter)
    other = plain_adapter.PlainAdapter(BASE, "0" * 16, own.arrays)
    plain_adapter.save_adapter(other, sheet, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="trained on other weights"):
        compact_model.open_compact_model(tmp_path / "other.safetensors")
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(adapter.read_bytes()[:1000])
    with pytest.raises(InputError, match="train it again"):
        compact_model.open_compact_model(damaged)


def test_it_is_converted_once_and_writes_what_its_layers_find_likeliest(
    models: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    model = compact_model.open_compact_model(adapter)
    prompt = plain_adapter.PROMPT.format(SAID[1])
    written = model.write(prompt, 3, 100, 60.0, never_stop)
    assert written[0] == PLAIN[1]
    assert 1 < len(written) == len(set(written)) <= 3
    assert model.write(prompt, 1, 3, 60.0, never_stop) == (), "a text that was cut is none"
    (folder,) = (models / BASE).glob("compact-*")
    weights = folder / "model.bin"
    before = weights.stat().st_mtime_ns
    assert compact_model.find_compact_folder(adapter) == folder
    assert weights.stat().st_mtime_ns == before
    assert not list((models / BASE).glob(".compact-*")), "nothing half made is left"


def test_one_that_waits_too_long_or_is_stopped_gets_an_error(
    models: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    model = compact_model.open_compact_model(adapter)
    with pytest.raises(GroundingError, match="did not answer within 0 s"):
        model.write(SAID[0], 4, 100, 0.0, never_stop)

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        model.write(SAID[0], 4, 100, 60.0, stop)


def test_a_library_that_is_missing_is_named(
    models: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(models))
    model = compact_model.open_compact_model(adapter)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(GroundingError, match=r"ctranslate2.*pip install") as raised:
        model.write(SAID[0], 1, 5, 60.0, never_stop)
    assert raised.value.code is GroundingCode.MISSING_LIBRARY


def test_damaged_weights_are_named_with_what_to_do(
    models: Path, adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "models"
    shutil.copytree(models, copy)
    monkeypatch.setenv(FOLDER_VARIABLE, str(copy))
    folder = compact_model.find_compact_folder(adapter)
    (folder / "model.bin").write_bytes(b"no weights")
    with pytest.raises(GroundingError, match=f"fcp models fetch {BASE}"):
        compact_model.CompactModel("own", folder).write(SAID[0], 1, 5, 60.0, never_stop)
    monkeypatch.setattr("fcp_ros.language.model_reader.compact_model.PACKAGED_FILE", adapter)
    compact_model.make_ready(BASE)
    prompt = plain_adapter.PROMPT.format(SAID[0])
    mended = compact_model.open_compact_model(adapter).write(prompt, 1, 100, 60.0, never_stop)
    assert mended == PLAIN[:1]


def test_rows_are_read_and_some_kept_apart(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps({"heard": f"give {n}  ", "plain": "Bring it."}) for n in range(400)]
    file.write_text("\n".join([*lines, lines[0], ""]))
    rows = read_heard_rows([file])
    assert len(rows.training) + len(rows.apart) == 400
    assert 4 <= len(rows.apart) <= 40
    file.write_text('{"heard": "x", "plain": "Y."}\n{"heard": "x"}\n')
    with pytest.raises(InputError, match="line 2"):
        read_heard_rows([file])
    with pytest.raises(InputError, match="can't be read"):
        read_heard_rows([tmp_path / "absent.jsonl"])


def test_changed_rows_keep_the_same_things_on_both_sides() -> None:
    row = HeardRow("oh, mugs and a spoon, on the desk", "Put mugs and a spoon on the desk.")
    changer = RowChanger([row], ["egg cup"])
    changed = {changer.change(row, Random(seed)) for seed in range(200)}
    assert any("egg cups" in one.heard and "egg cups" in one.plain for one in changed)
    assert any("an egg cup" in one.plain for one in changed)
    assert row in changed
    for one in changed:
        assert one.plain.count("egg cup") >= one.heard.count("egg cup"), one


def test_a_mistyped_text_differs_in_one_word() -> None:
    text = "put the saucer near the candle"
    found = {mistype(text, Random(seed)) for seed in range(50)}
    assert len(found) > 10
    for one in found:
        pairs = zip(text.split(), one.split(), strict=True)
        assert sum(a != b for a, b in pairs) <= 1
    assert mistype("put it on", Random(0)) == "put it on"
