# SPDX-License-Identifier: Apache-2.0
"""Rankings of substitutes on Recipe1MSubs: MRR and hit@1, of pairs that are not in its training.

Names are compared as entries of the knowledge file where they are one. Recipe1MSubs has no
directions: the judge hears the names alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmark.recipes.scores import DRAWS, SEED, rank_of, read_queries
from benchmark.recipes.setting import Setting
from benchmark.tables import Line, Part

QUICK_QUERIES = 60
Rank = Callable[[str], Sequence[str]]


def measure_ranking(setting: Setting) -> Part:
    """Frequency, the knowledge file as it stands, and the same judged."""
    queries = read_queries(setting.pairs)
    queries = queries[:QUICK_QUERIES] if setting.quick else queries
    rows: dict[str, Rank] = {
        "frequency in training": lambda name: _canonical(setting, setting.pairs.get(name, ())),
        "knowledge file, its order": lambda name: _by_file(setting, name),
        "ours (file and judge)": _make_judged(setting),
    }
    lines = []
    for who, rank in rows.items():
        for kind, chosen in (
            ("not in training", [row for row, seen in queries if not seen]),
            ("in training", [row for row, seen in queries if seen]),
        ):
            places = [
                rank_of(_canonical(setting, [row["subs"][1]])[0], rank(row["subs"][0]))
                for row in chosen
            ]
            lines.append(_summarise(kind, who, places))
    return Part("ranking, Recipe1MSubs", lines, (), ["819 of its 1,500 pairs are in its training"])


def _summarise(kind: str, who: str, places: Sequence[int | None]) -> Line:
    inverse = np.array([0.0 if place is None else 1.0 / place for place in places])
    draws = np.random.default_rng(SEED).integers(len(inverse), size=(DRAWS, len(inverse)))
    low, high = np.percentile(inverse[draws].mean(1), [2.5, 97.5])
    figures = {
        "pairs": len(places),
        "MRR": float(inverse.mean()),
        "95 %": f"{low:.3f} to {high:.3f}",
        "hit@1": float(np.mean([place == 1 for place in places])),
        "among candidates": float(np.mean([place is not None for place in places])),
    }
    return Line(kind, who, figures)


def _canonical(setting: Setting, names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(setting.words.name(name) or name for name in names))


def _by_file(setting: Setting, name: str) -> list[str]:
    """Single foods that the file gives instead of one: those for itself before those for kinds."""
    food = setting.words.name(name)
    if food is None:
        return []
    kinds = setting.words.kinds(food)
    found = [one for one in setting.words.data["substitutes"] if one["instead_of"] in kinds]
    found.sort(key=lambda one: one["instead_of"] != food)
    return [new for new in dict.fromkeys(one["use"][0][2] for one in found) if new != food]


def _make_judged(setting: Setting) -> Rank:
    """The same foods, by the degree to which the kitchen's judge finds each suitable."""
    from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest

    memberships, known = setting.kitchen.memberships, dict[str, list[str]]()

    def rank(name: str) -> list[str]:
        if name not in known:
            found = _by_file(setting, name)
            food = setting.words.name(name) or name
            requests = [
                JudgementRequest(
                    "suitable_substitute",
                    (ArgumentContext("way", one, one), ArgumentContext("need", food, food)),
                )
                for one in found
            ]
            degrees = [answer.degree for answer in memberships.judge(requests)]
            order = sorted(range(len(found)), key=lambda place: -degrees[place])
            known[name] = [found[place] for place in order]
        return known[name]

    return rank
