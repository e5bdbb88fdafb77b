# SPDX-License-Identifier: Apache-2.0
"""Evidence moves degrees within bounds, survives a killed process, and can be undone."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import CalibrationStore, Evidence, GroundingCode, GroundingError
from fcp_ros.grounding.calibration.store import posterior_degree

CONTEXT = '{"item":"mug"}'
WRITER = """
import sys, time
from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence
store = CalibrationStore(sys.argv[1])
for number in range(int(sys.argv[2])):
    store.record(Evidence("p", sys.argv[3], 0.25, float(number), f"step {number}"))
    print(number, flush=True)
if sys.argv[4] == "wait":
    time.sleep(600)
"""


def evidence(quality: float, predicate: str = "p", context: str = CONTEXT) -> Evidence:
    return Evidence(predicate, context, quality, 12.5, "pick(robot_1, mug_1)")


def writer(repository: Path, path: Path, count: int, context: str, then: str) -> subprocess.Popen:  # type: ignore[type-arg]
    command = [sys.executable, "-c", WRITER, str(path), str(count), context, then]
    return subprocess.Popen(command, cwd=repository, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def store(tmp_path: Path) -> CalibrationStore:
    return CalibrationStore(tmp_path / "calibration.sqlite")


def test_without_evidence_the_prior_stands(store: CalibrationStore) -> None:
    assert store.posterior("p", CONTEXT, 0.83) == (0.83, 0)


def test_the_prior_is_worth_its_strength(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    store.record(evidence(0.0))
    degree, count = store.posterior("p", CONTEXT, 0.97)
    assert degree == pytest.approx(4 * 0.97 / 6)
    assert count == 2


def test_evidence_counts_for_its_own_predicate_and_context(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    assert store.posterior("q", CONTEXT, 0.9) == (0.9, 0)
    assert store.posterior("p", "{}", 0.9) == (0.9, 0)


@given(
    st.floats(0, 1), st.lists(st.floats(0, 1), max_size=300), st.floats(0.1, 50), st.floats(0, 1)
)
def test_the_shift_is_bounded_and_towards_what_was_seen(
    prior: float, qualities: list[float], strength: float, cap: float
) -> None:
    total = math.fsum(qualities)
    degree = posterior_degree(prior, len(qualities), total, strength, cap)
    assert 0.0 <= degree <= 1.0
    assert abs(degree - prior) <= cap + 1e-9
    if qualities:
        mean = total / len(qualities)
        assert min(prior, mean) - 1e-9 <= degree <= max(prior, mean) + 1e-9


def test_the_shift_is_capped(tmp_path: Path) -> None:
    store = CalibrationStore(tmp_path / "c.sqlite", cap=0.3)
    for _ in range(100):
        store.record(evidence(0.0))
    assert store.posterior("p", CONTEXT, 0.9) == (pytest.approx(0.6), 100)


def test_evidence_can_be_audited(store: CalibrationStore) -> None:
    number = store.record(evidence(0.5))
    (entry,) = store.entries("p")
    assert (entry.id, entry.quality, entry.stamp) == (number, 0.5, 12.5)
    assert entry.step == "pick(robot_1, mug_1)"
    assert store.entries("other") == ()


def test_a_reset_is_audited_and_can_be_undone(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    store.record(evidence(0.0, context="{}"))
    store.record(evidence(0.0, predicate="q"))
    reset = store.reset("p", CONTEXT, stamp=20.0)
    assert reset.count == 1
    assert store.posterior("p", CONTEXT, 0.9) == (0.9, 0)
    assert store.posterior("p", "{}", 0.9)[1] == store.posterior("q", CONTEXT, 0.9)[1] == 1
    assert store.resets() == (reset,)
    assert len(store.entries()) == 2
    assert [e.reset_id for e in store.entries(with_reset=True)] == [reset.id, None, None]
    assert store.undo_reset(reset.id) == 1
    assert store.posterior("p", CONTEXT, 0.9)[1] == 1
    assert store.resets()[0].undone
    with pytest.raises(GroundingError, match="no reset"):
        store.undo_reset(reset.id)


def test_a_reset_of_everything(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    store.record(evidence(0.0, predicate="q"))
    assert store.reset().count == 2
    store.record(evidence(1.0))
    assert store.posterior("p", CONTEXT, 0.5)[1] == 1


@pytest.mark.parametrize("quality", [-0.01, 1.01, math.nan, math.inf])
def test_senseless_qualities_are_refused(store: CalibrationStore, quality: float) -> None:
    with pytest.raises(GroundingError, match="quality observed for p") as caught:
        store.record(evidence(quality))
    assert caught.value.code is GroundingCode.INVALID_DEGREE
    assert store.entries() == ()


@pytest.mark.parametrize(("strength", "cap"), [(0.0, 0.5), (math.nan, 0.5), (4.0, 1.5)])
def test_senseless_settings_are_refused(tmp_path: Path, strength: float, cap: float) -> None:
    with pytest.raises(GroundingError):
        CalibrationStore(tmp_path / "c.sqlite", strength=strength, cap=cap)


def test_it_survives_kill_9(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    process = writer(repository, path, 40, CONTEXT, "wait")
    assert process.stdout is not None
    said = [process.stdout.readline().strip() for _ in range(25)]
    process.kill()  # SIGKILL while it goes on writing
    said += process.stdout.read().split()
    process.wait(timeout=30)
    process.stdout.close()
    kept = [entry.step for entry in CalibrationStore(path).entries()]
    assert kept[: len(said)] == [f"step {number}" for number in said]
    assert len(kept) - len(said) in (0, 1)  # one may be committed and not yet said


def test_two_processes_write_at_once(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    writers = [writer(repository, path, 30, name, "end") for name in ("a", "b")]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    store = CalibrationStore(path)
    assert [store.posterior("p", name, 0.5)[1] for name in ("a", "b")] == [30, 30]


def test_a_corrupt_file_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    store = CalibrationStore(path)
    store.record(evidence(0.0))
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[:64] = b"\xff" * 64
    path.write_bytes(damaged)
    again = CalibrationStore(path)
    assert "set aside as calibration.sqlite.corrupt-" in again.note
    assert again.entries() == ()
    assert again.record(evidence(1.0)) == 1
    assert len(list(tmp_path.glob("*.corrupt-*"))) == 1
