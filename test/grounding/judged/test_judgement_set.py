# SPDX-License-Identifier: Apache-2.0
"""Judgement files: what is read, what is refused and where, and how they are split."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.judgement_set import (
    HELD_OUT_SHARE,
    Judgement,
    find_head_word,
    hash_judgements,
    is_held_out,
    read_judgements,
    split,
    to_plain,
)

WriteSet = Callable[..., Path]


def test_parts_of_a_set_are_read_together(write_set: WriteSet) -> None:
    write_set("function_food", "Soup_Bowl,drinking,0.5")
    folder = write_set("function_things", "mug,drinking from,1", "mug,hitting,0.0")
    (kind,) = read_judgements([folder]).values()
    assert (kind.name, kind.columns) == ("function", ("item", "purpose"))
    assert [(*j.pair, j.degree) for j in kind.judgements] == [
        ("mug", "drinking from", 1.0),
        ("mug", "hitting", 0.0),
        ("soup bowl", "drinking", 0.5),
    ]


def test_two_authors_are_averaged_and_ones_own_overrule(write_set: WriteSet) -> None:
    write_set("function_a", "mug,drinking,1.0", to="theirs")
    theirs = write_set("function_b", "mug,drinking,0.8", to="theirs")
    own = write_set("function", "mug,drinking,0.1")
    (before,) = read_judgements([theirs])["function"].judgements
    assert before.degree == pytest.approx(0.9)
    (after,) = read_judgements([theirs, own])["function"].judgements
    assert after.degree == 0.1
    assert hash_judgements(read_judgements([theirs])) != hash_judgements(
        read_judgements([theirs, own])
    )


@pytest.mark.parametrize(
    ("lines", "header", "said"),
    [
        (["mug,drinking,1.2"], "item,purpose,degree", "line 2: the degree is '1.2'"),
        (["mug,drinking,nan"], "item,purpose,degree", "line 2: the degree is 'nan'"),
        (["mug,drinking,much"], "item,purpose,degree", "must be a number in [0, 1]"),
        (["mug,drinking"], "item,purpose,degree", "line 2: 2 columns, but the header has 3"),
        (["a,b,1", ",drinking,1"], "item,purpose,degree", "line 3: item is empty"),
        (["mug,drinking,1", "Mug,Drinking,1"], "item,purpose,degree", "stands already in"),
        (["mug,1"], "item,degree", "line 1: the header"),
        (["mug,drinking,1"], "item,purpose,score", "line 1: the header"),
        ([], "item,purpose,degree", "no judgements"),
    ],
)
def test_bad_files_are_said_with_their_line(
    write_set: WriteSet, lines: list[str], header: str, said: str
) -> None:
    folder = write_set("function", *lines, header=header)
    with pytest.raises(GroundingError, match=re.escape(said)) as caught:
        read_judgements([folder])
    assert caught.value.code is GroundingCode.INVALID_OPTION
    assert "function.csv" in caught.value.sentence


def test_contradictions_name_both_places(write_set: WriteSet) -> None:
    write_set("function_a", "mug,drinking,1.0")
    folder = write_set("function_b", "x,y,0", "mug,drinking,0.0")
    with pytest.raises(GroundingError, match=r"function_a.csv, line 2 says 1 .*b.csv, line 3 says"):
        read_judgements([folder])


def test_other_problems_are_said(write_set: WriteSet, tmp_path: Path) -> None:
    with pytest.raises(GroundingError, match="holds no judgements"):
        read_judgements([tmp_path / "nowhere"])
    write_set("function_a", "mug,drinking,1.0")
    folder = write_set("function_b", "mug,cup,1.0", header="item,wanted,degree")
    with pytest.raises(GroundingError, match="use the same, or another set's name"):
        read_judgements([folder])
    (folder / "function_b.csv").write_bytes(b"item,purpose,degree\n\xff,x,1\n")
    with pytest.raises(GroundingError, match="UTF-8"):
        read_judgements([folder])


words = st.lists(
    st.sampled_from(["mug", "mugs", "coffee", "glass", "wine", "table", "book"]), min_size=1
)
phrases = words.map(" ".join)
pairs = st.dictionaries(st.tuples(phrases, phrases), st.floats(0, 1), min_size=1, max_size=40)


@given(pairs)
def test_nothing_about_a_held_out_item_is_trained_on(given_pairs: dict) -> None:
    judgements = [Judgement(to_plain(a), to_plain(b), d) for (a, b), d in given_pairs.items()]
    parts = split(judgements)
    held_out = {j.item for j in parts.held_out}
    assert not held_out & {word for j in parts.training for word in j.pair}
    heads = {find_head_word(item) for item in held_out}
    assert not heads & {find_head_word(j.item) for j in parts.training}
    assert len(parts.training) + len(parts.held_out) + parts.left_out == len(judgements)
    assert split(judgements[::-1]).held_out == parts.held_out[::-1]


def test_kinds_stay_together_and_a_fifth_is_held_out() -> None:
    for kind in ("mug", "glass", "brush"):
        forms = (kind, f"old {kind}", f"blue {kind}s" if kind == "mug" else f"big {kind}")
        assert len({is_held_out(form) for form in forms}) == 1
    share = sum(is_held_out(f"word{number}") for number in range(4000)) / 4000
    assert share == pytest.approx(HELD_OUT_SHARE, abs=0.03)
