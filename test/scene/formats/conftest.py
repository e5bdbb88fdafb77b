# SPDX-License-Identifier: Apache-2.0
"""What tests of several formats share."""

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scene_documents import written

from fcp_ros.foundation import sandbox, sandbox_child
from fcp_ros.foundation.sandbox import DecodedFile, DecodingError, SandboxLimits
from fcp_ros.scene import SceneGraph, SceneLimits, load_scene
from fcp_ros.scene.formats.usd import stage


@pytest.fixture(scope="module")
def twin(data_dir: Path, request: pytest.FixtureRequest) -> Any:
    """The document of the twin house in the module's format: its file `TWIN`."""
    return json.loads((data_dir / request.module.TWIN).read_text(encoding="utf-8"))


@pytest.fixture
def load(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """Loads a document from a file that is called as the module says: `FILE`."""

    def load_(document: Any, limits: SceneLimits | None = None) -> SceneGraph:
        return load_scene(written(document, tmp_path / request.module.FILE), limits=limits)

    return load_


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
