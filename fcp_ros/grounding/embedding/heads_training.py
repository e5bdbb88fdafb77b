# SPDX-License-Identifier: Apache-2.0
"""Training of all heads, and what they are worth on the judgements held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import numpy as np
from scipy.stats import rankdata

from fcp_ros.grounding.embedding.degree_map import DegreeMap, monotone_map
from fcp_ros.grounding.embedding.head import Head
from fcp_ros.grounding.embedding.head_file import Heads
from fcp_ros.grounding.embedding.head_training import TrainingOptions, train_head
from fcp_ros.grounding.embedding.judgement_set import Judgement, JudgementSet, content_hash
from fcp_ros.grounding.embedding.judgement_split import split
from fcp_ros.grounding.embedding.pair_features import Pairs, word_vectors
from fcp_ros.grounding.embedding.phrasing import Encode
from fcp_ros.grounding.embedding.sentence_encoder import SentenceEncoder

HIGH, LOW = 0.7, 0.15
"""Degrees from here up and down are told apart by the area under the curve."""
WORDS_AT_A_TIME = 400


@dataclass(frozen=True, slots=True)
class Figures:
    """How well degrees agree with judgements.

    Args:
        count: of judgements compared.
        mean_error: mean absolute difference, in degrees.
        rank: Spearman's rank correlation; 0 where all are equal.
        area: under the ROC curve of judgements >= HIGH against those <= LOW; 0.5 is chance, also
            given where there are none.
    """

    count: int
    mean_error: float
    rank: float
    area: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A head and the baseline on the same held-out judgements.

    Args:
        head: by the trained head, without looking judged pairs up.
        cosine: by the cosine of the bare words with the best monotone map of the training part.
    """

    head: Figures
    cosine: Figures


def figures(judged: list[float], given: list[float]) -> Figures:
    """Compare degrees with judgements, in the same order; at least one."""
    ours, theirs = np.array(judged), np.array(given)
    ranks, others = rankdata(ours), rankdata(theirs)
    varied = ranks.std() > 0 and others.std() > 0
    return Figures(
        len(given),
        float(np.abs(ours - theirs).mean()),
        float(np.corrcoef(ranks, others)[0, 1]) if varied else 0.0,
        area_under_curve(ours[theirs >= HIGH - 1e-9], ours[theirs <= LOW + 1e-9]),
    )


def area_under_curve(high: np.ndarray, low: np.ndarray) -> float:
    """Chance that one of `high` is above one of `low`; ties count half."""
    if not len(high) or not len(low):
        return 0.5
    ranks = rankdata(np.concatenate([high, low]))[: len(high)]
    return float((ranks.sum() - len(high) * (len(high) + 1) / 2) / (len(high) * len(low)))


def compare(head: Head, kind: JudgementSet, encode: Encode) -> Comparison:
    """A head beside raw cosine on the held-out part of its set."""
    parts = split(kind.judgements)
    pairs = [judgement.pair for judgement in parts.held_out]
    given = [judgement.degree for judgement in parts.held_out]
    cosine_map = fit_cosine_map(parts.training, encode)
    baseline = [cosine_map.degree(value) for value in cosines(pairs, encode)]
    return Comparison(figures(head.degrees(pairs, encode), given), figures(baseline, given))


def fit_cosine_map(judgements: tuple[Judgement, ...], encode: Encode) -> DegreeMap:
    """The monotone map of raw cosine with the least squared error on these judgements."""
    raw = cosines([judgement.pair for judgement in judgements], encode)
    order = np.argsort(raw, kind="stable")
    parts = np.array_split(order, max(2, min(50, len(order) // 10)))
    degree = np.array([judgement.degree for judgement in judgements])
    value = np.array(raw)
    knots = [(float(value[p].mean()), float(degree[p].mean()), float(len(p))) for p in parts]
    return monotone_map(knots)


def cosines(pairs: Pairs, encode: Encode) -> list[float]:
    """Cosine of the bare words of each pair: the baseline."""
    left, right = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.einsum("nd,nd->n", left, right)]


def train_heads(
    sets: Mapping[str, JudgementSet],
    encoder: SentenceEncoder,
    options: TrainingOptions | None = None,
    report: Callable[[str, int, int], None] | None = None,
) -> tuple[Heads, dict[str, Comparison]]:
    """Train a head for each set on its training part, and measure it on the held-out part.

    Args:
        sets: by name.
        encoder: the embedding model.
        options: None: the defaults.
        report: called with what is done, how many steps are done, and how many there are.

    Raises:
        GroundingError: too few judgements in a set, or the encoder fails.
    """
    say = report or (lambda *_: None)
    batches = [_phrased_words(kind) for kind in sets.values()]
    steps = sum(len(batch) for batch in batches) + len(sets)
    done = 0
    heads: dict[str, Head] = {}
    comparisons: dict[str, Comparison] = {}
    for kind, batch in zip(sets.values(), batches, strict=True):
        for words in batch:
            say(f"{kind.name}: phrases", done, steps)
            word_vectors(words, encoder.encode)  # kept by the encoder
            done += 1
        say(f"{kind.name}: training", done, steps)
        head = train_head(kind, split(kind.judgements).training, encoder.encode, options)
        heads[kind.name] = head
        comparisons[kind.name] = compare(head, kind, encoder.encode)
        done += 1
    say("done", steps, steps)
    measured = {name: asdict(comparison.head) for name, comparison in comparisons.items()}
    return Heads(heads, encoder.model, content_hash(sets), measured), comparisons


def _phrased_words(kind: JudgementSet) -> list[list[str]]:
    words = sorted({word for judgement in kind.judgements for word in judgement.pair})
    return [words[i : i + WORDS_AT_A_TIME] for i in range(0, len(words), WORDS_AT_A_TIME)]
