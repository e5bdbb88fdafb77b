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

from fcp_ros.grounding.models.bert_encoder import (
    BATCH_TOKENS,
    BertEncoder,
    apply_gelu,
    can_encode,
    map_model,
    split_batches,
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
    return BertEncoder(map_model(find_packaged_model()))


@pytest.fixture(scope="module")
def mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny MPNet with random weights; its pooling is MiniLM's."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("mpnet")
    words = ["<s>", "<pad>", "</s>", "<unk>", *"abcdefghijklmnopqrstuvwxyz", "mug", "##s"]
    pieces = tokenizers.models.WordPiece({w: n for n, w in enumerate(words)}, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(pieces)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", model_max_length=60
    ).save_pretrained(folder)
    config = transformers.MPNetConfig(
        vocab_size=len(words), hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=40, max_position_embeddings=70, initializer_range=0.5,
    )  # fmt: skip
    torch.manual_seed(7)
    transformers.MPNetModel(config).save_pretrained(folder)
    for file in ("modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        text = (find_packaged_model() / file).read_text()
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text.replace("256", "60").replace("384", "24"))
    return folder


@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_vectors_are_those_of_sentence_transformers(
    name: str, request: pytest.FixtureRequest
) -> None:
    library = pytest.importorskip("sentence_transformers")
    folder = find_packaged_model() if name == "minilm" else request.getfixturevalue("mpnet")
    phrases = [*PHRASES, "mugs", "a b c a b c", " ".join("the quick brown fox" * 12)]
    model = library.SentenceTransformer(str(folder), device="cpu")
    wanted = model.encode(phrases, normalize_embeddings=True)
    assert can_encode(folder)
    assert BertEncoder(map_model(folder)).encode(phrases) == pytest.approx(wanted, abs=2e-6)


def test_a_batch_gives_what_single_phrases_give(encoder: BertEncoder) -> None:
    many = [f"{phrase} {number}" for number in range(40) for phrase in PHRASES[:4]]
    together = encoder.encode(many)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for number in (0, 77, 159):
        assert together[number] == pytest.approx(encoder.encode([many[number]])[0], abs=1e-6)
    assert encoder.encode([]).shape == (0, 384)


def test_batches_hold_each_phrase_once_and_are_sorted_by_length() -> None:
    lengths = [7, 300, 3, 300, 600, 3, *[9] * 200]
    batches = list(split_batches(lengths))
    numbers = [number for batch in batches for number in batch]
    assert sorted(numbers) == list(range(len(lengths)))
    assert [lengths[number] for number in numbers] == sorted(lengths)
    sizes = [sum(lengths[number] for number in batch) for batch in batches]
    assert sizes[-1] == 600
    assert max(sizes[:-1]) <= BATCH_TOKENS


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"model_type": "roberta"}),
        ("config.json", {"relative_attention_num_buckets": 64}),
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


def test_gelu_is_the_one_of_the_standard_library() -> None:
    values = np.concatenate([np.linspace(-12.0, 12.0, 24_001), [-1e15, 1e15, 0.0, 1e-30, -1e-6]])
    wanted = [x / 2.0 * (1.0 + math.erf(x / math.sqrt(2.0))) for x in values]
    found = values.astype(np.float32)
    apply_gelu(found)
    assert found == pytest.approx(wanted, abs=4e-7, rel=3e-7)
    lost = np.float32([np.nan])
    apply_gelu(lost)
    assert np.isnan(lost).all()


def test_the_default_oracle_needs_no_slow_library_on_a_cpu() -> None:
    program = (
        "import sys\n"
        "from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder\n"
        "from fcp_ros.grounding.options import Device\n"
        "SentenceEncoder(device=Device.CPU).encode(['a mug'])\n"
        "slow = {'torch', 'transformers', 'sentence_transformers', 'scipy'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
