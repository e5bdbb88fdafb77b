# SPDX-License-Identifier: Apache-2.0
"""The generators of a build share what they have parsed: the same interfaces, parsed once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rosidl_parser", reason="the interfaces' generators are not installed")

INTERFACE = """module robot { module msg {
  struct Cup { @verbatim (language="comment", text="how full, in [0, 1]") double level; };
}; };
"""

PROGRAM = """
import sys
from pathlib import Path
from rosidl_parser import parser
from rosidl_parser.definition import IdlLocator
parsed = []
parse = parser.Lark.parse
parser.Lark.parse = lambda self, text: parsed.append(text) or parse(self, text)
folder, file = Path(sys.argv[1]).parts[0], Path(sys.argv[1]).relative_to("/")
message, = parser.parse_idl_file(IdlLocator(folder, file)).content.elements
level, = message.structure.members
print(len(parsed), message.structure.namespaced_type.name, level.name, level.type.typename)
print(level.annotations[0].value)
"""


@pytest.fixture
def parse(repository: Path, tmp_path: Path):
    """Reads the interface in a process of its own, as each generator does."""
    file = tmp_path / "Cup.idl"
    file.write_text(INTERFACE)

    def run(**variables: str) -> list[str]:
        start = f"{repository / 'setup' / 'build_start'}:{os.environ.get('PYTHONPATH', '')}"
        command = [sys.executable, "-c", PROGRAM, str(file)]
        variables = {**os.environ, "PYTHONPATH": start, **variables}
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split(maxsplit=1)

    return run


def test_each_text_is_parsed_once(parse, tmp_path: Path) -> None:
    trees = tmp_path / "trees"
    shared = [parse(FCP_IDL_TREES=str(trees)) for _ in range(2)]
    assert [count for count, _ in shared] == ["1", "0"]
    assert {meaning for _, meaning in shared} == {parse()[1]}
    for file in trees.iterdir():
        file.write_bytes(file.read_bytes()[:-9])  # the disk was full
    assert parse(FCP_IDL_TREES=str(trees)) == shared[0]
