# SPDX-License-Identifier: Apache-2.0
"""The vote on what an unknown label is: three voters, none that only describes."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fcp_ros.binding.similar_labels import VOTERS, is_only_description, vote_on_types

KNOWN = {"towel": "textile", "pan": "cookware", "pot": "cookware", "mug": "cup", "tumbler": "cup"}


class Table:
    """Similarities, row by row."""

    def __init__(self, rows: Sequence[Sequence[float]]) -> None:
        self._rows = np.array(rows, np.float32)

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        assert self._rows.shape == (len(labels), len(known))
        return self._rows


@pytest.mark.parametrize(
    ("known", "label", "only"),
    [
        ("towel", "towel holder", True),
        ("hand towel", "hand towel holder", True),
        ("pan", "pancake", True),
        ("tumbler", "tumble drier", False),
        ("cart", "carton", True),
        ("carton", "cart", True),
        ("bed", "bedsheet", True),
        ("pipe", "hosepipe", False),
        ("mobile phone", "smartphone", False),
        ("coffee machine", "coffee grinder", False),
        ("coffee", "coffee grinder", True),
        ("bread slice", "bread", True),
        ("", "mug", False),
    ],
)
def test_what_only_describes(known: str, label: str, only: bool) -> None:
    assert is_only_description(known, label) is only


def test_those_that_only_describe_have_no_vote() -> None:
    (found,) = vote_on_types(["towel holder"], KNOWN, Table([[0.99, 0.3, 0.2, 0.1, 0.0]]))
    assert found is not None
    assert (found.type, found.nearest) == ("cookware", "pan")
    assert found.degree == pytest.approx(0.5 / 3)


def test_nothing_to_compare() -> None:
    assert vote_on_types([], KNOWN, Table([])) == []
    assert vote_on_types(["gizmo"], {}, Table([])) == [None]
    assert vote_on_types(["gizmo"], KNOWN, Table([[0.0, -0.1, 0.0, 0.0, 0.0]])) == [None]


@given(st.lists(st.floats(-1.0, 1.0, width=32), min_size=5, max_size=5))
def test_the_vote_as_it_is_told(row: list[float]) -> None:
    (found,) = vote_on_types(["gizmo"], KNOWN, Table([row]))
    order = sorted(zip(row, range(5), KNOWN, strict=True), key=lambda entry: (-entry[0], entry[1]))
    voters = [(value, KNOWN[name], name) for value, _, name in order if value > 0][:VOTERS]
    if not voters:
        assert found is None
        return
    assert found is not None
    totals = {type_: sum(v for v, t, _ in voters if t == type_) for _, type_, _ in voters}
    assert found.degree == pytest.approx(max(totals.values()) / VOTERS, abs=1e-6)
    assert totals[found.type] == pytest.approx(max(totals.values()), abs=1e-6)
    assert found.nearest == next(name for _, type_, name in voters if type_ == found.type)
    assert 0.0 < found.degree <= 1.0
