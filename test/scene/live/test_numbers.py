# SPDX-License-Identifier: Apache-2.0
"""Sequence numbers: in order, late, twice, after a gap, from a source that was started again."""

from fcp_ros.scene.live.numbers import SourceNumbers, Turn


def test_a_source_counts_its_updates() -> None:
    numbers = SourceNumbers()
    assert numbers.of_delta("camera", 7, None, 3).turn is Turn.GAP  # what came before is unknown
    assert numbers.of_delta("camera", 1, None, 3).turn is Turn.NEXT
    assert numbers.of_full("camera", 7, None).turn is Turn.NEXT
    numbers.took("camera", 7, None)
    assert numbers.of_delta("camera", 8, None, 3).turn is Turn.NEXT
    assert numbers.of_delta("camera", 9, None, 3).turn is Turn.GAP
    assert numbers.of_delta("camera", 7, None, 3).turn is Turn.LATE
    assert numbers.of_delta("camera", 2, None, 3).turn is Turn.LATE
    assert numbers.of_full("camera", 30, None).turn is Turn.NEXT


def test_after_a_gap_only_a_full_update_helps() -> None:
    numbers = SourceNumbers()
    numbers.took("camera", 7, None)
    numbers.lost("camera")
    assert numbers.of_delta("camera", 8, None, 0).turn is Turn.GAP
    numbers.took("camera", 11, None)
    assert numbers.of_delta("camera", 12, None, 0).turn is Turn.NEXT


def test_a_number_that_falls_back() -> None:
    numbers = SourceNumbers()
    numbers.took("camera", 7, 100.0)
    assert numbers.of_full("camera", 1, None).turn is Turn.ANEW
    assert numbers.of_full("camera", 1, 101.0).turn is Turn.ANEW
    assert numbers.of_full("camera", 6, 99.0).turn is Turn.LATE
    assert numbers.of_full("camera", 7, 100.0).turn is Turn.LATE  # the same one again
    assert numbers.of_delta("camera", 6, 99.0, 0).turn is Turn.LATE
    assert numbers.of_delta("camera", 1, 101.0, 0).turn is Turn.GAP  # its full one was missed
    assert numbers.of_delta("camera", 8, 101.0, 0).turn is Turn.NEXT


def test_without_a_source_the_graph_counts() -> None:
    numbers = SourceNumbers()
    assert numbers.of_full("", 0, None).turn is Turn.NEXT
    assert numbers.of_delta("", 4, None, 3).turn is Turn.NEXT
    assert numbers.of_delta("", 3, None, 3).turn is Turn.LATE
    assert numbers.of_delta("", 5, None, 3).turn is Turn.GAP


def test_sources_are_forgotten_beyond_a_bound() -> None:
    numbers = SourceNumbers(most_sources=2)
    for name in ("a", "b", "a", "c"):
        numbers.took(name, 1, None)
    assert [name for name in "abc" if numbers.knows(name)] == ["a", "c"]
