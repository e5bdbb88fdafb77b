# SPDX-License-Identifier: Apache-2.0
"""Features on disk: nothing is computed twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.heads.feature_maker import FeatureStore

TEXTS = [f"text {number}" for number in range(10)]


def compute(texts: Sequence[str]) -> np.ndarray:
    return np.array([[len(text), int(text.split()[1]), 0.5] for text in texts], np.float32)


def test_what_was_computed_is_read_and_not_computed_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def count(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return compute(texts)

    seen: list[tuple[int, int]] = []
    for wanted in (TEXTS[:6], TEXTS[3:], TEXTS):
        store = FeatureStore(tmp_path, "a model", 3)
        store.fill(wanted, count, 4, lambda *numbers: seen.append(numbers))
        assert np.array_equal(store.read(wanted[::-1]), compute(wanted[::-1]))
        store.close()
    assert asked == TEXTS
    assert seen == [(0, 6), (4, 6), (6, 6), (3, 7), (7, 7), (10, 10)]
    other = FeatureStore(tmp_path, "another model", 3)
    assert other.find_missing(TEXTS) == TEXTS
    assert other.read([]).shape == (0, 3)
    other.close()


def test_a_stopped_training_loses_one_batch_at_most(tmp_path: Path) -> None:
    def stop(texts: Sequence[str]) -> np.ndarray:
        if TEXTS[6] in texts:
            raise KeyboardInterrupt
        return compute(texts)

    store = FeatureStore(tmp_path, "a model", 3)
    with pytest.raises(KeyboardInterrupt):
        store.fill(TEXTS, stop, 3, lambda *_: None)
    again = FeatureStore(tmp_path, "a model", 3)  # as after a kill: nothing was closed
    assert again.find_missing(TEXTS) == TEXTS[6:]
    assert np.array_equal(again.read(TEXTS[:6]), compute(TEXTS[:6]))


def test_a_full_disk_is_said_and_keeps_what_there_is(tmp_path: Path) -> None:
    store = FeatureStore(tmp_path, "a model", 3)
    store.fill(TEXTS[:4], compute, 4, lambda *_: None)
    with sqlite3.connect(next(tmp_path.glob("*.sqlite"))) as other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON features BEGIN "
            "SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    with pytest.raises(GroundingError, match=r"disk is full.*make room") as caught:
        store.fill(TEXTS, compute, 4, lambda *_: None)
    assert caught.value.code is GroundingCode.STORE_FAILED
    assert np.array_equal(store.read(TEXTS[:4]), compute(TEXTS[:4]))
    (tmp_path / "not_a_folder").touch()
    with pytest.raises(GroundingError, match="can't be kept"):
        FeatureStore(tmp_path / "not_a_folder", "a model", 3)
