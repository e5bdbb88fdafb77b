# SPDX-License-Identifier: Apache-2.0
"""A sentence as tokens: words, numbers, quoted texts and marks, each with its place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum


class TokenKind(Enum):
    """The kind of a token."""

    WORD = "word"
    NUMBER = "number"
    QUOTED = "quoted"
    """A text between quotation marks, as a whole."""
    MARK = "mark"
    """A mark of punctuation that may separate clauses."""
    SYMBOL = "symbol"
    """Anything else, such as an emoji or a lone quotation mark."""


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a sentence.

    Attributes:
        start, end: its place in the sentence, in characters.
    """

    text: str  # in lower case; of a quoted text, what is between the marks
    start: int
    end: int
    kind: TokenKind
    shown: str


_PIECES = re.compile(
    r"""(?P<quoted>"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|`[^`\n]{1,200}`)
    |(?P<number>\d+(?:[.,]\d+)*(?![\w.]*[^\W\d]))
    |(?P<word>\w+(?:[_'\u2019\-]\w+)*)
    |(?P<mark>[.,;:!?])
    |(?P<symbol>[^\s\w])""",
    re.VERBOSE,
)
QUOTATION_MARKS = frozenset("\"'`\u201c\u201d\u00ab\u00bb\u2018\u2019\u201e")
"""Marks that are a symbol of their own where they have no partner."""
_INVISIBLE = ("Cc", "Cf")
"""Unicode categories of control and format characters."""
_SHORT_FORMS = (
    "befor=before, untill=until, allways=always, posible=possible, preferrably=preferably, "
    "imediately=immediately, can't=can not, cannot=can not, won't=will not, shan't=shall not, "
    "dont=do not, doesnt=does not, teh=the, hte=the, adn=and, let's=let us, gonna=going to, "
    "wanna=want to, gimme=give me, i'm=i am, im=i am, pls=please, plz=please, u=you, ur=your, "
    "y'all=you, thx=thanks, everything's=everything is"
)
_BEFORE_NOT = [
    "is",
    "are",
    "was",
    "were",
    "did",
    "has",
    "have",
    "had",
    "could",
    "would",
    "should",
    "must",
]
_BEFORE_IS = ["that", "there", "here", "what", "where"]
_CONTRACTED = {
    **{f"{word}nt": f"{word} not" for word in _BEFORE_NOT},  # without an apostrophe
    **{f"{word}s": f"{word} is" for word in _BEFORE_IS},
    **dict(pair.split("=") for pair in _SHORT_FORMS.split(", ")),
}
_ENDINGS = (("n't", "not"), ("'d", "would"), ("'ll", "will"), ("'re", "are"), ("'ve", "have"))
_PRONOUNS = (
    "it that there he she what who where here this somebody someone everybody everyone nobody "
    "nothing something anybody anyone"
)
_IS_AFTER = frozenset(_PRONOUNS.split())
"""Words behind which "'s" is a verb."""


def tokenise(sentence: str) -> tuple[Token, ...]:
    """Split a sentence into tokens; contractions become two words: "don't", "do" and "not".

    Characters that nobody sees, such as a zero-width space or a change of direction, are no tokens.
    """
    tokens: list[Token] = []
    for match in _PIECES.finditer(sentence):
        kind = TokenKind(match.lastgroup)
        if kind is TokenKind.SYMBOL and unicodedata.category(match[0]) in _INVISIBLE:
            continue
        if kind is TokenKind.WORD:
            tokens.extend(_split_word(match[0], match.start()))
        elif kind is TokenKind.QUOTED:
            text = match[0][1:-1].strip()
            if not text:  # a pair of marks around nothing is no text, and no parser takes it
                kind, text = TokenKind.SYMBOL, match[0]
            tokens.append(Token(text, match.start(), match.end(), kind, text))
        else:
            tokens.append(Token(match[0].lower(), match.start(), match.end(), kind, match[0]))
    return tuple(tokens)


def _split_word(written: str, start: int) -> list[Token]:
    """Split a word at its contraction, and at hyphens unless it is a name such as `t-shirt_1`."""
    folded = written.lower().replace("\u2019", "'")
    full = _CONTRACTED.get(folded)
    if full is not None:
        first, _, second = full.partition(" ")
        cut = start + min(len(first), max(1, len(written) - 1)) if second else start + len(written)
        found = [_make_word(first, written[: cut - start], start, cut)]
        if second:
            found.append(_make_word(second, written[cut - start :], cut, start + len(written)))
        return found
    for ending, word in _ENDINGS:
        if folded.endswith(ending) and len(folded) > len(ending):
            cut = start + len(written) - len(ending)
            return [
                _make_word(folded[: -len(ending)], written[: -len(ending)], start, cut),
                _make_word(word, written[-len(ending) :], cut, start + len(written)),
            ]
    if folded.endswith("'s") and len(folded) > 2:
        cut = start + len(written) - 2
        stem = folded[:-2]
        return [
            _make_word(stem, written[:-2], start, cut),
            _make_word("is" if stem in _IS_AFTER else "'s", written[-2:], cut, cut + 2),
        ]
    if "-" in folded and "_" not in folded and not any(map(str.isdigit, folded)):
        return _split_at_hyphens(written, start)
    return [_make_word(folded, written, start, start + len(written))]


def _split_at_hyphens(written: str, start: int) -> list[Token]:
    tokens, place = [], start
    for part in written.split("-"):
        if part:
            tokens.append(_make_word(part.lower(), part, place, place + len(part)))
        place += len(part) + 1
    return tokens


def _make_word(text: str, shown: str, start: int, end: int) -> Token:
    return Token(text, start, end, TokenKind.WORD, shown)
