# SPDX-License-Identifier: Apache-2.0
"""The judgement cache: bounded, persistent, and no obstacle when its file is damaged."""

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fcp_ros.foundation.sqlite_file import HEADER
from fcp_ros.grounding import GroundingCode, GroundingError, JudgementCache, Membership
from fcp_ros.grounding.judgement_cache import CacheKey

ANSWER = Membership(
    0.7, 0.7, (0.6, 0.7, 0.8), 0.1, "causal_lm", "tiny@1", note="as asked", uncertainty=0.2
)


def key(number: int = 0, predicate: str = "p1", model: str = "m1", mode: str = "exact") -> CacheKey:
    return CacheKey(predicate, f'{{"n":{number}}}', model, mode)


def get(cache: JudgementCache, key: CacheKey) -> Membership | None:
    return cache.get_all([key])[0]


def test_what_was_put_is_found(tmp_path: Path) -> None:
    cache = JudgementCache(tmp_path / "cache.sqlite")
    assert get(cache, key()) is None
    cache.put([(key(), ANSWER)])
    assert get(cache, key()) == ANSWER
    counts = cache.statistics()
    assert (counts.memory_hits, counts.file_hits, counts.misses, counts.entries) == (1, 0, 1, 1)


def test_it_survives_a_restart(tmp_path: Path) -> None:
    first = JudgementCache(tmp_path / "deep" / "cache.sqlite")
    first.put([(key(), ANSWER)])
    first.close()
    again = JudgementCache(tmp_path / "deep" / "cache.sqlite")
    assert get(again, key()) == ANSWER
    assert again.statistics().file_hits == 1


@pytest.mark.parametrize("other", [key(predicate="p2"), key(model="m2"), key(mode="sample")])
def test_another_rubric_model_or_mode_never_meets_an_old_answer(
    tmp_path: Path, other: CacheKey
) -> None:
    cache = JudgementCache(tmp_path / "cache.sqlite")
    cache.put([(key(), ANSWER)])
    assert get(cache, other) is None


def test_memory_forgets_the_least_recently_used() -> None:
    cache = JudgementCache(memory_entries=2)
    cache.put([(key(1), ANSWER), (key(2), ANSWER)])
    assert get(cache, key(1)) is not None
    cache.put([(key(3), ANSWER)])
    assert get(cache, key(2)) is None
    assert get(cache, key(1)) is not None


def test_the_file_forgets_the_oldest(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = JudgementCache(path, memory_entries=1, file_entries=3)
    for number in range(6):
        cache.put([(key(number), ANSWER)])
    found = [n for n in range(6) if get(cache, key(n)) is not None]
    assert found == [3, 4, 5]


def test_a_corrupt_file_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    damage = HEADER + b"not a sound database at all" * 100
    path.write_bytes(damage)
    cache = JudgementCache(path)
    assert "set aside" in cache.note
    (aside,) = tmp_path.glob("cache.sqlite.corrupt-*")
    assert aside.read_bytes() == damage
    cache.put([(key(), ANSWER)])
    assert get(cache, key()) == ANSWER


def test_a_damaged_answer_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    JudgementCache(path).put([(key(), ANSWER)])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE answers SET membership = '{\"degree\": 7}'")
    cache = JudgementCache(path)
    assert get(cache, key()) is None
    assert "could not be read" in cache.note


def test_a_path_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(GroundingError, match="can't be used") as caught:
        JudgementCache(tmp_path / "file" / "cache.sqlite")
    assert caught.value.code is GroundingCode.STORE_FAILED


def test_latency_is_that_of_asking_and_is_not_kept(tmp_path: Path) -> None:
    cache = JudgementCache(tmp_path / "cache.sqlite")
    cache.put([(key(), replace(ANSWER, latency=1.5))])
    again = JudgementCache(tmp_path / "cache.sqlite")
    for found in (get(cache, key()), get(again, key())):
        assert found is not None
        assert found.latency == 0.0


def test_a_file_that_is_damaged_meanwhile_is_rebuilt_and_said(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    first = JudgementCache(path)
    first.put([(key(number), ANSWER) for number in range(300)])
    cache = JudgementCache(path, memory_entries=1)
    first.put([(key(300), ANSWER)])  # so that what the second one has read is out of date
    first._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
    content = bytearray(path.read_bytes())
    content[200:] = b"x" * (len(content) - 200)
    path.write_bytes(content)
    for number in range(100):
        assert get(cache, key(number)) is None
    assert "set aside" in cache.note
    assert list(tmp_path.glob("cache.sqlite.corrupt-*"))
    cache.put([(key(1), ANSWER), (key(2), ANSWER)])
    assert get(JudgementCache(path), key(1)) == ANSWER


FILL = """
import resource, signal, sys
from fcp_ros.grounding import JudgementCache, Membership
from fcp_ros.grounding.judgement_cache import CacheKey
cache = JudgementCache(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for number in range(3000):
    key = CacheKey("p", "c%d" % number * 20, "m", "x")
    cache.put([(key, Membership(0.5, 0.5))])
    assert cache.get_all([key])[0] == Membership(0.5, 0.5)
assert "could not be written" in cache.note, cache.note
print(cache.note)
"""


def test_a_full_disk_costs_answers_on_the_disk_only(repository: Path, tmp_path: Path) -> None:
    """The operating system refuses to let the file grow, as a full disk does."""
    path = tmp_path / "cache.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(path)],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert "goes on in memory" in done.stdout
    assert done.stderr.count("could not be written") <= 3, "said once, not for each answer"
    key = CacheKey("p", "c0" * 20, "m", "x")
    assert get(JudgementCache(path), key) is not None, "what was written before is still there"


WRITE = """
import sys
from fcp_ros.grounding import JudgementCache, Membership
from fcp_ros.grounding.judgement_cache import CacheKey
cache = JudgementCache(sys.argv[1])
for number in range(150):
    cache.put([(CacheKey(sys.argv[2], str(number), "m", "x"), Membership(0.5, 0.5))])
assert not cache.note, cache.note
"""


def test_two_processes_write_at_once(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(path), name], cwd=repository)
        for name in ("a", "b")
    ]
    assert [writer.wait(timeout=100) for writer in writers] == [0, 0]
    cache = JudgementCache(path)
    for name in ("a", "b"):
        assert all(get(cache, CacheKey(name, str(n), "m", "x")) is not None for n in range(150))
