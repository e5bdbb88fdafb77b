# SPDX-License-Identifier: Apache-2.0
"""Scores of rewritten recipes against references, and intervals of shares."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmark.recipes.tasks import Recipe

DRAWS, SEED = 1_000, 33


def canonicalise(line: str) -> str:
    """A line as it is compared: lower case, one space between words, links and marks away."""
    line = re.sub(r"\]\([^)]*\)", "]", line)
    return " ".join(re.sub(r"[\[\]*()]", " ", line).casefold().split())


def lines_of(document: Mapping[str, Any]) -> list[str]:
    """All lines of a rewritten recipe, in order; foods of one line are listed with it each."""
    return [
        *dict.fromkeys(str(one.get("line") or one["name"]) for one in document["ingredients"]),
        *(str(step["text"]) for step in document["steps"]),
    ]


def changed_lines(recipe: Recipe, lines: Sequence[str]) -> list[str]:
    """The lines that the recipe didn't have, in order."""
    before = [canonicalise(line) for line in (*recipe.ingredients, *recipe.directions)]
    after = [canonicalise(line) for line in lines]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        after[place]
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag in ("insert", "replace")
        for place in range(first, last)
    ]


def compare(outputs: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """BLEU (sacrebleu, 13a, of the corpus) and chrF of texts against one reference each."""
    from sacrebleu.metrics import BLEU, CHRF

    bleu, chrf = BLEU(), CHRF()
    return {
        "BLEU": bleu.corpus_score(list(outputs), [list(references)]).score,
        "chrF": chrf.corpus_score(list(outputs), [list(references)]).score,
    }


def interval_of_lead(
    ours: Sequence[str], others: Sequence[str], references: Sequence[str]
) -> tuple[float, float]:
    """95 % interval of how far our BLEU is above another one: texts are drawn again."""
    from sacrebleu.metrics import BLEU

    bleu, leads = BLEU(), []
    for places in np.random.default_rng(SEED).integers(len(ours), size=(DRAWS // 4, len(ours))):
        texts = ([one[place] for place in places] for one in (references, ours, others))
        wanted, *rows = texts
        best, other = (bleu.corpus_score(row, [wanted]).score for row in rows)
        leads.append(best - other)
    low, high = np.percentile(leads, [2.5, 97.5])
    return float(low), float(high)


def interval_of_share(marks: Sequence[bool], clusters: Sequence[str]) -> tuple[float, float]:
    """95 % interval of a share: whole recipes are drawn again (several tasks share one)."""
    names, places = np.unique(np.asarray(clusters), return_inverse=True)
    good = np.bincount(places, np.asarray(marks, float), len(names))
    every = np.bincount(places, minlength=len(names))
    draws = np.random.default_rng(SEED).integers(len(names), size=(DRAWS, len(names)))
    low, high = np.percentile(good[draws].sum(1) / every[draws].sum(1), [2.5, 97.5])
    return float(low), float(high)
