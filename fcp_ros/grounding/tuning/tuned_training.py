# SPDX-License-Identifier: Apache-2.0
"""From judgements and an encoder to the file of a tuned one.

judgements, without the held-out part and a fold -> tuning -> low rank -> logits of the fold
        -> blends with the heads, by the heads' own cross-validated scores -> figures
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import Arrays
from fcp_ros.grounding.heads.head import Head
from fcp_ros.grounding.heads.head_file import Heads, choose_model, find_packaged_heads, load_heads
from fcp_ros.grounding.heads.head_training import (
    UNRELATED_FIT_NOT,
    UNRELATED_IN_MAP,
    TrainingOptions,
    draw_unrelated,
)
from fcp_ros.grounding.heads.pair_features import make_encoder
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.judgement_set import (
    Agreement,
    JudgementSet,
    find_head_word,
    hash_judgements,
    measure_agreement,
    split,
)
from fcp_ros.grounding.models.bert_encoder import map_model, read_config
from fcp_ros.grounding.models.model_folder import compute_fingerprint, compute_weights_fingerprint
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.tuning.adapter import TunedEncoder, reduce_change, write_form
from fcp_ros.grounding.tuning.batches import collect_pairs, is_in_fold
from fcp_ros.grounding.tuning.blending import Blend, fit_blend, measure_gain
from fcp_ros.grounding.tuning.tuned_file import Tuned, save_tuned
from fcp_ros.grounding.tuning.tuning import PRESETS, Report, Tuner, TuningOptions

RANKS = {"bert": 64, "mpnet": 32}
"""Of what was changed of each matrix, by the model type: the files have 15 MB together."""
FOLD, FOLDS = 0, 8
"""The part of the training kinds that the tuning doesn't see: its scores are fitted on it."""


@dataclass(frozen=True, slots=True)
class TuningRequest:
    """Encoder, judgements and settings of a tuning."""

    folder: Path  # of the encoder
    sets: Mapping[str, JudgementSet]
    heads: Sequence[Heads]  # those that are helped, with the scores of their cross-validation
    out: Path
    work: Path  # folder of the state of a training that isn't finished
    # judgements of which some stand in each batch: states, parts and negations
    extra: Mapping[str, JudgementSet] | None = None
    options: TuningOptions | None = None  # None: the preset of the encoder's kind


def find_heads(files: Sequence[Path], encoder: SentenceEncoder) -> list[Heads]:
    """Read the heads that a tuned encoder will help, without their models.

    `files`: of heads; none: the packaged ones of the encoder itself. MODEL_NOT_FOUND if there are
    none.
    """
    if files:
        encoders = [make_encoder(choose_model("", file)) for file in files]
        return [load_heads(f, own) for f, own in zip(files, encoders, strict=True)]
    file = find_packaged_heads(encoder.weights)
    if file is None:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            f"there are no heads that {encoder.model} could help; train some with `fcp grounding "
            "train` and give the file with --heads",
        )
    return [load_heads(file, encoder)]


def tune(request: TuningRequest, report: Report) -> dict[tuple[str, str], Agreement]:
    """Tune an encoder and write the file; return held-out figures, by heads and set."""
    for heads in request.heads:
        if heads.judgements != hash_judgements(request.sets):
            raise GroundingError(
                GroundingCode.INVALID_OPTION,
                f"the heads of {heads.encoder} were trained on other judgements; train them on "
                "these first, with `fcp grounding train`, and give them with --heads",
            )
    pairs = collect_pairs(request.sets, FOLD, FOLDS, request.extra)
    forms = {name: write_form(name, request.sets[name].columns) for name in pairs.names}
    model_type = str(read_config(request.folder)["model_type"])
    options = request.options or PRESETS[model_type]
    tuner = Tuner(request.folder, pairs, tuple(forms.values()), options)
    state = request.work / f"tuning-{tuner.identity}.safetensors"
    tuner.run(state, report)
    report("reducing", 0, 1)
    arrays = reduce_tuned(request.folder, tuner, RANKS[model_type])
    encoder = TunedEncoder(map_model(request.folder), arrays, forms)
    folds = {}
    for number, (name, kind) in enumerate(request.sets.items()):
        report("scoring", number, len(request.sets))
        folds[name] = score_fold(kind, encoder)
    blends = {heads.weights: fit_blends(folds, heads.by_name) for heads in request.heads}
    weights = compute_weights_fingerprint(request.folder)
    name = compute_fingerprint(request.folder).partition("@")[0]
    judged_by = hash_judgements(request.sets)
    save_tuned(Tuned(name, weights, judged_by, forms, arrays, blends), request.out)
    return _measure(request, encoder, blends, report)


