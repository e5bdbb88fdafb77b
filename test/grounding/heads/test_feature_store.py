# SPDX-License-Identifier: Apache-2.0
"""Features on disk: nothing is computed twice, also after a kill in the middle of a write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.heads.feature_maker import FeatureStore

TEXTS = [f"text {number}" for number in range(10)]


def compute(texts: Sequence[str]) -> np.ndarray:
    return np.array([[len(text), int(text.split()[1]), 0.5] for text in texts], np.float32)


def ignore(_done: int, _all: int) -> None:
    """Report to nobody."""


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
    other.close()


@given(st.integers(0, 400))
def test_half_a_record_is_cut_off(tmp_path_factory: pytest.TempPathFactory, left: int) -> None:
    folder = tmp_path_factory.mktemp("store")
    store = FeatureStore(folder, "a model", 3)
    store.fill(TEXTS, compute, 3, ignore)
    store.close()
    (file,) = folder.glob("*.features")
    size = 16 + 3 * 4
    os.truncate(file, min(left, file.stat().st_size))
    again = FeatureStore(folder, "a model", 3)
    assert len(again) == min(left // size, len(TEXTS))
    again.fill(TEXTS, compute, 3, ignore)
    assert np.array_equal(again.read(TEXTS), compute(TEXTS))
    again.close()
    assert file.stat().st_size == size * len(TEXTS)


def test_a_killed_process_loses_one_batch_at_most(tmp_path: Path) -> None:
    script = f"""
        import time
        import numpy as np
        from pathlib import Path
        from fcp_ros.grounding.heads.feature_maker import FeatureStore

        def compute(texts):
            time.sleep(0.05)
            return np.array([[len(t), int(t.split()[1]), 0.5] for t in texts], np.float32)

        store = FeatureStore(Path({str(tmp_path)!r}), "a model", 3)
        texts = [f"text {{n}}" for n in range(10000)]
        store.fill(texts, compute, 5, lambda done, _: print(done, flush=True))
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    done = 0
    while done < 20:
        done = int(child.stdout.readline())
    with pytest.raises(GroundingError, match="another process computes the same") as caught:
        FeatureStore(tmp_path, "a model", 3)
    assert caught.value.code is GroundingCode.STORE_FAILED
    child.send_signal(signal.SIGKILL)
    child.wait()
    time.sleep(0.01)
    store = FeatureStore(tmp_path, "a model", 3)
    assert len(store) >= done
    kept = [f"text {number}" for number in range(len(store))]
    assert np.array_equal(store.read(kept), compute(kept))
    store.close()


def test_a_full_disk_is_said_and_keeps_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FeatureStore(tmp_path, "a model", 3)
    store.fill(TEXTS[:4], compute, 4, ignore)
    (file,) = tmp_path.glob("*.features")
    plain = Path.open

    def refuse(path: Path, mode: str = "r", *rest: int, **more: int) -> object:
        if mode == "ab":
            raise OSError(28, "No space left on device")
        return plain(path, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(GroundingError, match=r"No space left on device.*make room"):
        store.fill(TEXTS, compute, 4, ignore)
    store.close()
    assert np.array_equal(FeatureStore(tmp_path, "a model", 3).read(TEXTS[:4]), compute(TEXTS[:4]))
    (tmp_path / "not_a_folder").touch()
    with pytest.raises(GroundingError, match="can't be kept"):
        FeatureStore(tmp_path / "not_a_folder", "a model", 3)
    assert file.exists()
