# SPDX-License-Identifier: Apache-2.0
"""What tests of several formats share."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest

from fcp_ros.foundation import sandbox, sandbox_child
from fcp_ros.foundation.sandbox import DecodedFile, DecodingError, SandboxLimits
from fcp_ros.scene.formats.usd import stage


@pytest.fixture
def decoded_here(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Decode stages in this process, which spares a start of Python and USD for each (0.6 s).

    What a decoder answers is written and read as in the sandbox; only the process and its limits
    are missing. test_usd.py reads whole files, damaged ones and forbidden ones in the sandbox.
    """

    def decode(
        decoder: str, files: Sequence[Sequence[str]], limits: SandboxLimits, folder: Path
    ) -> list[DecodedFile | DecodingError]:
        results = tmp_path_factory.mktemp("decoded")
        found = []
        for number, arguments in enumerate(files):
            result = results / f"{number}.npz"
            with monkeypatch.context() as there:
                there.chdir(folder)
                sandbox_child._decode(import_module(decoder), list(arguments), str(result))
            found.append(sandbox._read_result(result, in_time=True))
        return found

    monkeypatch.setattr(stage, "decode_in_sandbox", decode)
