# SPDX-License-Identifier: Apache-2.0
"""Models of the hub: what is downloaded, what is refused, and what a name means without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hub_server import serve_hub
from packaged_models import FILES

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.downloads import fetch_model, find_model_folder
from fcp_ros.grounding.models.model_folder import check_model_folder
from fcp_ros.grounding.models.model_store import (
    MANIFEST,
    ModelState,
    find_state,
    list_hub_models,
    remove_model,
    verify_model,
)

NAME = "maker/tiny"
UNWANTED = {
    "pytorch_model.bin": b"pickle",
    "modeling_tiny.py": b"raise SystemExit",
    "consolidated.safetensors": b"the same again",
    ".gitattributes": b"",
}


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    """An empty folder for models, and nothing in the working directory."""
    monkeypatch.setenv("FCP_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hub(monkeypatch):
    """A hub with one model, and files beside it that are not wanted."""
    with serve_hub({**FILES, "1_Pooling/config.json": b"{}", **UNWANTED}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_a_model_of_the_hub_is_fetched_checked_and_removed(hub):
    folder = fetch_model(NAME)
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {*FILES, "1_Pooling/config.json", MANIFEST}
    assert set(hub.downloaded) == {*FILES, "1_Pooling/config.json"}
    assert find_model_folder(NAME) == folder
    assert check_model_folder(Path(NAME)) == folder.resolve()
    assert list_hub_models() == (NAME,)
    assert verify_model(NAME) == ()
    (folder / "config.json").write_text("[]")
    assert verify_model(NAME) == ("config.json",)
    fetch_model(NAME)
    assert verify_model(NAME) == ()
    assert remove_model(NAME) > 0
    assert find_state(NAME) is ModelState.ABSENT


def test_what_was_exchanged_is_named_and_only_that_is_downloaded_again(hub):
    right = hub.announced["model.safetensors"]
    hub.announced["model.safetensors"] = "0" * 64
    with pytest.raises(GroundingError, match=r"model\.safetensors of maker/tiny is not") as caught:
        fetch_model(NAME)
    assert caught.value.code is GroundingCode.UNSAFE_WEIGHTS
    assert find_state(NAME) is ModelState.PARTIAL
    hub.announced["model.safetensors"] = right
    hub.downloaded.clear()
    fetch_model(NAME)
    assert "model.safetensors" in hub.downloaded
    assert "config.json" not in hub.downloaded


def test_pickles_alone_are_refused_before_anything_is_downloaded(hub):
    for name in [name for name in hub.files if name.endswith(".safetensors")]:
        del hub.files[name]
    with pytest.raises(GroundingError, match=r"no weights in safetensors.*save_pretrained"):
        fetch_model(NAME)
    assert hub.downloaded == []


def test_without_the_hub_the_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(GroundingError, match=r"can't be fetched.*check the name and the network"):
        fetch_model(NAME)
    with pytest.raises(GroundingError, match=f"`fcp models fetch {NAME}` asks the hub") as caught:
        check_model_folder(Path(NAME))
    assert caught.value.code is GroundingCode.MODEL_NOT_FOUND


def test_a_folder_goes_before_a_name_of_the_hub(hub, tmp_path):
    fetch_model(NAME)
    own = tmp_path / NAME
    own.mkdir(parents=True)
    assert find_model_folder(NAME).resolve() == own
