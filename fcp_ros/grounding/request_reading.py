# SPDX-License-Identifier: Apache-2.0
"""Reads a request for a model: its words as people would say them, and what was read otherwise.

This comes before the lookup of judged pairs and before every model, so that all of them are asked
about the same words. Only the words change: what calibration learns stays with the request as it
was made.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fcp_ros.foundation.labels import drop_asset_codes, drop_asset_prefix
from fcp_ros.grounding.judgement import (
    ArgumentContext,
    AttributeValue,
    JudgementRequest,
    Membership,
)
from fcp_ros.grounding.judgement_set import to_plain
from fcp_ros.grounding.known_words import ARTICLES, JOINTS, SAME_WORDS, WHICH, KnownWords
from fcp_ros.grounding.label_cutting import cut_label, find_label

#
# "robothor dining table extendable" is an extendable dining table, "doorframe" a door frame, a
# "fridge 8a3f" a fridge. A name that people judged as it stands is left alone.

LEAST_PART = 3  # Letters of the shorter part of a compound


def read_name(name: str, known: KnownWords, *, is_text: bool = False) -> str:
    """Return a thing's name, or a goal's text, as people say it; in plain spelling if changed."""
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


# --- a request read for a model: its words as people would say them, and what was read ---

DESCRIPTION = "description"
"""The attribute with words about a thing that are no part of its name; whoever made the scene says
them, so they are not believed where they praise."""
NAMELESS = "thing"  # The word for a thing whose label names nothing
SHOWN = 60  # Characters of a label that a note shows
UNKNOWN_DEGREE = 0.2
"""About the mean degree of a thing for a purpose, whatever they are (measured: 0.16 to 0.21)."""
UNKNOWN_WEIGHT = 0.25
"""Weight of what an English model says of a word that it doesn't know; it is hardly more right than
the mean (docs/grounding.md)."""
UNKNOWN_ERROR = 0.3  # Standard deviation of such a degree's error (measured)
MOST_KEPT = 16_384  # Texts of each kind that are remembered
_NAME = re.compile(r"[\w.|+/:-]{1,60}")
LONGEST_KEPT = 500  # Characters of the texts that are remembered
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request as a model is asked it."""

    request: JudgementRequest  # with the words that were read
    note: str = ""  # what was read otherwise, or ""
    unknown: str = ""  # a word that leaves open what is meant, or ""
    is_nameless: bool = False  # True if a label names nothing at all
    # about the cores of the names, where they are less than the names, and without what only
    # describes a thing; the answer is no higher than the answer to this
    core: JudgementRequest | None = None
    # True if a description is left out in the core. It may warn, as "cracked" does, but a model
    # that isn't sure of a difference says nothing by it ("clean").
    is_described: bool = False

    @property
    def is_plain(self) -> bool:
        """True if there is nothing to say."""
        return not self.note and not self.unknown and self.core is None

    def annotate(self, answer: Membership, *, is_english_only: bool) -> Membership:
        """Add the note; an answer about words that the model can't know becomes unsure."""
        if self.is_plain:
            return answer
        notes = [answer.note, self.note]
        if self.is_nameless or (self.unknown and is_english_only):
            degree = UNKNOWN_DEGREE + UNKNOWN_WEIGHT * (answer.prior - UNKNOWN_DEGREE)
            answer = replace(
                answer,
                degree=degree,
                prior=degree,
                samples=(degree,),
                distribution=(),
                spread=max(answer.spread, UNKNOWN_ERROR),
                uncertainty=max(answer.uncertainty or 0.0, UNKNOWN_ERROR),
            )
            if self.unknown:
                notes.append(f"unsure: {_show(self.unknown)} is no English word that it knows")
            else:
                notes.append("unsure: the label names no thing")
        return replace(answer, note="; ".join(note for note in notes if note))


@dataclass(frozen=True, slots=True)
class ReadWords:
    """The words of one argument as they were read."""

    name: str  # what a model is asked about
    note: str = ""  # what was read otherwise, or ""
    unknown: str = ""  # a word that leaves open what is meant, or ""
    is_nameless: bool = False  # True if the label names nothing at all
    core: str = ""  # of the name, where it is less than the name, else ""


def read_words(words: str, known: KnownWords, *, is_text: bool) -> ReadWords:
    kept = find_label(words, known, is_text=is_text)
    name = read_name(kept.words or NAMELESS, known, is_text=is_text)
    note = "" if name == words else f"{_show(words)} was read as {_show(name)}"
    if kept.description:
        note += f" ({_show(kept.description)} only describes it)"
    core = read_name(kept.core, known, is_text=is_text) if kept.core else ""
    is_less = core not in ("", name) and name not in known.phrases
    unknown = find_unknown(name, known, is_text=is_text)
    return ReadWords(name, note, unknown, not kept.words, core if is_less else "")


