# SPDX-License-Identifier: Apache-2.0
"""YAML is read as its slow twin reads it, and what is written is read again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from damaged_files import COPIES, damaged
from hypothesis import example, given
from hypothesis import strategies as st
from yaml_twin import load_by_twin

from fcp_ros.foundation.yaml_text import TextError, dump_yaml, load_yaml, parse_yaml


def outcome(load: Any, text: str) -> Any:
    """The value (as text: NaN is not equal to itself), or that there is none."""
    try:
        return repr(load(text))
    except (TextError, yaml.YAMLError, ValueError, TypeError):
        return "an error"


WORDS = (
    "on", "off", "yes", "no", "y", "true", "True", "TRUE", "tRue", "false", "null", "~", "Null",
    "0", "-0", "10", "010", "0o17", "0x1F", "0b11", "1_000", "_", "-_", "+1", "1e3", "1.5e-3",
    "1.", ".5", "-.5", ".inf", "-.inf", ".nan", ".NaN", "1:30", "190:20:30", "12e", "0.1.2",
    "2024-01-01", "2024-01-01 10:00:00", "=", "<<", "!", "-", "--", "a:b", "a: b", "a #b", "a#b",
    "", " ", "[", "]", "{a}", "'x'", '"x"', "''", "x,y", "|", ">", "? a", "@a", "`a", "é", "1,5",
    "é", "küche", "日本", "a\u2028b", "a\x85b", "\ufeffa", "\xa0", "😀", "a\x07",
    "---", "...", "- a", ":", ",", "0o8", "0x", "08", "09.5", "nan", "inf", "infinity", "None",
)  # fmt: skip


@pytest.mark.parametrize("frame", ["{}", "a: {}", "- {}", "[{}]", "[{}, 1]", "{{a: {}}}", "{}: 1"])
def test_a_word_is_what_the_twin_says(frame: str) -> None:
    for word in WORDS:
        text = frame.format(word)
        if word == "!":  # stands for a text in YAML 1.2
            assert "''" in outcome(load_yaml, text) or outcome(load_yaml, text) == "an error"
        else:
            assert outcome(load_yaml, text) == outcome(load_by_twin, text), text


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("TRUE", True),
        ("~", None),
        ("010", 10),
        ("0o17", 15),
        ("1_000", 1000),
        ("1:30", "1:30"),
        ("08", 8),
        ("0o8", "0o8"),
        ("2024-01-01", "2024-01-01"),
    ],
)
def test_plain_words_of_yaml_1_2(word: str, value: Any) -> None:
    found = load_yaml(word)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n",
        "{a: 1, a: 2}",
        "a: 1\n---\nb: 2\n",
        "--- 5\n...\n",
        "",
        "a:\n  b:\n - c\n",
        "a: |\n  two\n  lines\nb: >-\n  one\n  line\n",
        "'it''s': \"x\"\n",
        "? a\n: b\n",
        "[a, b]: c\n",
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "%YAML 1.1\n---\na: on\n",
        "<<: {a: 1}\n",
        "a:\n- 1\n-\n- \n",
        "a: {b: , c}\n",
        "key with spaces: value with: colon\n",
        "a:1\n",
        "{a: 1,b}",
        "1: a\n1.0: b\n",
        "true: a\n1: b\n",
    ],
)
def test_a_text_is_what_the_twin_says(text: str) -> None:
    assert outcome(load_yaml, text) == outcome(load_by_twin, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x {p: 1}\nb: *x\n", {"a": {"p": 1}, "b": {"p": 1}}),
        ("&x a: 1\nb: *x\n", {"a": 1, "b": "a"}),
        ("a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}\n", {"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 3}}),
        ("- {<<: [{a: 1}, {a: 2, b: 2}], c: 3}\n", [{"a": 1, "b": 2, "c": 3}]),
        ("[!!str 1, !!float 1, !!int 1, !!bool true, !!null ~, !!seq [], !!map {}]",
         ["1", 1.0, 1, True, None, [], {}]),
        ("%YAML 1.1\n---\na: on\n", {"a": "on"}),
        ("", None),
        ("# nothing\n", None),
    ],
)  # fmt: skip
def test_anchors_merge_keys_and_plain_tags_are_followed(text: str, value: Any) -> None:
    assert load_yaml(text) == value


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\na: 2\n", 2, "the key 'a' is there twice"),
        ("true: a\n1: b\n", 2, "the key 1 is there twice"),
        ("a:\n  <<: {}\n  <<: {}\n", 3, "the key '<<' is there twice"),
        ("a: 1\n---\nb: 2\n", 2, "a second document"),
        ("? [a]\n: b\n", 1, "a key is neither"),
        ("a: *x\n", 1, "nothing is called &x"),
        ("- 1\n- &x [*x]\n", 2, "a part of itself"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "is not plain data"),
        ("a: !!int x\n", 1, "is not plain data"),
        ("a: 1\nb: [\n", 3, "not valid YAML"),
        ("a: " + "9" * 5000, None, "not valid YAML"),
        ("a: \x07", None, "not valid YAML"),
    ],
)
def test_faults_are_refused_with_their_line(text: str, line: int | None, words: str) -> None:
    with pytest.raises(TextError, match=re.escape(words)) as caught:
        load_yaml(text)
    assert caught.value.line == line
    with pytest.raises(TextError):
        parse_yaml(text)


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(WORDS)
    | st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, True, False]))
@example({"a": ["on", "010", {"b": "1:30"}]}, None)
def test_values_are_read_as_they_were_written(value: Any, flow: bool | None) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert outcome(load_yaml, text) == outcome(load_by_twin, text)
    as_json = json.dumps(value, ensure_ascii=False)
    if as_json.isascii() and as_json.isprintable() and "Infinity" not in as_json:
        assert load_yaml(as_json) == value


@given(VALUES, st.sampled_from([20, 80, 100]))
@example(
    {":a": ["", " ", "a\nb", "a\u2028b\x85", "2024-01-01", "<<", "1_0", "tRue", "=", "é:"]}, 80
)
def test_what_is_written_is_read_again(value: Any, width: int) -> None:
    text = dump_yaml(value, width)
    assert repr(load_yaml(text)) == repr(value)
    assert repr(load_by_twin(text)) == repr(value)
    if isinstance(value, dict):
        assert list(load_yaml(text)) == list(value)


@given(
    st.text(alphabet="ab01:-_.,[]{}#'\"|> \n~xeoü\u2028\x85", max_size=40).filter(
        # The compiled parser takes what follows for a comment.
        lambda text: not re.search(r"[|>][-+0-9]*#", text)
    )
)
def test_any_text_is_read_as_the_twin_reads_it(text: str) -> None:
    found = outcome(load_yaml, text)
    assert found == outcome(load_by_twin, text)
    try:
        strict = parse_yaml(text)
    except TextError:
        return
    assert repr(strict.data) == found


def test_damaged_files_are_read_as_the_twin_reads_them(repository: Path) -> None:
    content = (repository / "test/scene/data/pyrobosim/twin_house_object_data.yaml").read_bytes()
    read = 0
    for what, copy in damaged(content, seed=27):
        text = copy.decode("utf-8", errors="replace")
        found = outcome(load_yaml, text)
        assert found == outcome(load_by_twin, text), what
        read += found != "an error"
    assert read > 0.2 * COPIES


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, "- " * 50_000, "{a: " * 50_000])
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    with pytest.raises(TextError, match="nested deeper than 100 levels"):
        load_yaml(text)
    with pytest.raises(TextError, match="nested deeper than 30 levels"):
        parse_yaml(text)


def test_lines_of_parts() -> None:
    source = parse_yaml("# first\na: 1\nb:\n  - x\n  -\n    c: 0.5\n    d:\n      [1,\n       2]\n")
    assert source.data == {"a": 1, "b": ["x", {"c": 0.5, "d": [1, 2]}]}
    assert source.lines == {
        (): 2,
        ("a",): 2,
        ("b",): 3,
        ("b", 0): 4,
        ("b", 1): 6,
        ("b", 1, "c"): 6,
        ("b", 1, "d"): 7,
        ("b", 1, "d", 0): 8,
        ("b", 1, "d", 1): 9,
    }
    assert source.line_of(("b", 1, "e", "f")) == 6
    assert parse_yaml('{"a": 1,\n "b": [2,\n 3]}').line_of(("b", 1)) == 3
