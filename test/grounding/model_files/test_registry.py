# SPDX-License-Identifier: Apache-2.0
"""The registry of models: the packaged one, and faults in others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.models.model_folder import check_model_folder
from fcp_ros.grounding.models.model_store import (
    ModelState,
    ModelUse,
    PackedForm,
    find_state,
    get_registered_model,
    read_registry,
    verify_model,
)
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder, find_packaged_model


def test_the_packaged_registry():
    registry = read_registry()
    assert {"minilm", "mpnet", "qwen2.5-coder-1.5b"} <= set(registry)
    for model in registry.values():
        assert model.licence == "Apache-2.0"
        assert (model.use is ModelUse.CAUSAL) == (model.form is PackedForm.GGUF)


def test_the_default_model_is_installed_and_whole(monkeypatch, tmp_path):
    monkeypatch.setenv("FCP_MODELS", str(tmp_path))
    assert find_state("minilm") is ModelState.INSTALLED
    assert check_model_folder("minilm") == find_packaged_model().resolve()
    assert verify_model("minilm") == ()
    assert SentenceEncoder(Path("minilm")).model == SentenceEncoder().model


def test_names_that_are_not_known_are_told_with_near_ones():
    with pytest.raises(GroundingError, match="did you mean 'mpnet'"):
        get_registered_model("mpnett")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"weights": "abc"}, "weights"),
        ({"packages": []}, "packages"),
        ({"form": "pickle"}, "form"),
        ({"run": "setup.py"}, "run"),
    ],
)
def test_faults_are_told_with_their_place(packed, register, change, what):
    register({"tiny": {**packed, **change}})
    with pytest.raises(GroundingError, match=rf"models\.tiny\.{what}.*restore"):
        read_registry()


def test_members_outside_of_the_wheel_are_refused(packed, register):
    packed["packages"][0]["member"] = "../../etc/passwd"
    register({"tiny": packed})
    with pytest.raises(GroundingError, match="relative path"):
        read_registry()