class RequestReader:
    """Reads requests; each distinct text once. Safe to use from several threads."""

    def __init__(self, load: Callable[[], KnownWords]) -> None:
        self._load = load
        self._words: KnownWords | None = None
        self._lock = threading.Lock()
        self._things: dict[str, ReadWords] = {}
        self._texts: dict[str, ReadWords] = {}
        self._values: dict[str, str] = {}

    def read_all(self, requests: Sequence[JudgementRequest]) -> list[ReadRequest]:
        return [self._read(request) for request in requests]

    def _read(self, request: JudgementRequest) -> ReadRequest:
        found = []
        is_plain = True
        for argument in request.arguments:
            category = argument.category
            read = self._things.get(category) if category else self._texts.get(argument.text)
            if read is None:
                read = self._read_words(argument)
            found.append(read)
            if read.note or read.unknown or read.core or argument.attributes:
                is_plain = False
        return ReadRequest(request) if is_plain else self._put_words(request, found)

    def _read_words(self, argument: ArgumentContext) -> ReadWords:
        is_text = argument.is_text
        read = read_words(argument.words, self._load_once(), is_text=is_text)
        if is_text:
            self._texts = _remember(self._texts, argument.text, read)
        else:
            self._things = _remember(self._things, argument.category, read)
        return read

    def _put_words(self, request: JudgementRequest, found: Sequence[ReadWords]) -> ReadRequest:
        """Put the words that were read into a request, and read its attributes."""
        arguments = tuple(
            self._put(argument, read)
            for argument, read in zip(request.arguments, found, strict=True)
        )
        unknown = next((read.unknown for read in found if read.unknown), "")
        core = self._find_core(request, arguments, found)
        is_described = any(map(is_described_in_words, arguments))
        if arguments == request.arguments:
            return ReadRequest(request, unknown=unknown, core=core, is_described=is_described)
        return ReadRequest(
            replace(request, arguments=arguments),
            "; ".join(read.note for read in found if read.note),
            unknown,
            any(read.is_nameless for read in found),
            core,
            is_described,
        )

    def _find_core(
        self,
        request: JudgementRequest,
        arguments: Sequence[ArgumentContext],
        found: Sequence[ReadWords],
    ) -> JudgementRequest | None:
        """Ask about the cores of the names, and without descriptions, where there are any."""
        if not any(read.core for read in found) and not any(map(is_described_in_words, arguments)):
            return None
        cores = tuple(
            replace(
                argument,
                category=read.core or argument.category,
                attributes=tuple(one for one in argument.attributes if one[0] != DESCRIPTION),
            )
            for argument, read in zip(arguments, found, strict=True)
        )
        return replace(request, arguments=cores)

    def _put(self, argument: ArgumentContext, read: ReadWords) -> ArgumentContext:
        attributes = tuple((key, self._read_value(key, v)) for key, v in argument.attributes)
        if not read.note:
            return argument if not attributes else replace(argument, attributes=attributes)
        if argument.is_text:
            return replace(argument, text=read.name)
        return replace(argument, category=read.name, attributes=attributes)

    def _read_value(self, key: str, value: AttributeValue) -> AttributeValue:
        """Cut a text like a label; "" if nothing is left. Names of elements are no words."""
        if not isinstance(value, str) or (key == "name" and _NAME.fullmatch(value)):
            return value
        cut = self._values.get(value)
        if cut is None:
            cut = cut_label(value, self._load_once())
            self._values = _remember(self._values, value, cut)
        return cut

    def _load_once(self) -> KnownWords:
        with self._lock:
            if self._words is None:
                self._words = self._load()
            return self._words


def is_described_in_words(argument: ArgumentContext) -> bool:
    """Return True if the context of an argument has a description that says something."""
    return any(name == DESCRIPTION and value for name, value in argument.attributes)


def _remember(kept: dict[str, Read], text: str, read: Read) -> dict[str, Read]:
    """Keep what was read; a full dictionary is replaced, because another thread may be reading."""
    if len(text) > LONGEST_KEPT:
        return kept
    if len(kept) >= MOST_KEPT:
        kept = {}
    kept[text] = read
    return kept


def _show(words: str) -> str:
    short = " ".join(words.split())
    return f"{short[:SHOWN]!r}..." if len(short) > SHOWN else repr(short)
