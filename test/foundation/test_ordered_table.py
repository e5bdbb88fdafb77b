# SPDX-License-Identifier: Apache-2.0
"""A table is a dict that keeps its past: compared with one that is copied whole."""

import pickle
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene.graph.indexes import OrderedTable

KEYS = st.sampled_from("abcdefgh")
STEPS = st.lists(st.tuples(st.lists(KEYS, unique=True), st.lists(KEYS, unique=True)), max_size=8)


@given(st.lists(KEYS, unique=True), STEPS)
def test_a_table_is_a_dict(start: list[str], steps: list[tuple[list[str], list[str]]]) -> None:
    plain = {key: (key, 0) for key in start}
    table: OrderedTable[str, tuple[str, int]] = OrderedTable(dict(plain), itemgetter(0))
    history = [(table, plain)]
    for number, (put, gone) in enumerate(steps, start=1):
        gone = [key for key in gone if key in plain]
        plain = {key: value for key, value in plain.items() if key not in gone}
        plain.update((key, (key, number)) for key in put)
        table = table.with_changes([(key, number) for key in put], gone)
        history.append((table, plain))
    for had, should in history:
        for key in "abcdefgh":  # before anything makes the whole dict
            assert had.get(key) == should.get(key)
            assert (key in had) == (key in should)
        assert list(had.by_rank().values()) == list(should.values())
        ranks = [had.rank(key) for key in should]
        assert ranks == sorted(ranks)
        assert [had.by_rank()[rank] for rank in ranks] == list(should.values())
        assert len(had) == len(should)
        assert list(had.values()) == list(should.values())
        assert list(had) == list(should)
        assert list(had.items()) == list(should.items())
        assert had == should
        assert pickle.loads(pickle.dumps(had)) == had


def test_what_is_not_there() -> None:
    table: OrderedTable[str, tuple[str, int]] = OrderedTable({"a": ("a", 1)}, itemgetter(0))
    for had in (table, table.with_changes([("b", 2)], [])):
        for ask in (lambda had=had: had["z"], lambda had=had: had.rank("z")):
            with pytest.raises(KeyError):
                ask()
        with pytest.raises(KeyError):
            had.with_changes([], ["z"])
        with pytest.raises(KeyError):
            had.by_rank()[99]
