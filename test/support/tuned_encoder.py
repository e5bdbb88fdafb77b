# SPDX-License-Identifier: Apache-2.0
"""A tuned encoder for MiniLM that was never trained, for tests on machines without mpnet."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from fcp_ros.grounding.heads.head import DegreeMap
from fcp_ros.grounding.models.bert_encoder import LayerWeights
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.tuning.adapter import reduce_change
from fcp_ros.grounding.tuning.blending import Blend
from fcp_ros.grounding.tuning.tuned_file import Tuned, save_tuned
from fcp_ros.grounding.tuning.tuning import HIDDEN

FORMS = {
    "function": "used for {}",
    "safety": "within reach of {}",
    "stability": "standing on {}",
    "substitution": "instead of {}",
}


def save_tuned_minilm(file: Path, helped: tuple[str, ...] = tuple(FORMS)) -> Path:
    """Save MiniLM as it is with a head of random weights; its degrees are those of chance."""
    encoder = SentenceEncoder(None)
    weights = encoder.map_model().weights
    after = {
        f"layers.{number}.{part.name}.{kind}": getattr(getattr(layer, part.name), kind)
        for number, layer in enumerate(weights.layers)
        for part in fields(LayerWeights)
        for kind in ("weight", "bias")
    }
    random = np.random.default_rng(0)
    inputs, sets = 4 * weights.words.shape[1], len(FORMS)
    shapes = {"head.0": (inputs,), "head.1": (HIDDEN, inputs), "head.4": (sets, HIDDEN)}
    for part, shape in shapes.items():
        scale = 1.0 if len(shape) == 1 else shape[1] ** -0.5
        after[f"{part}.weight"] = scale * random.normal(size=shape).astype(np.float32)
        after[f"{part}.bias"] = np.zeros(shape[0], np.float32)
    straight = DegreeMap((0.0, 1.0), (0.0, 1.0))
    blend = Blend(
        (0.0, 1.0, 0.3), straight, (0.2, 0.0, 0.0, 0.0, 0.0), DegreeMap((0, 1), (0.04, 0.05))
    )
    blends = {encoder.weights: dict.fromkeys(helped, blend)}
    arrays = reduce_change(weights, after, rank=2)
    save_tuned(Tuned("minilm", encoder.weights, "of nobody", FORMS, arrays, blends), file)
    return file
