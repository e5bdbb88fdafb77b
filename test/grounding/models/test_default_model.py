# SPDX-License-Identifier: Apache-2.0
"""The model that judges where none is chosen: mpnet where it was fetched, else minilm."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fcp_ros.binding.similar_labels import NoSimilarity
from fcp_ros.grounding import Device, GroundingOptions, make_grounder
from fcp_ros.grounding.grounder import make_oracle, suggest_model
from fcp_ros.grounding.heads.head_file import PACKAGED_FOLDER, choose_model
from fcp_ros.grounding.heads.pair_features import make_encoder
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.grounding.models.model_store import FOLDER_VARIABLE, MANIFEST
from fcp_ros.grounding.models.sentence_encoder import find_default_model, find_packaged_model

CLEAR = (
    ("mug", "drinking", True),
    ("bath towel", "drying hands", True),
    ("office chair", "sitting", True),
    ("brick", "drinking", False),
    ("pillow", "cutting bread", False),
    ("spoon", "sitting", False),
)
"""Item, purpose, and if it serves."""


@pytest.fixture
def better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that passes for a fetched mpnet."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    folder = tmp_path / "mpnet"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json", "modules.json"):
        (folder / name).write_bytes((find_packaged_model() / name).read_bytes())
    (folder / "model.safetensors").write_bytes(b"other weights")
    (folder / MANIFEST).write_text("{}")
    return folder


def test_without_mpnet_it_is_minilm_and_the_better_one_is_named() -> None:
    assert find_default_model() == "minilm"
    assert make_encoder("").model == make_encoder("minilm").model
    assert "`fcp models fetch mpnet`" in suggest_model(GroundingOptions())
    for chosen in ({"model": "minilm"}, {"oracle": "table"}, {"heads": "/my/heads"}):
        assert suggest_model(GroundingOptions(**chosen)) == ""


def test_a_fetched_mpnet_is_the_default_for_degrees_alone(better: Path) -> None:
    assert find_default_model() == "mpnet"
    assert suggest_model(GroundingOptions()) == ""
    assert make_encoder("").folder == better
    assert make_oracle("embedding", GroundingOptions()).model.startswith("mpnet@")
    assert make_encoder("minilm").folder == find_packaged_model().resolve()
    assert EmbeddingLabelSimilarity().similarities(["sofa"], ["couch"])[0, 0] > 0.7


def test_a_half_fetched_mpnet_is_not(better: Path) -> None:
    (better / MANIFEST).unlink()
    assert find_default_model() == "minilm"


def test_heads_of_minilm_stay_with_it(better: Path) -> None:
    own = PACKAGED_FOLDER / "minilm.safetensors"
    assert choose_model("", None) == "mpnet"
    assert choose_model("", own) == "minilm"
    assert choose_model("mpnet", own) == "mpnet"
    assert choose_model("", Path("/there/are/no/heads")) == "mpnet"
    oracle = make_oracle("embedding", GroundingOptions(heads=own))
    assert oracle.model.startswith("all-MiniLM-L6-v2@")


def test_the_real_mpnet_judges_clear_pairs(
    household: Any, ask: Any, fetched_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (fetched_models / "mpnet" / MANIFEST).is_file():
        pytest.skip("mpnet is not there: fcp models fetch mpnet")
    monkeypatch.setenv(FOLDER_VARIABLE, str(fetched_models))
    grounder = make_grounder(household, GroundingOptions(device=Device.CPU))
    # "yellow": so that no pair is one that was judged and is looked up.
    found = grounder.judge([ask(f"yellow {item}", purpose) for item, purpose, _ in CLEAR])
    grounder.close()
    assert {one.source for one in found} == {"embedding"}
    assert all(one.model.startswith("mpnet@") for one in found)
    assert [one.degree > 0.5 for one in found] == [serves for *_, serves in CLEAR], found


# --- Unknown labels and the packaged model: right ones are near, and without a model it says so


@pytest.fixture(scope="module")
def similarity() -> EmbeddingLabelSimilarity:
    return EmbeddingLabelSimilarity()


def test_cosines(similarity: EmbeddingLabelSimilarity) -> None:
    table = similarity.similarities(["sofa", "sneaker"], ["couch", "shoe", "sofa"])
    assert table.shape == (2, 3)
    assert table[0, 2] == pytest.approx(1.0, abs=1e-5)
    assert np.argmax(table[0, :2]) == 0
    assert np.argmax(table[1]) == 1


def test_nothing_loads_nothing() -> None:
    similarity = EmbeddingLabelSimilarity(Path("/there/is/no/model"))
    assert similarity.similarities([], ["couch"]).shape == (0, 1)
    assert similarity.similarities(["sofa"], []).shape == (1, 0)


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(NoSimilarity, match="/there/is/no/model"):
        EmbeddingLabelSimilarity(Path("/there/is/no/model")).similarities(["sofa"], ["couch"])


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(NoSimilarity, match="pip install tokenizers"):
        EmbeddingLabelSimilarity().similarities(["sofa"], ["couch"])
