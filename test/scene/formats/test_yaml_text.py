# SPDX-License-Identifier: Apache-2.0
"""The fast way through YAML says what ruamel.yaml says, or leaves the text to it."""

import io
import time
from pathlib import Path
from typing import Any

import pytest
from damaged_files import damaged
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fcp_ros.scene.formats import yaml_text
from fcp_ros.scene.formats.yaml_text import load_yaml


def by_ruamel(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def outcome(load: Any, text: str) -> Any:
    """The value (as text: NaN is not equal to itself), or the kind of error."""
    try:
        return repr(load(text))
    except Exception as error:  # whatever it is, both must do the same
        return type(error).__name__


def is_fast(text: str) -> bool:
    if yaml_text._UNUSUAL.search(text):
        return False
    try:
        yaml_text._load_simple(text)
    except yaml_text._Unusual:
        return False
    return True


WORDS = (
    "on", "off", "yes", "no", "y", "true", "True", "TRUE", "tRue", "false", "null", "~", "Null",
    "0", "-0", "10", "010", "0o17", "0x1F", "0b11", "1_000", "_", "-_", "+1", "1e3", "1.5e-3",
    "1.", ".5", "-.5", ".inf", "-.inf", ".nan", ".NaN", "1:30", "190:20:30", "12e", "0.1.2",
    "2024-01-01", "2024-01-01 10:00:00", "=", "<<", "!", "-", "--", "a:b", "a: b", "a #b", "a#b",
    "", " ", "[", "]", "{a}", "'x'", '"x"', "''", "x,y", "|", ">", "? a", "@a", "`a", "é", "1,5",
    "é", "küche", "日本", "a\u2028b", "a\x85b", "\ufeffa", "\xa0", "😀", "a\x07",
    "---", "...", "- a", ":", ",", "0o8", "0x", "08", "09.5", "nan", "inf", "infinity", "None",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("frame", ["{}", "a: {}", "- {}", "[{}]", "[{}, 1]", "{{a: {}}}", "{}: 1"])
def test_a_word_is_what_ruamel_says(word: str, frame: str) -> None:
    text = frame.format(word)
    assert outcome(load_yaml, text) == outcome(by_ruamel, text)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n",
        "{a: 1, a: 2}",
        "a: 1\n---\nb: 2\n",
        "--- 5\n",
        "--- 5\n...\n",
        "# nothing but a comment\n",
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
        "a: [1,\n 2, ]\n",
        "a: {b: , c}\n",
        "key with spaces: value with: colon\n",
        "a:1\n",
        "{a:1}",
        "{a: 1,b}",
        "1: a\n1.0: b\n",
        "true: a\n1: b\n",
    ],
)
def test_a_text_is_what_ruamel_says(text: str) -> None:
    assert outcome(load_yaml, text) == outcome(by_ruamel, text)


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
def test_values_are_read_as_ruamel_reads_them(value: Any, flow: bool | None) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = flow
    stream = io.StringIO()
    yaml.dump(value, stream)
    text = stream.getvalue()
    assert outcome(load_yaml, text) == outcome(by_ruamel, text)


@given(st.text(alphabet="ab01:-_.,[]{}#'\"|> \n~xeoü\u2028\x85", max_size=40))
def test_any_text_is_read_as_ruamel_reads_it(text: str) -> None:
    assert outcome(load_yaml, text) == outcome(by_ruamel, text)


def test_damaged_files_are_read_as_ruamel_reads_them(data_dir: Path) -> None:
    content = (data_dir / "pyrobosim" / "twin_house_object_data.yaml").read_bytes()
    fast = 0
    for what, copy in damaged(content, 500, seed=27):
        text = copy.decode("utf-8", errors="replace")
        assert outcome(load_yaml, text) == outcome(by_ruamel, text), what
        fast += is_fast(text)
    assert fast > 100


def test_usual_files_take_the_fast_way(data_dir: Path) -> None:
    for file in (data_dir / "pyrobosim").glob("*.yaml"):
        assert is_fast(file.read_text())


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, "- " * 50_000, "{a: " * 50_000])
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(RecursionError):
        load_yaml(text)
    assert time.perf_counter() - start < 2.0
