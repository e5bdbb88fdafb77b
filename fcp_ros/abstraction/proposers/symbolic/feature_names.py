# SPDX-License-Identifier: Apache-2.0
"""Names of learned features: the word that one is about, else a letter and a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fcp_ros.abstraction.features.expressions import NamedConcept
from fcp_ros.abstraction.features.feature import Feature

UNREADABLE = re.compile(r"[\s=><:,]")
"""Characters that names of features can't have in the file of a policy."""


def name_features(features: Sequence[Feature]) -> list[str]:
    """Name features: by a feature's only word (`boarded` of count(boarded)), else b1, n1, ...

    Two features with the same word, such as any(boarded) and count(boarded), both get numbers.
    """
    words = [_find_word(feature) for feature in features]
    taken = [word for word in words if word]
    names: list[str] = []
    for feature, word in zip(features, words, strict=True):
        letter = "b" if feature.is_boolean else "n"
        number = sum(other.is_boolean == feature.is_boolean for other in features[: len(names)]) + 1
        numbered = f"{letter}{number}"
        is_free = taken.count(word) == 1 and re.fullmatch(r"[bn]\d+", word) is None
        names.append(word if word and is_free else numbered)
    return names


def _find_word(feature: Feature) -> str:
    """Return the name that a feature consists of; empty if it has several or none."""
    names = feature.names
    if len(names) != 1 or not all(isinstance(part, NamedConcept) for part in feature.parts):
        return ""
    (word,) = names
    return "" if word == "not" or UNREADABLE.search(word) else word
