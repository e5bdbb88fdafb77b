# SPDX-License-Identifier: Apache-2.0
"""Unknown labels and the packaged model: right ones are near, and without a model it says so."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fcp_ros.binding.similar_labels import NoSimilarity
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity


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
