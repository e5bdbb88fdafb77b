# SPDX-License-Identifier: Apache-2.0
"""Agreement of the default (embedding) oracle with people's and authors' judgements.

``python benchmark/grounding.py quality`` prints three tables, each beside raw cosine:

- the *held-out part of the judgements* in config/judgements (new items, mostly known purposes);
- the *household pairs* in grounding_pairs.csv, none an example of the rubrics;
- *ingredient substitutions* of ../shared/bench/recipes: evaluation only, never trained on.

Judged pairs that the oracle looks up are left to the head alone, unless a table says otherwise.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.yaml.reader import load_domain
from fcp_ros.grounding import ArgumentContext, Device, JudgementRequest
from fcp_ros.grounding.embedding.oracle import EmbeddingOracle
from fcp_ros.grounding.heads.degree_map import fit_degree_map
from fcp_ros.grounding.heads.head import Head
from fcp_ros.grounding.heads.head_file import PACKAGED_HEADS, load_heads
from fcp_ros.grounding.heads.training import (
    compare_with_cosine,
    compute_cosines,
    fit_cosine_map,
)
from fcp_ros.grounding.judged.agreement import Agreement, compute_area, measure_agreement
from fcp_ros.grounding.judged.judged_pairs import PACKAGED_PAIRS, load_pairs
from fcp_ros.grounding.judged.judgement_set import JudgementSet, read_judgements, split
from fcp_ros.grounding.judged.words import to_plain
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder

HERE = Path(__file__).resolve().parent
HOUSEHOLD = HERE.parent / "config" / "domains" / "household.yaml"
JUDGEMENTS = HERE.parent / "config" / "judgements"
RECIPES = HERE.parents[1] / "shared" / "bench" / "recipes"
RECIPE_PAIRS = "recipe1msubs_train_paircounts_min2.csv"
COUNT = 1000
"""Pairs of each kind in a sample."""
NEIGHBOURS = 20
"""Number of words of the same category as a word: its nearest by raw cosine."""

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Area:
    """Area under the ROC curve with the bounds of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def request(predicate: GradedPredicate, item: str, text: str) -> JudgementRequest:
    """Make a request about any element of a category."""
    first, second = predicate.parameters
    return JudgementRequest(
        predicate.name,
        (ArgumentContext(first.name, "x", item), ArgumentContext(second.name, text)),
    )


def degrees(oracle: EmbeddingOracle, predicate: GradedPredicate, pairs: Pairs) -> list[float]:
    """Judge pairs by the oracle, including looked-up pairs."""
    return [m.degree for m in oracle.judge(predicate, [request(predicate, *p) for p in pairs])]


def area_with_interval(high: Sequence[float], low: Sequence[float], seed: int = 1) -> Area:
    """Area under the curve; both samples are drawn again 1000 times for the interval."""
    a, b = np.asarray(high), np.asarray(low)
    generator = np.random.default_rng(seed)
    drawn = [
        compute_area(generator.choice(a, len(a)), generator.choice(b, len(b))) for _ in range(1000)
    ]
    return Area(compute_area(a, b), *np.percentile(drawn, [2.5, 97.5]).tolist())


# --- the judgements held out ------------------------------------------------------------------


def held_out_quality(
    sets: Mapping[str, JudgementSet], heads: Mapping[str, Head], encoder: SentenceEncoder
) -> dict[str, tuple[Agreement, Agreement]]:
    """Agreement of each set and of "all": by the head, and by raw cosine with its best map."""
    found: dict[str, tuple[Agreement, Agreement]] = {}
    ours: list[float] = []
    raw: list[float] = []
    given: list[float] = []
    for name, kind in sets.items():
        comparison = compare_with_cosine(heads[name], kind, encoder.encode)
        found[name] = (comparison.head, comparison.cosine)
        parts = split(kind.judgements)
        pairs = [judgement.pair for judgement in parts.held_out]
        cosine_map = fit_cosine_map(parts.training, encoder.encode)
        ours += heads[name].judge(pairs, encoder.encode)
        raw += [cosine_map.apply(value) for value in compute_cosines(pairs, encoder.encode)]
        given += [judgement.degree for judgement in parts.held_out]
    found["all"] = (measure_agreement(ours, given), measure_agreement(raw, given))
    return found


