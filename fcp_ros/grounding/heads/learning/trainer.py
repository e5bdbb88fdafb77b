# SPDX-License-Identifier: Apache-2.0
"""A training from the name of a model to the file of its heads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fcp_ros.grounding.heads.features.hidden_states import StatePlaces, count_layers
from fcp_ros.grounding.heads.features.pair_features import HeadEncoder, make_encoder
from fcp_ros.grounding.heads.features.state_features import StateEncoder, write_form
from fcp_ros.grounding.heads.head_file import save_heads
from fcp_ros.grounding.heads.learning.feature_maker import (
    FeatureMaker,
    Report,
    SentenceMaker,
    StateMaker,
    locate_features,
)
from fcp_ros.grounding.heads.learning.regression import RegressionOptions
from fcp_ros.grounding.heads.learning.training import HeadComparison, TrainingOptions, train_heads
from fcp_ros.grounding.judged.judged_pairs import JudgedPairs
from fcp_ros.grounding.judged.judgement_set import JudgementSet

LAYER_SHARES = (4 / 7, 5 / 7)
"""Layers whose states are read, as shares of a model's layers: 16 and 20 of 28."""
COMPONENTS = 512
CAUSAL_OPTIONS = TrainingOptions(
    RegressionOptions(supports=4000, ridges=(0.03, 0.1, 0.3)), most_unrelated=4000
)
"""A causal model takes some 70 ms of a processor for each question."""


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """Model, judgements and settings of a training."""

    model: str
    sets: Mapping[str, JudgementSet]
    wordings: Mapping[str, str]  # the question of each set, for causal models
    out: Path
    # pairs that are looked up in the place of the package's
    judged: Mapping[str, JudgedPairs] = field(default_factory=dict)
    # of a causal model, whose states are read; none: chosen by the model's depth
    layers: tuple[int, ...] = ()
    components: int = COMPONENTS  # features of a pair of a causal model
    # of the training; None: the defaults for the kind of model
    options: TrainingOptions | None = None
    features: Path = field(default_factory=locate_features)  # folder of what encoders have computed


def train(request: TrainingRequest, report: Report) -> dict[str, HeadComparison]:
    """Train heads, and write the file; return figures on the held-out part of each set."""
    maker = make_maker(request, make_encoder(request.model), report)
    try:
        kind = TrainingOptions() if maker.places is None else CAUSAL_OPTIONS
        heads, comparisons = train_heads(request.sets, maker, request.options or kind, report)
    finally:
        maker.close()
    save_heads(heads, request.out, request.judged)
    return comparisons


def make_maker(request: TrainingRequest, encoder: HeadEncoder, report: Report) -> FeatureMaker:
    """Make what gives the features of pairs by an encoder."""
    if not isinstance(encoder, StateEncoder):
        return SentenceMaker(encoder, request.features, report)
    tokenizer = encoder.load_tokenizer()
    forms = {
        name: write_form(tokenizer, request.wordings[name], kind)
        for name, kind in request.sets.items()
    }
    layers = request.layers or choose_layers(count_layers(encoder.folder))
    return StateMaker(
        encoder, forms, StatePlaces(layers), request.components, request.features, report
    )


def choose_layers(count: int) -> tuple[int, ...]:
    """Choose the layers whose states are read in a model of so many."""
    return tuple(sorted({max(1, round(share * count)) for share in LAYER_SHARES}))
