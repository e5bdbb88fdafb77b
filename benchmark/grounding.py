# SPDX-License-Identifier: Apache-2.0
"""What the default (embedding) oracle gets right, and how fast: ``python benchmark/grounding.py``.

*Quality*: household pairs with degrees stated in grounding_pairs.csv, none of which is an example
of the household rubrics; and, where ../shared/bench/recipes is there, ingredient substitutions
(evaluation only). Each stands beside raw cosine of the bare words. *Speed*: on this machine's CPU.
Writes tables to standard output; ``--pairs`` lists every pair.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.domain.yaml_reader import load_domain
from fcp_ros.grounding import ArgumentContext, Device, JudgementRequest
from fcp_ros.grounding.embedding.degree_map import fit_degree_map
from fcp_ros.grounding.embedding.oracle import EmbeddingOracle
from fcp_ros.grounding.embedding.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.stores.judgement_cache import CacheKey, JudgementCache

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "shared" / "bench" / "recipes"
Pairs = Sequence[tuple[str, str]]


def request(predicate: GradedPredicate, item: str, text: str) -> JudgementRequest:
    """A request about any element of a category."""
    first, second = predicate.parameters
    return JudgementRequest(
        predicate.name,
        (ArgumentContext(first.name, "x", item), ArgumentContext(second.name, text)),
    )


def degrees(oracle: EmbeddingOracle, predicate: GradedPredicate, pairs: Pairs) -> list[float]:
    """The oracle's degrees."""
    return [m.degree for m in oracle.judge(predicate, [request(predicate, *p) for p in pairs])]


def cosine(encoder: SentenceEncoder, pairs: Pairs) -> list[float]:
    """Cosine of the bare words, the baseline."""
    left, right = (encoder.encode([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.einsum("ij,ij->i", left, right)]


def area_under_curve(high: Sequence[float], low: Sequence[float]) -> float:
    """Chance that one of `high` is above one of `low`; ties count half."""
    a, b = np.asarray(high)[:, None], np.asarray(low)[None, :]
    return float((a > b).mean() + 0.5 * (a == b).mean())


def household_quality(oracle: EmbeddingOracle, encoder: SentenceEncoder, listing: bool) -> None:
    """Degrees against the stated ones, for each predicate."""
    domain = load_domain(HERE.parent / "config" / "domains" / "household.yaml")
    with (HERE / "grounding_pairs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    print("| predicate | pairs | by | mean error | rank correlation | AUC (>= 0.7 / <= 0.1) |")
    print("|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["predicate"] for row in rows):
        predicate = domain.graded[name]
        mine = [row for row in rows if row["predicate"] == name]
        pairs = [(row["item"], row["text"]) for row in mine]
        assert predicate.rubric is not None
        examples = {e for anchor in predicate.rubric.anchors for e in anchor.examples}
        assert not examples & set(pairs), "a pair is an example of the rubric"
        given = [float(row["degree"]) for row in mine]
        raw = cosine(encoder, pairs)
        fitted = fit_degree_map(
            {
                anchor.score: cosine(encoder, [(e[0], e[1]) for e in anchor.examples])
                for anchor in predicate.rubric.anchors
            }
        )
        mapped = [fitted.degree(value) for value in raw]
        judged = degrees(oracle, predicate, pairs)
        for label, ours, order in (
            ("embedding oracle", judged, judged),
            ("raw cosine", mapped, raw),
        ):
            error = statistics.fmean(abs(a - b) for a, b in zip(ours, given, strict=True))
            area = area_under_curve(
                [v for v, g in zip(order, given, strict=True) if g >= 0.7],
                [v for v, g in zip(order, given, strict=True) if g <= 0.1],
            )
            rank = float(spearmanr(order, given).statistic)
            print(f"| {name} | {len(pairs)} | {label} | {error:.3f} | {rank:.2f} | {area:.3f} |")
        if listing:
            for pair, a, b in zip(pairs, judged, given, strict=True):
                print(f"    {pair[0]:16s} {pair[1]:18s} judged {a:.2f}  given {b:.2f}")


def recipe_quality(oracle: EmbeddingOracle, encoder: SentenceEncoder) -> None:
    """True ingredient substitutions against random ones."""
    file = RECIPES / "recipe1msubs_train_paircounts_min2.csv"
    if not file.is_file():
        print(f"no recipes in {RECIPES}: skipped")
        return
    domain = load_domain(HERE.parent / "config" / "domains" / "household.yaml")
    with file.open(encoding="utf-8") as stream:
        known = {
            (row["substitute"].replace("_", " "), row["ingredient"].replace("_", " "))
            for row in csv.DictReader(stream)
        }
    generator = random.Random(1)
    true = generator.sample(sorted(known), 1000)
    words = sorted({word for pair in known for word in pair})
    false: list[tuple[str, str]] = []
    while len(false) < 1000:
        pair = (generator.choice(words), generator.choice(words))
        if pair[0] != pair[1] and pair not in known:
            false.append(pair)
    predicate = domain.graded["suitable_substitute"]
    ours = area_under_curve(degrees(oracle, predicate, true), degrees(oracle, predicate, false))
    raw = area_under_curve(cosine(encoder, true), cosine(encoder, false))
    print(f"recipe substitutions, true against random: AUC {ours:.3f}, raw cosine {raw:.3f}")


def speed(oracle: EmbeddingOracle) -> None:
    """Judgements a second by batch size, with phrases never seen before."""
    domain = load_domain(HERE.parent / "config" / "domains" / "household.yaml")
    predicate = domain.graded["serves_as"]
    for size in (1, 8, 64, 512):
        pairs = [(f"thing {size} number {n} of wood", "drinking") for n in range(size)]
        start = time.perf_counter()
        degrees(oracle, predicate, pairs)
        cold = time.perf_counter() - start
        start = time.perf_counter()
        degrees(oracle, predicate, pairs)
        warm = time.perf_counter() - start
        print(f"batch {size:4d}: {size / cold:7.0f} new, {size / warm:7.0f} known judgements/s")
    cache = JudgementCache()
    (answer,) = oracle.judge(predicate, [request(predicate, "mug", "drinking")])
    key = CacheKey("p", "c", "m", "e")
    cache.put([(key, answer)])
    start = time.perf_counter()
    for _ in range(10_000):
        cache.get(key)
    print(f"cache hit in memory: {(time.perf_counter() - start) * 100:.1f} microseconds")


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", action="store_true", help="list every judged pair")
    listing = parser.parse_args().pairs
    encoder = SentenceEncoder(device=Device.CPU)
    start = time.perf_counter()
    encoder.encode(["a mug"])
    print(f"model {encoder.model}, loaded in {time.perf_counter() - start:.1f} s")
    oracle = EmbeddingOracle(encoder)
    household_quality(oracle, encoder, listing)
    recipe_quality(oracle, encoder)
    speed(oracle)


if __name__ == "__main__":
    main()