def unrelated_quality(
    kind: JudgementSet, head: Head, encoder: SentenceEncoder
) -> tuple[Area, Area, float]:
    """Held-out pairs judged 0.7 or more against random pairs that nobody judged.

    Returns:
        Area by the head and by raw cosine, and the head's mean degree of the random pairs.
    """
    held_out = split(kind.judgements).held_out
    judged = {judgement.pair for judgement in kind.judgements}
    good = [judgement.pair for judgement in held_out if judgement.degree >= 0.7]
    generator = random.Random(5)
    bad: list[tuple[str, str]] = []
    while len(bad) < COUNT:
        pair = (generator.choice(held_out).item, generator.choice(held_out).other)
        if pair not in judged and pair[0] != pair[1]:
            bad.append(pair)
    high, low = head.judge(good, encoder.encode), head.judge(bad, encoder.encode)
    raw = area_with_interval(
        compute_cosines(good, encoder.encode), compute_cosines(bad, encoder.encode)
    )
    return area_with_interval(high, low), raw, float(np.mean(low))


def held_out_lines(oracle_heads: Mapping[str, Head], encoder: SentenceEncoder) -> Iterator[str]:
    """The table of the judgements held out."""
    sets = read_judgements([JUDGEMENTS])
    yield "| set | held out | by | mean error | rank correlation | AUC (>= 0.7 / <= 0.15) |"
    yield "|---|---|---|---|---|---|"
    for name, both in held_out_quality(sets, oracle_heads, encoder).items():
        for by, found in zip(("head", "raw cosine, best map"), both, strict=True):
            yield (
                f"| {name} | {found.count} | {by} | {found.mean_error:.3f} | {found.rank:.2f} "
                f"| {found.area:.3f} |"
            )
    for name in ("function", "substitution"):
        ours, raw, mean = unrelated_quality(sets[name], oracle_heads[name], encoder)
        yield (
            f"{name}, held out >= 0.7 against unrelated pairs: AUC {ours}, raw cosine {raw}; "
            f"mean degree of the unrelated {mean:.2f}"
        )


# --- the household pairs ----------------------------------------------------------------------


