# SPDX-License-Identifier: Apache-2.0
"""Lists in parentheses: structure, places, comments, depth, and what does not match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.foundation.s_expressions import (
    SExpressionError,
    SList,
    offset_of,
    part_offsets,
    read_s_expressions,
)

WORDS = st.from_regex(r"\?[abz:\-=0]{0,3}|[abz:\-=0]{1,4}", fullmatch=True)
NODES = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=4), max_leaves=25)
GAPS = st.sampled_from([" ", "\n", "\t ", "; a (comment) ;;\n", " ;\n "])


def written(node, gap):
    """The node as a text, with gaps wherever there may be some."""
    if isinstance(node, str):
        return gap() + node + gap()
    return gap() + "(" + gap() + "".join(written(part, gap) for part in node) + ")" + gap()


@given(st.lists(NODES, max_size=4), st.data())
def test_what_is_written_is_read(nodes, data):
    text = "".join(written(node, lambda: data.draw(GAPS)) for node in nodes)
    assert read_s_expressions(text) == nodes


@given(st.lists(NODES, min_size=1, max_size=4), st.data())
def test_every_part_is_found_again(nodes, data):
    text = "".join(written(node, lambda: data.draw(GAPS)) for node in nodes)
    stack = [read_s_expressions(text)]
    while stack:
        parent = stack.pop()
        offsets = list(part_offsets(text, parent))
        assert len(offsets) == len(parent)
        for position, (part, offset) in enumerate(zip(parent, offsets, strict=True)):
            assert offset_of(text, parent, position) == offset
            if isinstance(part, SList):
                assert (text[part.start], text[part.end - 1]) == ("(", ")")
                assert offset == part.start
                stack.append(part)
            else:
                assert text.startswith(part, offset)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(plane?a)", [["plane", "?a"]]),
        ("(?a?b (at?x ?y))", [["?a", "?b", ["at", "?x", "?y"]]]),
        ("?-??", ["?-", "?", "?"]),
    ],
)
def test_a_question_mark_begins_a_word(text, words):
    read = read_s_expressions(text)
    assert read == words
    for place in range(len(words)):
        assert text[offset_of(text, read, place) :].startswith(("(", "?"))


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("(a (b)", "1 missing", 6),
        ("((((", "4 missing", 4),
        ("(a))", r"a `\)` too many", 3),
        (")", r"a `\)` too many", 0),
        ("(a ; ))\n", "1 missing", 8),
    ],
)
def test_parentheses_that_do_not_match(text, message, offset):
    with pytest.raises(SExpressionError, match=message) as error:
        read_s_expressions(text)
    assert error.value.offset == offset


def test_depth_is_no_limit():
    node = read_s_expressions("(" * 100_000 + ")" * 100_000)
    for _ in range(99_999):
        (node,) = node
    assert node == [[]]
