# SPDX-License-Identifier: Apache-2.0
"""What the tokens of a vocabulary that can stand in a number write, found by decoding them.

A token is decoded behind an *anchor* token, and the anchor's own text is taken away: so the space
in front of a SentencePiece token is seen, a word-piece continuation joins its word, and byte
tokens come out as the character that they are. Tokens are written as texts in dozens of ways;
this one asks the tokenizer itself.
"""

from __future__ import annotations

import re
from typing import Any

ANCHORS = ("a", ":", "Score", "x", ".")
SPACES = "\u0120\u2581 "  # how byte-level and SentencePiece vocabularies store a space
BYTE = re.compile("<0x[0-9A-F]{2}>")
SIGNS = ".,/"
"""Behind a small number they mean another scale: "0.7", "8,5", "8/10"."""


def number_token_texts(tokenizer: Any) -> dict[int, str]:
    """Texts of the tokens that are a single space or begin, behind a space or not, a number.

    Args:
        tokenizer: of Hugging Face's transformers.

    Returns:
        For each such token's id its text, such as "5", " 57" or ".5"; tokens with a digit
        somewhere behind other characters are left out, and byte tokens of characters that have a
        token of their own: no tokenizer writes those, so no model learns to, and they would
        make the trie three times as large.
    """
    anchor = _anchor(tokenizer)
    if anchor is None:
        return {}
    lead = _decode(tokenizer, [anchor])
    texts: dict[int, str] = {}
    of_bytes: dict[int, str] = {}
    for token, number in tokenizer.get_vocab().items():
        if not _can_matter(token):
            continue
        whole = _decode(tokenizer, [anchor, number])
        text = whole[len(lead) :]
        if whole.startswith(lead) and (text == " " or _begins_number(text)):
            (of_bytes if BYTE.fullmatch(token) else texts)[number] = text
    known = set(texts.values())
    return texts | {number: text for number, text in of_bytes.items() if text not in known}


def _anchor(tokenizer: Any) -> int | None:
    """A token that writes the same text alone and in front of another one."""
    for text in ANCHORS:
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        if tokens and _decode(tokenizer, tokens[-1:]).strip():
            return int(tokens[-1])
    return None


def _decode(tokenizer: Any, tokens: list[int]) -> str:
    return str(
        tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    )


def _can_matter(token: str) -> bool:
    """Whether a token's stored form may be a space, a digit or a sign; cheap, never too strict."""
    return (
        any(letter.isdigit() for letter in token)  # "5", "##5", "<0x2E>"
        or token.lstrip(SPACES + "#").startswith(tuple(SIGNS))
        or not token.strip(SPACES)
    )


def _begins_number(text: str) -> bool:
    first = text.removeprefix(" ")[:1]
    return first in SIGNS + "0123456789" if first else False
