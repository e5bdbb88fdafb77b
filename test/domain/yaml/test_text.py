# SPDX-License-Identifier: Apache-2.0
"""YAML as plain data with lines: what is read, and what is refused."""

import pytest

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.yaml.domain_files import MAX_BYTES, parse_lines, read_text


def test_plain_data_with_the_line_of_every_path():
    source = parse_lines("a: 1\nb:\n  - x\n  - {c: 0.5}\non: off\nd: {0: 1e3}\n", "f.yaml")
    assert source.data == {"a": 1, "b": ["x", {"c": 0.5}], "on": "off", "d": {0: 1000.0}}
    assert source.lines[("b",)] == 2
    assert source.lines[("b", 1, "c")] == 4
    assert source.lines[("d", 0)] == 6


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: !!python/object/apply:os.system [ls]", 2, "not plain data"),
        ("a: &x [1]\nb: *x", 1, "aliases"),
        ("? [a]\n: b", 1, "a key is neither"),
        ("", 0, "empty"),
        ("[" * 3000, 1, "nested deeper"),
    ],
)
def test_refuses_with_the_line(text, line, words):
    with pytest.raises(DomainError) as caught:
        parse_lines(text, "f.yaml")
    problem = caught.value.diagnostics[0]
    assert problem.line == line
    assert words in problem.message
    assert str(problem).startswith(f"f.yaml:{line}: " if line else "f.yaml: ")
    assert "Fix: " in str(problem)


def test_refuses_files_that_cannot_be_text(tmp_path):
    missing = tmp_path / "none.yaml"
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: 1\nb: \xff\xfe")
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * (MAX_BYTES + 1))
    for path, words in (
        (missing, "can't be read"),
        (tmp_path, "can't be read"),
        (binary, "UTF-8"),
        (huge, "larger"),
    ):
        with pytest.raises(DomainError, match=words):
            read_text(path)