def household_lines(oracle: EmbeddingOracle, encoder: SentenceEncoder) -> Iterator[str]:
    """Degrees against the stated ones, for each predicate."""
    domain = load_domain(HOUSEHOLD)
    heads = load_heads(PACKAGED_HEADS, encoder.model).by_name
    with (HERE / "grounding_pairs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    yield "| predicate | pairs | by | mean error | rank correlation | AUC (>= 0.7 / <= 0.15) |"
    yield "|---|---|---|---|---|---|"
    for name in dict.fromkeys(row["predicate"] for row in rows):
        predicate = domain.graded[name]
        mine = [row for row in rows if row["predicate"] == name]
        pairs = [(to_plain(row["item"]), to_plain(row["text"])) for row in mine]
        given = [float(row["degree"]) for row in mine]
        known = load_pairs(PACKAGED_PAIRS)[predicate.judged_like]
        looked_up = [known.look_up(pair) for pair in pairs]
        by_oracle = degrees(oracle, predicate, pairs)
        judged = [b if a is None else a for a, b in zip(looked_up, by_oracle, strict=True)]
        head = heads[predicate.judged_like]
        for by, found in (
            ("embedding oracle", judged),
            ("its head alone", head.judge(pairs, encoder.encode)),
            ("raw cosine, map of the rubric", _by_cosine(predicate, pairs, encoder)),
        ):
            one = measure_agreement(found, given)
            yield (
                f"| {name} | {one.count} | {by} | {one.mean_error:.3f} | {one.rank:.2f} "
                f"| {one.area:.3f} |"
            )
        new = [i for i, pair in enumerate(pairs) if known.look_up(pair) is None]
        one = measure_agreement([judged[i] for i in new], [given[i] for i in new])
        yield (
            f"| {name} | {one.count} | embedding oracle, pairs that were not judged "
            f"| {one.mean_error:.3f} | {one.rank:.2f} | {one.area:.3f} |"
        )


def _by_cosine(predicate: GradedPredicate, pairs: Pairs, encoder: SentenceEncoder) -> list[float]:
    assert predicate.rubric is not None
    examples = {e for anchor in predicate.rubric.anchors for e in anchor.examples}
    assert not examples & set(pairs), "a pair is an example of the rubric"
    fitted = fit_degree_map(
        {
            anchor.score: compute_cosines([(e[0], e[1]) for e in anchor.examples], encoder.encode)
            for anchor in predicate.rubric.anchors
        }
    )
    return [fitted.apply(value) for value in compute_cosines(pairs, encoder.encode)]


# --- ingredient substitutions -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecipeSample:
    """Pairs (substitute, ingredient).

    Args:
        true: substitutions that cooks wrote down at least as often as was asked for.
        random: of two words of the list, not known as a substitution in either direction.
        same_category: a true one with the substitute replaced by one of its NEIGHBOURS nearest
            words (raw cosine) that is no known substitute; some will do all the same.
    """

    true: Pairs
    random: Pairs
    same_category: Pairs


def recipe_sample(encoder: SentenceEncoder, least_count: int) -> RecipeSample:
    """Draw up to COUNT pairs of each kind with a fixed seed."""
    with (RECIPES / RECIPE_PAIRS).open(encoding="utf-8") as stream:
        counts = {
            (to_plain(row["substitute"]), to_plain(row["ingredient"])): int(row["count"])
            for row in csv.DictReader(stream)
        }
    known = {*counts, *((b, a) for a, b in counts)}
    words = sorted({word for pair in counts for word in pair})
    often = sorted(pair for pair, count in counts.items() if count >= least_count)
    generator = random.Random(1)
    true = generator.sample(often, min(COUNT, len(often)))
    apart: list[tuple[str, str]] = []
    while len(apart) < COUNT:
        pair = (generator.choice(words), generator.choice(words))
        if pair[0] != pair[1] and pair not in known:
            apart.append(pair)
    return RecipeSample(true, apart, _same_category(true, known, words, encoder, generator))


def _same_category(
    true: Pairs,
    known: set[tuple[str, str]],
    words: Sequence[str],
    encoder: SentenceEncoder,
    generator: random.Random,
) -> list[tuple[str, str]]:
    vectors = encoder.encode(words)
    similar: NDArray[np.float32] = vectors @ vectors.T
    places = {word: place for place, word in enumerate(words)}
    found = []
    for substitute, ingredient in true:
        nearest = np.argsort(-similar[places[substitute]])[1 : NEIGHBOURS + 1]
        near = [words[place] for place in nearest]
        fit = [w for w in near if w != ingredient and (w, ingredient) not in known]
        if fit:
            found.append((generator.choice(fit), ingredient))
    return found


def recipe_lines(oracle: EmbeddingOracle, encoder: SentenceEncoder) -> Iterator[str]:
    """Compare true ingredient substitutions with others, by the oracle in normal use."""
    if not (RECIPES / RECIPE_PAIRS).is_file():
        yield f"no recipes in {RECIPES}: skipped"
        return
    predicate = load_domain(HOUSEHOLD).graded["suitable_substitute"]
    yield "| true pairs, written down | against | embedding oracle | raw cosine |"
    yield "|---|---|---|---|"
    for least_count in (2, 10):
        sample = recipe_sample(encoder, least_count)
        ours = degrees(oracle, predicate, sample.true)
        raw = compute_cosines(sample.true, encoder.encode)
        for against, others in (
            ("random", sample.random),
            ("same category", sample.same_category),
        ):
            by_oracle = area_with_interval(ours, degrees(oracle, predicate, others))
            by_cosine = area_with_interval(raw, compute_cosines(others, encoder.encode))
            yield (
                f"| {len(ours)}, {least_count} times or more | {len(others)} {against} "
                f"| {by_oracle} | {by_cosine} |"
            )


def run(console: Console, quick: bool) -> None:
    """Print the tables; quick: the household pairs alone."""
    encoder = SentenceEncoder(device=Device.CPU)
    oracle = EmbeddingOracle(encoder)
    heads = load_heads(PACKAGED_HEADS, encoder.model).by_name
    parts = [household_lines(oracle, encoder)]
    if not quick:
        parts += [held_out_lines(heads, encoder), recipe_lines(oracle, encoder)]
    for part in parts:
        for line in part:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        console.print()
