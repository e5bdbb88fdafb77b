# SPDX-License-Identifier: Apache-2.0
"""A tiny encoder with random weights and MiniLM's words, and a few judgements."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fcp_ros.grounding.judgement_set import Judgement, JudgementSet
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model

THINGS = ("mug", "glass", "knife", "spoon", "plate", "towel", "lamp", "chair", "rope", "bucket")
PURPOSES = ("drinking", "cutting", "sitting", "drying hands", "giving light", "carrying water")


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes the folder of a model with random weights: make_folder("bert", seed=0)."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    def make(kind: str, seed: int = 0) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        for file in ("tokenizer.json", "special_tokens_map.json"):
            shutil.copy(find_packaged_model() / file, folder)
        sizes = {
            "vocab_size": 30_522,
            "hidden_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 3,
            "intermediate_size": 40,
            "max_position_embeddings": 80,
            "initializer_range": 0.3,
        }
        torch.manual_seed(seed)
        made = {
            "bert": lambda: transformers.BertModel(transformers.BertConfig(**sizes)),
            "mpnet": lambda: transformers.MPNetModel(transformers.MPNetConfig(**sizes)),
        }
        made[kind]().save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def sets() -> dict[str, JudgementSet]:
    """All things for all purposes, and in place of each other, by a rule that can be learnt."""

    def judge(one: str, other: str) -> float:
        return round((len(one) * 7 + len(other) * 3) % 11 / 10, 2)

    return {
        name: JudgementSet(
            name,
            ("item", side),
            tuple(Judgement(a, b, judge(a, b)) for a in THINGS for b in others if a != b),
        )
        for name, side, others in (
            ("function", "purpose", PURPOSES),
            ("substitution", "wanted", THINGS),
        )
    }
