# SPDX-License-Identifier: Apache-2.0
"""Whatever a decoder does, only its own file is lost, and nothing runs here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fcp_ros.foundation import sandbox
from fcp_ros.foundation.sandbox import DecodedFile, DecodingError, SandboxLimits, decode_in_sandbox

LIMITS = SandboxLimits(memory=1 << 30, seconds=20.0)

DECODER = '''
import os, sys, time
import numpy

PREPARED = []

class Refusal(Exception):
    """As the sandbox wants it."""

REFUSAL = Refusal

def prepare():
    PREPARED.append(os.getpid())

def decode(what, *more):
    if what == "data":
        return {"more": more, "é": [1, None, 0.5]}, {"a": numpy.arange(3), "b": numpy.zeros((0, 2))}
    if what == "refuse":
        raise Refusal("it has no é")
    if what == "fail":
        return {}["missing"], {}
    if what == "crash":
        os.abort()
    if what == "exit":
        os._exit(3)
    if what == "sleep":
        time.sleep(600)
    if what == "spin":
        while True: pass
    if what == "memory":
        numpy.zeros(1 << 30).fill(1.0)
    if what == "object":
        return None, {"a": numpy.array([{}, print], dtype=object)}
    if what == "where":
        return [os.getcwd(), PREPARED == [os.getppid()], os.path.exists("json.py")], {}
    if what == "compressed":
        import zipfile
        save = numpy.savez
        numpy.savez = numpy.savez_compressed
        return None, {"a": numpy.zeros(10)}
'''


@pytest.fixture
def decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "decoders"
    folder.mkdir()
    (folder / "a_decoder.py").write_text(DECODER)
    monkeypatch.syspath_prepend(folder)
    return "a_decoder"


def test_data_and_arrays_come_back(decoder: str) -> None:
    (found,) = decode_in_sandbox(decoder, [("data", "x", "y z")], LIMITS)
    assert isinstance(found, DecodedFile)
    assert found.document == {"more": ["x", "y z"], "é": [1, None, 0.5]}
    assert found.arrays["a"].tolist() == [0, 1, 2]
    assert found.arrays["b"].shape == (0, 2)


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("refuse", "it has no é"),
        ("fail", r"its content is damaged \(KeyError\)"),
        ("crash", "ends without a result"),
        ("exit", "ends without a result"),
        ("memory", "it needs too much memory"),
    ],
)
def test_a_bad_file_costs_only_itself(decoder: str, what: str, reason: str) -> None:
    files = [("data", "1"), (what,), ("data", "2"), (what,), (what,), ("data", "3")]
    found = decode_in_sandbox(decoder, files, LIMITS)
    documents = [one.document["more"] for one in found if isinstance(one, DecodedFile)]
    assert documents == [["1"], ["2"], ["3"]]
    refused = [str(one) for one in found if isinstance(one, DecodingError)]
    assert len(refused) == 3
    assert all(np.char.find(one, reason.replace("\\", "")) >= 0 for one in refused)


def test_time_is_limited(decoder: str) -> None:
    # an interpreter starts in it, which once took more than 5 s beside other tests
    limits = SandboxLimits(LIMITS.memory, 15.0)
    done, slow, after = decode_in_sandbox(decoder, [("data",), ("sleep",), ("data",)], limits)
    assert isinstance(done, DecodedFile)
    assert str(slow) == str(after) == "it takes too long"


def test_time_of_the_cpu_is_limited_as_well(decoder: str, tmp_path: Path) -> None:
    """So that a decoder ends by itself if the process that waits for it is killed."""
    results = [tmp_path / "1.npz", tmp_path / "2.npz"]
    task = {"path": sys.path[1:], "memory": 1 << 30, "seconds": 0.5}
    task["decoder"] = str(tmp_path / "decoders" / "a_decoder.py")
    task["jobs"] = [[["spin"], str(results[0])], [["data"], str(results[1])]]
    subprocess.run(sandbox.COMMAND, input=json.dumps(task).encode(), timeout=60, check=True)
    assert [result.exists() for result in results] == [False, True]


def test_the_environment_and_the_current_folder_say_nothing(
    decoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "numpy.py", "sitecustomize.py", "usercustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('run')")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.syspath_prepend("")
    (found,) = decode_in_sandbox(decoder, [("where",)], LIMITS, tmp_path)
    assert isinstance(found, DecodedFile)
    assert found.document == [os.path.realpath(tmp_path), True, True]


@pytest.mark.parametrize("what", ["object", "compressed"])
def test_no_pickle_and_no_bomb_is_read_back(decoder: str, what: str) -> None:
    (found,) = decode_in_sandbox(decoder, [(what,)], LIMITS)
    assert isinstance(found, DecodingError)


def test_no_files_and_a_decoder_that_cannot_be_loaded(decoder: str, tmp_path: Path) -> None:
    assert decode_in_sandbox(decoder, [], LIMITS) == []
    (tmp_path / "decoders" / "a_decoder.py").write_text("import nothing_of_this_name")
    (found,) = decode_in_sandbox(decoder, [("x",)], LIMITS)
    assert "ends without a result" in str(found)
