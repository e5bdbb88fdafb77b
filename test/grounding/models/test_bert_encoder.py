# SPDX-License-Identifier: Apache-2.0
"""The encoder in numpy: the same vectors as sentence-transformers, without torch."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from fcp_ros.grounding.models.bert_encoder import (
    ERF_COEFFICIENTS,
    ERF_END,
    BertEncoder,
    can_encode,
    compute_erf,
)
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model

PHRASES = (
    "a mug",
    "drinking glass",
    "Größe 3: a wooden table with four legs, in the kitchen beside the window",
    "",
    "\u6676\u4f53",
    "word " * 400,
)


@pytest.fixture(scope="module")
def encoder() -> BertEncoder:
    return BertEncoder(find_packaged_model())


def test_vectors_are_those_of_sentence_transformers(encoder: BertEncoder) -> None:
    library = pytest.importorskip("sentence_transformers")
    model = library.SentenceTransformer(str(find_packaged_model()), device="cpu")
    wanted = model.encode(list(PHRASES), normalize_embeddings=True)
    assert encoder.encode(PHRASES) == pytest.approx(wanted, abs=1e-6)


def test_a_batch_gives_what_single_phrases_give(encoder: BertEncoder) -> None:
    many = [f"{phrase} {number}" for number in range(40) for phrase in PHRASES[:4]]
    together = encoder.encode(many)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for number in (0, 77, 159):
        assert together[number] == pytest.approx(encoder.encode([many[number]])[0], abs=1e-6)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"model_type": "mpnet"}),
        ("config.json", {"hidden_act": "relu"}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("modules.json", None),
        ("tokenizer.json", None),
    ],
)
def test_other_models_are_left_to_the_library(tmp_path: Path, file: str, change: Any) -> None:
    folder = tmp_path / "model"
    shutil.copytree(find_packaged_model(), folder)
    assert can_encode(folder)
    if change is None:
        (folder / file).unlink()
    else:
        content = json.loads((folder / file).read_text()) | change
        (folder / file).write_text(json.dumps(content))
    assert not can_encode(folder)


def test_the_error_function_is_the_one_of_the_standard_library() -> None:
    values = np.concatenate([np.linspace(-6.0, 6.0, 24_001), [-1e30, 1e30, 0.0]])
    wanted = [math.erf(value) for value in values]
    assert compute_erf(values.astype(np.float32)) == pytest.approx(wanted, abs=3e-7)
    small = np.float32([1e-3, 1e-6, 1e-30])
    assert compute_erf(small) == pytest.approx([math.erf(value) for value in small], rel=1e-6)
    assert np.isnan(compute_erf(np.float32([np.nan])))


def test_the_coefficients_of_the_error_function_interpolate_it() -> None:
    degree = len(ERF_COEFFICIENTS) - 1
    nodes = chebyshev.chebpts1(degree + 1)
    x = np.sqrt((nodes + 1.0) / 2.0) * float(ERF_END)
    found = chebyshev.chebfit(nodes, [math.erf(value) / value for value in x], degree)
    assert chebyshev.cheb2poly(found)[::-1] == pytest.approx(ERF_COEFFICIENTS, abs=4e-8)


def test_the_default_oracle_needs_no_slow_library_on_a_cpu() -> None:
    program = (
        "import sys\n"
        "from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder\n"
        "from fcp_ros.grounding.protocol.options import Device\n"
        "SentenceEncoder(device=Device.CPU).encode(['a mug'])\n"
        "slow = {'torch', 'transformers', 'sentence_transformers', 'scipy'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
