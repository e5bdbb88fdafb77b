# SPDX-License-Identifier: Apache-2.0
"""Whatever a name leads to, reading it ends soon and takes no more memory than allowed.

A link to /dev/zero took 7.5 GB before PDDL was parsed (issue 28).
"""

import os
import socket
from pathlib import Path

import pytest

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.foundation.bounded_file import FileError, read_bytes, read_text
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.judgement_set import read_judgements
from fcp_ros.scene.formats.scene_file import SceneLimits, open_scene_file
from fcp_ros.scene.graph.elements import SceneError


def make_traps(folder):
    """Yield files that nobody can read to their end."""
    zeros = folder / "zeros.pddl"
    zeros.symlink_to("/dev/zero")
    pipe = folder / "pipe.pddl"
    os.mkfifo(pipe)
    sparse = folder / "sparse.pddl"
    with sparse.open("wb") as file:
        file.truncate(5 << 30)
    return [zeros, pipe, sparse, folder]


def test_only_regular_files_are_read_up_to_a_size(tmp_path):
    for trap in make_traps(tmp_path):
        with pytest.raises(FileError):
            read_bytes(trap)
    file = tmp_path / "text"
    file.write_bytes(b"\xef\xbb\xbfgr\xc3\xbcn")
    assert read_text(file, 8) == "grün"
    assert read_bytes(file, 8) == file.read_bytes()
    with pytest.raises(FileError, match="larger than 7 bytes; split or shorten it"):
        read_bytes(file, 7)
    file.write_bytes(b"gr\xfcn")
    with pytest.raises(FileError, match="not UTF-8") as caught:
        read_text(file)
    assert caught.value.offset == 2
    with pytest.raises(FileError, match="No such file"):
        read_bytes(tmp_path / "missing")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(tmp_path / "socket"))
        with pytest.raises(FileError):
            read_bytes(tmp_path / "socket")


def test_a_file_without_a_size_is_read_up_to_the_limit():
    assert read_bytes(Path("/proc/self/status"))
    with pytest.raises(FileError, match="larger than 10 bytes"):
        read_bytes(Path("/proc/self/status"), 10)


def read_judgement_file(file):
    folder = file.with_suffix(".judgements")
    folder.mkdir()
    (folder / "serves_as.csv").symlink_to(file)
    read_judgements([folder])


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda file: read_pddl(file, file), DomainError),
        (load_domain, DomainError),
        (lambda file: open_scene_file(file, SceneLimits()), SceneError),
        (read_judgement_file, GroundingError),
    ],
)
def test_every_reader_of_files_refuses_them(tmp_path, read, error):
    *traps, _ = make_traps(tmp_path)
    for trap in traps:
        with pytest.raises(error):
            read(trap)