def _measure(
    request: TuningRequest,
    encoder: TunedEncoder,
    blends: Mapping[str, Mapping[str, Blend]],
    report: Report,
) -> dict[tuple[str, str], Agreement]:
    figures = {}
    for number, (name, kind) in enumerate(request.sets.items()):
        report("measuring", number, len(request.sets))
        logits = encoder.score(name, [j.pair for j in split(kind.judgements).held_out])
        for heads in request.heads:
            blend = blends[heads.weights].get(name)
            found = measure_held_out(kind, heads.by_name[name], logits, blend)
            figures[heads.encoder, name] = found
    return figures


def reduce_tuned(folder: Path, tuner: Tuner, rank: int) -> Arrays:
    """Reduce what a training changed of the encoder of a folder."""
    after = {name: p.detach().numpy() for name, p in tuner.model.named_parameters()}
    return reduce_change(map_model(folder).weights, after, rank)


@dataclass(frozen=True, slots=True)
class FoldScores:
    """Logits of a set's pairs that the tuning didn't see, for the blends with all heads."""

    name: str  # of the set
    chosen: NDArray[np.bool_]  # of a head's evidence: the training pairs, then the unrelated ones
    logits: NDArray[np.float64]  # of the chosen ones
    given: NDArray[np.float64]
    worth: NDArray[np.float64]
    kinds: NDArray[np.int64]  # numbers of the items' head words


def score_fold(kind: JudgementSet, encoder: TunedEncoder) -> FoldScores:
    """Score the fold of a set that the tuning didn't see."""
    judgements = split(kind.judgements).training
    judged = [j.pair for j in judgements]
    extra: list[tuple[str, str]] = []
    if kind.name in UNRELATED_FIT_NOT:
        extra = draw_unrelated(kind, judged, TrainingOptions())
    pairs = [*judged, *extra]
    chosen = np.array([is_in_fold(item, FOLD, FOLDS) for item, _ in pairs])
    given = np.array([*(j.degree for j in judgements), *(0.0 for _ in extra)])
    worth = np.array([*(1.0 for _ in judged), *(UNRELATED_IN_MAP for _ in extra)])
    logits = encoder.score(kind.name, [p for p, own in zip(pairs, chosen, strict=True) if own])
    words = [find_head_word(item) for item, _ in pairs]
    kinds = np.unique(words, return_inverse=True)[1].astype(np.int64)
    return FoldScores(kind.name, chosen, logits, given[chosen], worth[chosen], kinds[chosen])


def fit_blends(folds: Mapping[str, FoldScores], heads: Mapping[str, Head]) -> dict[str, Blend]:
    """Fit the blend of each set, on the fold that the tuning didn't see, that helps its head.

    A set whose degrees don't get better by more than the standard error is left to its head.
    """
    found = {name: _fit_blend(folds[name], head) for name, head in heads.items()}
    return {name: blend for name, blend in found.items() if blend is not None}


def _fit_blend(fold: FoldScores, head: Head) -> Blend | None:
    evidence = np.concatenate([head.evidence.training, head.evidence.unrelated])
    if len(evidence) != len(fold.chosen):
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the head of {fold.name} holds the scores of {len(evidence)} pairs, not of "
            f"{len(fold.chosen)}; train it on these judgements with `fcp grounding train`",
        )
    own = evidence[fold.chosen].astype(np.float64)
    plain = head.degree_map.apply_all(own[:, 0])
    gain, error = measure_gain(fold.logits, plain, fold.given, fold.worth, fold.kinds)
    if gain <= error:
        return None
    return fit_blend(fold.logits, plain, own[:, 1], fold.given, fold.worth)


def measure_held_out(
    kind: JudgementSet, head: Head, logits: NDArray[np.float64], blend: Blend | None
) -> Agreement:
    """Measure a blend (None: the head alone) on a set's held-out part, by the head's kept scores.

    `logits`: of the tuned encoder for the held-out pairs.
    """
    own = head.evidence.held_out.astype(np.float64)
    degrees = head.degree_map.apply_all(own[:, 0])
    if blend is not None:
        degrees = blend.degree_map.apply_all(blend.score(logits, degrees))
    given = [j.degree for j in split(kind.judgements).held_out]
    return measure_agreement(degrees.tolist(), given)
