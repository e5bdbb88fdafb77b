# SPDX-License-Identifier: Apache-2.0
"""Names of assets, plurals and other spellings, read as words that people judged.

"robothor dining table extendable" is an extendable dining table, "doorframe" a door frame, a
"fridge 8a3f" a fridge. A name that people judged as it stands is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.foundation.labels import drop_asset_codes, drop_asset_prefix
from fcp_ros.grounding.judged.words import to_plain
from fcp_ros.grounding.wording.known_words import KnownWords
from fcp_ros.grounding.wording.tables import ARTICLES, JOINTS, SAME_WORDS, WHICH

LEAST_PART = 3
"""Letters of the shorter part of a compound."""


def read_name(name: str, known: KnownWords, *, is_text: bool = False) -> str:
    """Return the name as people would say it; in plain spelling if it is changed.

    Args:
        name: of a thing, or a text of a goal.
        known: the known words.
        is_text: True for a text, which is no name of an asset.
    """
    words = to_plain(name).split()
    if not words or " ".join(words) in known.phrases:
        return name
    left = words[1:] if words[0] in ARTICLES and len(words) > 1 else words
    if not is_text:
        bare = drop_asset_prefix(left)
        is_asset = len(bare) < len(left)
        left = drop_asset_codes(bare, known.words)
    if " ".join(left) not in known.phrases:
        left = _use_usual_words(left, known)
        if not is_text:
            left = _put_kind_last(left, known, is_asset=is_asset)
    return " ".join(left) if left != words else name


def find_unknown(name: str, known: KnownWords, *, is_text: bool = False) -> str:
    """Find the word that leaves open what a name means, or "".

    Of a thing, its head ("bottle" of "bottle of water"); of a text, any word if no word is known.
    """
    words = to_plain(name).split()
    if is_text:
        is_clear = any(known.knows(word) for word in words if word not in JOINTS)
        return "" if is_clear or not words else words[0]
    joints = [place for place, word in enumerate(words) if word in JOINTS and place]
    head = words[: joints[0]] if joints else words
    return "" if not head or known.knows(head[-1]) else head[-1]


def _put_kind_last(words: list[str], known: KnownWords, *, is_asset: bool) -> list[str]:
    """Turn a name round that says the kind first: "dining table extendable"."""
    if " ".join(words) in known.phrases or not (is_asset or words[-1] in WHICH):
        return words
    for end in range(len(words) - 1, 0, -1):
        if " ".join(words[:end]) in known.phrases:
            return [*words[end:], *words[:end]]
    return words


def _use_usual_words(words: Sequence[str], known: KnownWords) -> list[str]:
    """Replace words that nobody judged by the same in other words."""
    usual: list[str] = []
    for word in words:
        if known.is_judged(word):
            usual.append(word)
        elif word in SAME_WORDS:
            usual += SAME_WORDS[word].split()
        else:
            usual += _split_compound(word, known)
    return usual


def _split_compound(word: str, known: KnownWords) -> list[str]:
    """Split "doorframe" into two judged words if it is no known word itself."""
    if known.knows(word):
        return [word]
    found = [
        [word[:place], word[place:]]
        for place in range(LEAST_PART, len(word) - LEAST_PART + 1)
        if word[:place] in known.judged_words and word[place:] in known.judged_words
    ]
    judged = [parts for parts in found if " ".join(parts) in known.phrases]
    return (judged or found or [[word]])[0]
