# SPDX-License-Identifier: Apache-2.0
"""Rankings of substitutes on Recipe1MSubs: MRR and hit@1, of pairs that are not in its training.

Names are compared as entries of the knowledge file where they are one. Recipe1MSubs has no
directions: the judge hears the names alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmark.recipes.scores import DRAWS, SEED
from benchmark.recipes.setting import Setting
from benchmark.recipes.tasks import DATA
from benchmark.tables import Line, Part
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest

QUICK_QUERIES = 60
Rank = Callable[[str], Sequence[str]]


def measure_ranking(setting: Setting) -> Part:
    """Frequency, the knowledge file as it stands, and the same judged."""
    queries = _read_queries(setting.pairs)
    queries = queries[:QUICK_QUERIES] if setting.quick else queries
    rows: dict[str, Rank] = {
        "frequency in training": lambda name: _canonical(setting, setting.pairs.get(name, ())),
        "knowledge file, its order": lambda name: _by_file(setting, name),
        "ours (file and judge)": lambda name: _by_judge(setting, name),
    }
    lines = []
    for who, rank in rows.items():
        known = {name: rank(name) for name in dict.fromkeys(old for old, _, _ in queries)}
        for kind, wanted in (("not in training", False), ("in training", True)):
            places = [
                known[old].index(new) + 1 if new in known[old] else None
                for old, other, seen in queries
                if seen is wanted
                for new in _canonical(setting, [other])
            ]
            lines.append(_summarise(kind, who, places))
    return Part("ranking, Recipe1MSubs", lines, (), ["819 of its 1,500 pairs are in its training"])


def _read_queries(seen: Mapping[str, Sequence[str]]) -> list[tuple[str, str, bool]]:
    """Read the validation sample: old, new, and whether the pair is in the training list, too."""
    text = (DATA / "recipe1msubs_val_sample1500.jsonl").read_text(encoding="utf-8")
    pairs = [json.loads(line)["subs"] for line in text.replace("_", " ").splitlines()]
    return [(old, new, new in seen.get(old, ())) for old, new in pairs]


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


def _by_judge(setting: Setting, name: str) -> list[str]:
    """The same foods, by the degree to which the kitchen's judge finds each suitable."""
    found, food = _by_file(setting, name), setting.words.name(name) or name
    requests = [
        JudgementRequest(
            "suitable_substitute",
            (ArgumentContext("way", one, one), ArgumentContext("need", food, food)),
        )
        for one in found
    ]
    degrees = [answer.degree for answer in setting.kitchen.memberships.judge(requests)]
    order = sorted(range(len(found)), key=lambda place: -degrees[place])
    return [found[place] for place in order]
