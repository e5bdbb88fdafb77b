# SPDX-License-Identifier: Apache-2.0
"""Evidence survives a killed process and other writers, and can be undone."""

import math
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fcp_ros.grounding import (
    CalibrationStore,
    Evidence,
    EvidenceOrigin,
    EvidenceWorld,
    GroundingCode,
    GroundingError,
    OutcomeNumber,
)

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


def test_a_reset_is_audited_and_can_be_undone(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    store.record(evidence(0.0, context="{}"))
    store.record(evidence(0.0, predicate="q"))
    reset = store.reset("p", CONTEXT, stamp=20.0)
    assert reset.count == 1
    assert store.resets() == (reset,)
    assert len(store.entries()) == 2
    assert [e.reset_id for e in store.entries(with_reset=True)] == [reset.id, None, None]
    assert store.undo_reset(reset.id) == 1
    assert len(store.entries()) == 3
    assert store.resets()[0].undone
    with pytest.raises(GroundingError, match="no reset"):
        store.undo_reset(reset.id)


def test_a_reset_of_everything(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    store.record(evidence(0.0, predicate="q"))
    assert store.reset().count == 2
    store.record(evidence(1.0))
    assert [entry.quality for entry in store.entries()] == [1.0]


@pytest.mark.parametrize("quality", [-0.01, 1.01, math.nan, math.inf])
def test_senseless_qualities_are_refused(store: CalibrationStore, quality: float) -> None:
    with pytest.raises(GroundingError, match="quality observed for p") as caught:
        store.record(evidence(quality))
    assert caught.value.code is GroundingCode.INVALID_DEGREE
    assert store.entries() == ()


@pytest.mark.parametrize("stamp", [-1.0, 1.8e12, math.nan, math.inf])
def test_stamps_outside_of_reason_are_refused(store: CalibrationStore, stamp: float) -> None:
    """Milliseconds, or a broken clock: all other evidence would be taken for old."""
    with pytest.raises(GroundingError, match="give seconds") as caught:
        store.record(replace(evidence(1.0), stamp=stamp))
    assert caught.value.code is GroundingCode.INVALID_OPTION
    assert store.entries() == ()


@pytest.mark.parametrize("field", ["prior", "degree", "weight"])
def test_senseless_numbers_are_refused(store: CalibrationStore, field: str) -> None:
    with pytest.raises(GroundingError, match=f"the {field} of"):
        store.record(replace(evidence(1.0), **{field: 1.5}))  # type: ignore[arg-type]


def test_what_the_step_relied_on_is_kept(store: CalibrationStore) -> None:
    given = replace(
        evidence(0.5), prior=0.9, degree=0.8, source="table", model="table:p", weight=0.25
    )
    number = store.record(given)
    assert store.entries() == (replace(given, id=number),)


def test_a_numbered_outcome_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    first, other = OutcomeNumber(b"a" * 16, 1), OutcomeNumber(b"b" * 16, 1)
    store = CalibrationStore(path)
    assert not store.has_outcome(first)
    new = (first, [evidence(1.0), evidence(0.0, predicate="q")])
    assert store.record_outcomes([new, (first, [evidence(1.0)])]) == (True, False)
    assert store.record_outcomes([(first, [evidence(1.0)]), (other, [])]) == (False, True)
    store.close()
    again = CalibrationStore(path)  # also after a restart
    assert again.has_outcome(first)
    assert again.record_outcomes([(first, [evidence(1.0)])]) == (False,)
    assert len(again.entries()) == 2


def test_outcomes_are_recorded_as_a_whole_or_not_at_all(store: CalibrationStore) -> None:
    number, other = OutcomeNumber(b"a" * 16, 1), OutcomeNumber(b"b" * 16, 1)
    with pytest.raises(GroundingError, match="quality observed"):
        store.record_outcomes([(other, [evidence(1.0)]), (number, [evidence(1.0), evidence(2.0)])])
    assert store.entries() == ()
    assert not store.has_outcome(number)
    assert not store.has_outcome(other)


def test_who_reads_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    store = CalibrationStore(path)
    store.record(evidence(1.0))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(target=store.record, args=[evidence(0.0)])
        waiting.start()
        assert len(store.entries()) == 1
        assert store.version()
        other.execute("ROLLBACK")
    waiting.join(60.0)
    assert len(store.entries()) == 2
    store.close()


def test_a_file_belongs_to_one_robot_in_one_world(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    mine = EvidenceOrigin("robot_1", EvidenceWorld.REAL)
    CalibrationStore(path, mine).close()
    assert CalibrationStore(path, mine).read_origin() == mine
    assert CalibrationStore(path).read_origin() == mine  # whoever only looks
    for other in (EvidenceOrigin("robot_2"), EvidenceOrigin("robot_1", EvidenceWorld.SIMULATED)):
        with pytest.raises(GroundingError, match=r"robot_1 in the real world.*merge") as caught:
            CalibrationStore(path, other)
        assert caught.value.code is GroundingCode.STORE_FAILED


def test_the_version_tells_of_every_change(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    mine, other = CalibrationStore(path), CalibrationStore(path)
    seen = [mine.version()]
    for change in (
        lambda: mine.record(evidence(1.0)),
        lambda: other.record(evidence(0.0)),
        lambda: other.reset("p"),
        lambda: mine.undo_reset(1),
    ):
        change()
        seen.append(mine.version())
    assert len(set(seen)) == len(seen)
    assert mine.version() == seen[-1]


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


def fill(store: CalibrationStore) -> None:
    for _ in range(1000):
        store.record(replace(evidence(1.0), step="x" * 500))


def test_a_full_disk_is_said_and_costs_nothing_that_was_kept(store: CalibrationStore) -> None:
    store.record(evidence(0.0))
    (pages,) = store._writer.execute("PRAGMA page_count").fetchone()
    store._writer.execute(f"PRAGMA max_page_count = {pages + 2}")  # the disk, as SQLite sees it
    with pytest.raises(GroundingError, match="check the disk") as caught:
        fill(store)
    assert caught.value.code is GroundingCode.STORE_FAILED
    kept = len(store.entries())
    store._writer.execute("PRAGMA max_page_count = 100000")  # somebody made room
    store.record(evidence(1.0))
    assert len(store.entries()) == kept + 1


def test_two_processes_write_at_once(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    writers = [writer(repository, path, 30, name, "end") for name in ("a", "b")]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    kept = Counter(entry.context_key for entry in CalibrationStore(path).entries())
    assert kept == {"a": 30, "b": 30}


def test_a_corrupt_file_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "calibration.sqlite"
    store = CalibrationStore(path)
    store.record(evidence(0.0))
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[16:80] = b"\xff" * 64  # behind the mark of all SQLite files
    path.write_bytes(damaged)
    again = CalibrationStore(path)
    assert "set aside as calibration.sqlite.corrupt-" in again.note
    assert again.entries() == ()
    assert again.record(evidence(1.0)) == 1
    assert len(list(tmp_path.glob("*.corrupt-*"))) == 1
