# SPDX-License-Identifier: Apache-2.0
"""The phrases of a domain as frames, by their verbs, matched with the chunks of a clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.language.demands.clause import OBJECT, PREPOSITION, RECEIVER, SUBJECT
from fcp_ros.language.demands.frames import Frame, Role, make_frame
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.spoken.chunks import WORD, ClauseChunk, Row

_OTHER_PREPOSITION = 0.97
_OTHER_PARTICLE = 0.93
_LOOSE_PARTICLES = frozenset(["up", "down", "over", "out", "off", "back", "away"])


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """Chunks in the places of a frame.

    Attributes:
        frame: the frame.
        slots: slot -> what stands there.
        used: the positions of chunks in the row that the frame has taken.
        degree: how well the words fit.
    """

    frame: Frame
    slots: Mapping[str, ClauseChunk]
    used: frozenset[int]
    degree: float


class FrameIndex:
    """The frames of a domain by their verbs."""

    def __init__(self, patterns: PatternTable) -> None:
        self._frames: dict[str, list[tuple[Frame, float]]] = {}
        seen: set[tuple[object, ...]] = set()
        for verb, known in patterns.imperatives.items():
            for pattern in known:
                frame = make_frame(pattern.meaning, pattern.parts)
                if frame is None:
                    continue
                key = (id(pattern.meaning), frame.masked, frame.particle, frame.slots)
                if key not in seen:
                    seen.add(key)
                    self._frames.setdefault(verb, []).append((frame, pattern.degree))
        self.words = {
            part.text
            for known in (patterns.imperatives, patterns.modifiers)
            for some in known.values()
            for pattern in some
            for part in pattern.parts
            if isinstance(part, PhraseWord)
        }

    def match(
        self,
        verbs: Sequence[str],
        row: Row,
        tokens: Sequence[str],
        subject: ClauseChunk | None = None,
    ) -> Iterator[FrameMatch]:
        """Yield the frames whose places are all filled by chunks of a row.

        Args:
            verbs: base forms that the verb may have.
            row: the chunks behind the verb.
            tokens: the words of the sentence.
            subject: of a passive; it stands for the object.
        """
        if subject is not None:
            row = (replace(subject, marker=""), *row)
        for verb in dict.fromkeys(verbs):
            for frame, degree in self._frames.get(verb, ()):
                found = _Matching(frame, row, tokens).find()
                if found is not None:
                    slots, used, rated = found
                    yield FrameMatch(frame, slots, used, degree * rated)


class _Matching:
    def __init__(self, frame: Frame, row: Row, tokens: Sequence[str]) -> None:
        self._frame = frame
        self._row = row
        self._tokens = tokens
        self._bare = [i for i, chunk in enumerate(row) if chunk.marker == ""]

    def find(self) -> tuple[dict[str, ClauseChunk], frozenset[int], float] | None:
        """Return slots, used chunks and degree; None if a place stays empty."""
        used: set[int] = set()
        degree = 1.0
        slots: dict[str, ClauseChunk] = {}
        particle = self._frame.particle
        opened: int | None = None
        if particle:
            found = self._find_word(particle, used)
            if found is not None:
                used.add(found)
            else:
                opened = next(
                    (i for i, c in enumerate(self._row) if c.said.split()[:1] == [particle]), None
                )
                if opened is None:
                    return None
        for word in self._frame.complement.split():
            found = self._find_word(word, used)
            if found is None:
                return None
            used.add(found)
        roles = self._frame.roles
        has_receiver = any(role.marker == RECEIVER for role in roles)
        for role in roles:
            filled = self._fill(role, used, has_receiver, opened)
            if filled is None:
                return None
            place, chunk, rated = filled
            used.add(place)
            degree *= rated
            if role.slot:
                slots[role.slot] = chunk
        if any(i not in used for i in self._bare):
            return None  # the verb has an object that the frame has no place for
        for i, chunk in enumerate(self._row):
            if i not in used and chunk.marker == WORD and chunk.said in _LOOSE_PARTICLES:
                used.add(i)
                degree *= _OTHER_PARTICLE
        return slots, frozenset(used), degree

    def _find_word(self, word: str, used: set[int]) -> int | None:
        for i, chunk in enumerate(self._row):
            if i in used or (chunk.marker not in (WORD, "") and chunk.end > chunk.inner):
                continue
            single = chunk.end - chunk.start == 1
            if single and (chunk.said or self._tokens[chunk.start]) == word:
                return i
        return None

    def _fill(
        self, role: Role, used: set[int], has_receiver: bool, opened: int | None
    ) -> tuple[int, ClauseChunk, float] | None:
        for i, chunk in enumerate(self._row):
            if i in used or chunk.marker == WORD:
                continue
            degree = self._rate_marker(role, i, chunk, has_receiver, opened)
            if degree and (not role.word or self._is_word(role.word, chunk)):
                return i, chunk, degree
        return None

    def _rate_marker(
        self, role: Role, place: int, chunk: ClauseChunk, has_receiver: bool, opened: int | None
    ) -> float:
        marker = role.marker
        if marker == OBJECT:
            if place == opened and chunk.marker:
                return 1.0
            if chunk.marker:
                return 0.0
            several = len(self._bare) > 1 and has_receiver
            return float(not several or place == self._bare[1])
        if marker == RECEIVER:
            return float(not chunk.marker and len(self._bare) > 1 and place == self._bare[0])
        if marker == SUBJECT or not marker.startswith(PREPOSITION):
            return 0.0
        wanted = marker.removeprefix(PREPOSITION)
        if chunk.said == wanted:
            return 1.0
        stands = PREPOSITIONS.get(tuple(wanted.split()))
        return _OTHER_PREPOSITION if chunk.marker and stands == chunk.marker else 0.0

    def _is_word(self, word: str, chunk: ClauseChunk) -> bool:
        said = [t for t in self._tokens[chunk.inner : chunk.end] if t not in ("the", "a", "an")]
        wanted = [t for t in word.split() if t not in ("the", "a", "an")]
        if len(said) != len(wanted):
            return False
        return all(s == w or w in list_stems(s) for s, w in zip(said, wanted, strict=True))
