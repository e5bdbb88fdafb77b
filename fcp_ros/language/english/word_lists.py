# SPDX-License-Identifier: Apache-2.0
"""Lists of words and of phrases, written as texts; phrases are looked up by their first word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.domain.phrases import PhraseWord, parse_phrase
from fcp_ros.foundation.wording import gather_words
from fcp_ros.language.english.tokens import Token

__all__ = ["PhraseSet", "gather_words"]


_Following = dict[str, "_Following"]
"""Next word -> what may follow it; an empty word where a phrase ends."""


class PhraseSet:
    """Phrases that are looked up as a whole.

    Args:
        texts: each with "[left out or not]" and "(one|another)", as phrases of a domain.
    """

    def __init__(self, *texts: str) -> None:
        self._phrases: dict[tuple[str, ...], None] = {}
        self._following: _Following = {}
        for text in texts:
            for variant in parse_phrase(text).variants:
                words = tuple(part.text for part in variant if isinstance(part, PhraseWord))
                self._phrases[words] = None
                node = self._following
                for word in words:
                    node = node.setdefault(word, {})
                node[""] = {}

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        yield from self._phrases

    def find_end(self, tokens: Sequence[Token], start: int) -> int:
        """Return the end of the longest phrase at a token; `start` if none is there."""
        node, found = self._following, start
        for place in range(start, len(tokens)):
            following = node.get(tokens[place].text)
            if not following:
                break
            node = following
            if "" in node:
                found = place + 1
        return found
