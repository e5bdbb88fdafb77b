# SPDX-License-Identifier: Apache-2.0
"""A pair as one text of an encoder: ``[CLS] fork [SEP] used for eating spaghetti [SEP]``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

MOST_TOKENS = 32
"""Tokens of a side that are read; a label has ten words at most (`request_reading`)."""
FORMS: Mapping[str, str] = {
    "function": "used for {}",
    "substitution": "instead of {}",
    "stability": "standing on {}",
    "safety": "within reach of {}",
}
"""How the second side is asked about, by set; of a set of one's own, its column and the words."""


class PairText(NamedTuple):
    """Tokens of a pair, with the number of those of each side."""

    tokens: list[int]
    left: int
    right: int


def write_form(name: str, columns: tuple[str, str]) -> str:
    """Write the form of a set's second side."""
    return FORMS.get(name, f"{columns[1].replace('_', ' ')} {{}}")


@dataclass(frozen=True, slots=True)
class PairWriter:
    """Writes pairs as tokens. `form` has one place for the second side."""

    tokenizer: Any
    first: int
    between: int

    def write(self, pairs: Sequence[tuple[str, str]], form: str) -> list[PairText]:
        lefts = self._encode([left for left, _ in pairs])
        rights = self._encode([form.format(right) for _, right in pairs])
        first, between = self.first, self.between
        return [
            PairText([first, *a, between, *b, between], len(a), len(b))
            for a, b in zip(lefts, rights, strict=True)
        ]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        signs = {self.first, self.between}  # tokenizers find them in plain text, too
        sides = ([one for one in item.ids if one not in signs][:MOST_TOKENS] for item in found)
        return [side or [self.between] for side in sides]  # a side without tokens has no mean


def make_writer(folder: Path) -> PairWriter:
    """Make the writer of a model's folder.

    Raises ImportError: tokenizers is not installed; OSError, ValueError, KeyError: damaged files.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    special = json.loads((folder / "special_tokens_map.json").read_text(encoding="utf-8"))
    numbers = []
    for role in ("cls_token", "sep_token"):
        name = special[role]
        number = tokenizer.token_to_id(name["content"] if isinstance(name, dict) else name)
        if number is None:
            raise ValueError(f"the tokenizer has no {role}")
        numbers.append(number)
    return PairWriter(tokenizer, *numbers)
