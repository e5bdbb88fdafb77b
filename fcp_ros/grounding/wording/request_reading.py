# SPDX-License-Identifier: Apache-2.0
"""Reads a request for a model: its words as people would say them, and what was read otherwise.

This comes before the lookup of judged pairs and before every model, so that all of them are asked
about the same words. Only the words change: what calibration learns stays with the request as it
was made.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from fcp_ros.grounding.protocol.judgement import (
    ArgumentContext,
    AttributeValue,
    JudgementRequest,
    Membership,
)
from fcp_ros.grounding.wording.known_words import KnownWords
from fcp_ros.grounding.wording.label_cutting import cut_label
from fcp_ros.grounding.wording.thing_names import find_unknown, read_name

NAMELESS = "thing"
"""The word for a thing whose label names nothing."""
SHOWN = 60
"""Characters of a label that a note shows."""
UNKNOWN_DEGREE = 0.2
"""About the mean degree of a thing for a purpose, whatever they are (measured: 0.16 to 0.21)."""
UNKNOWN_WEIGHT = 0.25
"""Weight of what an English model says of a word that it doesn't know; it is hardly more right than
the mean (docs/grounding.md)."""
UNKNOWN_ERROR = 0.3
"""Standard deviation of such a degree's error (measured)."""
MOST_KEPT = 65_536
_NAME = re.compile(r"[\w.|+/:-]{1,60}")
LONGEST_KEPT = 500
"""Characters of requests that are remembered."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request as a model is asked it.

    Args:
        request: with the words that were read.
        note: what was read otherwise, or "".
        unknown: a word that leaves open what is meant, or "".
        is_nameless: True if a label names nothing at all.
    """

    request: JudgementRequest
    note: str = ""
    unknown: str = ""
    is_nameless: bool = False

    def annotate(self, answer: Membership, *, is_english_only: bool) -> Membership:
        """Add the note; an answer about words that the model can't know becomes unsure.

        Args:
            answer: of a model.
            is_english_only: True for a model that knows no other language.
        """
        if not self.note and not self.unknown:
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


class RequestReader:
    """Reads requests. Safe to use from several threads.

    Args:
        load: loads the known words, at the first request.
    """

    def __init__(self, load: Callable[[], KnownWords]) -> None:
        self._load = load
        self._words: KnownWords | None = None
        self._lock = threading.Lock()
        self._kept: dict[tuple[ArgumentContext, ...], ReadRequest] = {}

    def read(self, request: JudgementRequest) -> ReadRequest:
        """Read a request."""
        arguments = request.arguments
        read = self._kept.get(arguments)
        if read is None:
            read = self._read(request, self._load_once())
            if len(self._kept) >= MOST_KEPT:
                self._kept = {}  # not cleared: another thread may be reading
            if len(str(request)) < LONGEST_KEPT:
                self._kept[arguments] = read
        # Two predicates may be asked about the same arguments.
        if read.request.predicate != request.predicate:
            asked = replace(read.request, predicate=request.predicate)
            return replace(read, request=asked)
        return read

    def _load_once(self) -> KnownWords:
        with self._lock:
            if self._words is None:
                self._words = self._load()
            return self._words

    def _read(self, request: JudgementRequest, known: KnownWords) -> ReadRequest:
        arguments, notes, unknown = [], [], ""
        is_nameless = False
        for argument in request.arguments:
            words = cut_label(argument.words, known, is_text=argument.is_text)
            is_nameless = is_nameless or not words
            name = read_name(words or NAMELESS, known, is_text=argument.is_text)
            if name != argument.words:
                notes.append(f"{_show(argument.words)} was read as {_show(name)}")
            unknown = unknown or find_unknown(name, known, is_text=argument.is_text)
            arguments.append(_put_words(argument, name, known))
        if tuple(arguments) == request.arguments:
            return ReadRequest(request, unknown=unknown)
        asked = replace(request, arguments=tuple(arguments))
        return ReadRequest(asked, "; ".join(notes), unknown, is_nameless)


def _put_words(argument: ArgumentContext, name: str, known: KnownWords) -> ArgumentContext:
    """Put the words that were read into an argument, and read its attributes."""
    attributes = tuple((key, _read_value(key, value, known)) for key, value in argument.attributes)
    if name == argument.words:
        return replace(argument, attributes=attributes)
    if argument.is_text:
        return replace(argument, text=name)
    return replace(argument, category=name, attributes=attributes)


def _read_value(key: str, value: AttributeValue, known: KnownWords) -> AttributeValue:
    """Cut a text like a label; "" if nothing of it is left. Names of elements are no words."""
    if not isinstance(value, str) or (key == "name" and _NAME.fullmatch(value)):
        return value
    return cut_label(value, known)


def _show(words: str) -> str:
    short = " ".join(words.split())
    return f"{short[:SHOWN]!r}..." if len(short) > SHOWN else repr(short)
