# SPDX-License-Identifier: Apache-2.0
"""Rows to train a writer of plain English on: what was heard, and the same in plain commands.

A file has a row a line, in JSON: {"heard": "...", "plain": "..."}; other keys are ignored. Rows
are changed at random while they are trained on: a noun that stands on both sides becomes another
one, so that a model copies nouns in place of remembering them; letters are mistyped; signs and
capitals get lost as in dictation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fcp_ros.foundation.bounded_file import MEBIBYTE, FileError, read_text
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.pipeline import InputWord, parse_words

PACKAGED_ROWS = Path(__file__).with_name("heard_rows.jsonl")
MOST_BYTES = 64 * MEBIBYTE
KEPT_APART = 25
"""One row of so many measures a training and isn't trained on; by the hash of what was heard."""
CHANGED, RENAMED, MOST_RENAMED = 0.5, 0.5, 3
MISTYPED, DICTATED = 0.2, 0.12
"""Shares of rows that are changed, of their nouns, and of rows mistyped and dictated."""
_NOT_THINGS = gather_words(
    "robot room thing things time minutes minute seconds rest order front floor side top way place "
    "one ones people two everything bit"
)
"""Nouns that are no things: another word in their place would make nonsense."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{4,}")
_SIGNS = re.compile(r"[.,!?;:']")
_LETTERS = "etaoinshrdlucmfwypvbgk"


@dataclass(frozen=True, slots=True)
class HeardRow:
    """A sentence that was heard, and the same in plain words."""

    heard: str
    plain: str


@dataclass(frozen=True, slots=True)
class HeardRows:
    """Rows to train on, and those that measure it."""

    training: tuple[HeardRow, ...]
    apart: tuple[HeardRow, ...]
    sources: tuple[str, ...]  # file and number of rows, a line each


def read_heard_rows(files: Sequence[Path]) -> HeardRows:
    """Read files of rows.

    Raises:
        InputError: a file can't be read, or a line is no row; the message names the line.
    """
    rows: dict[HeardRow, None] = {}
    sources = []
    for file in files:
        read = _read_file(file)
        sources.append(f"{file.name}: {len(read)} rows")
        rows.update(dict.fromkeys(read))
    apart = tuple(row for row in rows if _is_kept_apart(row))
    training = tuple(row for row in rows if not _is_kept_apart(row))
    if not training:
        raise InputError("there are no rows to train on; give files of rows")
    return HeardRows(training, apart, tuple(sources))


def _read_file(file: Path) -> list[HeardRow]:
    try:
        lines = read_text(file, MOST_BYTES).splitlines()
    except FileError as error:
        raise InputError(f"the rows can't be read from {file}: it {error.what}") from error
    return [_read_row(line, f"{file}, line {n}") for n, line in enumerate(lines, 1) if line.strip()]


def _read_row(line: str, place: str) -> HeardRow:
    try:
        entry = json.loads(line)
        heard, plain = (" ".join(str(entry[key]).split()) for key in ("heard", "plain"))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f'{place}: not a row like {{"heard": "...", "plain": "..."}}') from error
    if not heard or not plain:
        raise InputError(f"{place}: a row needs what was heard and plain words for it")
    return HeardRow(heard, plain)


def _is_kept_apart(row: HeardRow) -> bool:
    digest = hashlib.sha256(row.heard.encode()).digest()
    return int.from_bytes(digest[:8], "big") % KEPT_APART == 0


@dataclass(frozen=True, slots=True)
class SharedNoun:
    """A noun that was heard and stands in the plain words."""

    word: str
    is_plural: bool


def find_shared_nouns(rows: Sequence[HeardRow]) -> Mapping[HeardRow, tuple[SharedNoun, ...]]:
    """Find the nouns that stand on both sides of each row."""
    return {row: _list_shared(row) for row in rows}


def _list_shared(row: HeardRow) -> tuple[SharedNoun, ...]:
    words = [match[0] for match in re.finditer(r"[\w'-]+|[^\w\s]", row.plain)]
    parsed = parse_words([InputWord(word, 0, 0, place) for place, word in enumerate(words)])
    found = [
        SharedNoun(word, token.tag == "NNS")
        for word, token in zip(words, parsed.words, strict=True)
        if token.tag in ("NN", "NNS")
        and len(word) > 2
        and word.lower() not in _NOT_THINGS
        and re.search(rf"\b{re.escape(word)}\b", row.heard, re.IGNORECASE)
    ]
    return tuple(dict.fromkeys(found))


class RowChanger:
    """Changes rows at random; equal seeds give equal rows."""

    def __init__(self, rows: Sequence[HeardRow], things: Sequence[str]) -> None:
        self._shared = find_shared_nouns(rows)
        self._things = sorted(set(things))  # singular, such as "hair dryer"

    def change(self, row: HeardRow, random: Random) -> HeardRow:
        """Change a row, or not."""
        if random.random() >= CHANGED:
            return row
        changed = row
        nouns = [noun for noun in self._shared.get(row, ()) if random.random() < RENAMED]
        for noun in nouns[:MOST_RENAMED]:
            changed = _rename(changed, noun, random.choice(self._things))
        heard = changed.heard
        if random.random() < MISTYPED:
            heard = mistype(heard, random)
        if random.random() < DICTATED:
            heard = _SIGNS.sub("", heard).lower()
        return HeardRow(heard, changed.plain)


def _rename(row: HeardRow, noun: SharedNoun, thing: str) -> HeardRow:
    new = _make_plural(thing) if noun.is_plural else thing

    def put(match: re.Match[str]) -> str:
        was = match[0]
        return new.capitalize() if was[0].isupper() and not was.isupper() else new

    pattern = re.compile(rf"\b{re.escape(noun.word)}\b", re.IGNORECASE)
    return HeardRow(*(_mend_articles(pattern.sub(put, text)) for text in (row.heard, row.plain)))


def _make_plural(thing: str) -> str:
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return thing[:-1] + "ies"
    return thing + ("es" if re.search(r"(s|x|z|ch|sh)$", thing) else "s")


def _mend_articles(text: str) -> str:
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)
    return re.sub(r"\b([Aa])n (?=[b-df-hj-np-tv-z])", r"\1 ", text)


def mistype(text: str, random: Random) -> str:
    """Drop, swap, double or replace a letter of a word of five letters or more."""
    words = list(_WORD.finditer(text))
    if not words:
        return text
    match = random.choice(words)
    word, place = match[0], random.randrange(1, len(match[0]) - 1)
    before, after = word[:place], word[place + 1 :]
    mistyped = random.choice(
        [
            before + after,
            before + after[0] + word[place] + after[1:],
            before + 2 * word[place] + after,
            before + random.choice(_LETTERS) + after,
        ]
    )
    return text[: match.start()] + mistyped + text[match.end() :]
