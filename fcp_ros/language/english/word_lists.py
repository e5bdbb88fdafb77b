# SPDX-License-Identifier: Apache-2.0
"""Lists of words and of phrases, written as texts; phrases are looked up by their first word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.domain.phrases import PhraseWord, parse_phrase
from fcp_ros.language.english.tokens import Token


def gather_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def gather_phrases(*texts: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each phrase, in the order given."""
    return tuple(tuple(text.split()) for text in texts)


class PhraseSet:
    """Phrases that are looked up as a whole.

    Args:
        texts: each with "[left out or not]" and "(one|another)", as phrases of a domain.
    """

    def __init__(self, *texts: str) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for text in texts:
            for variant in parse_phrase(text).variants:
                words = tuple(part.text for part in variant if isinstance(part, PhraseWord))
                self._by_first.setdefault(words[0], []).append(words)
        for known in self._by_first.values():
            known.sort(key=len, reverse=True)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        for known in self._by_first.values():
            yield from known

    def find_end(self, tokens: Sequence[Token], start: int) -> int:
        """Return the end of the longest phrase at a token; `start` if none is there."""
        if start >= len(tokens):
            return start
        for words in self._by_first.get(tokens[start].text, ()):
            end = start + len(words)
            if end <= len(tokens) and all(
                token.text == word for token, word in zip(tokens[start:end], words, strict=True)
            ):
                return end
        return start
