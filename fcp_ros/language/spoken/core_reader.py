# SPDX-License-Identifier: Apache-2.0
"""The core of a clause: what is asked for, of which things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.words import NUMBER
from fcp_ros.language.english.inflection import list_stems, write_gerund
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.quantities import MOST_NUMBER, read_number
from fcp_ros.language.parsing.trees import (
    Act,
    Argument,
    NounPhrase,
    Predication,
    SpokenClause,
    Words,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.spoken.chunks import (
    WORD,
    ClauseChunk,
    Row,
    cut_chunks,
    list_rows,
    rate_row,
)
from fcp_ros.language.spoken.clause_tree import ClauseNode
from fcp_ros.language.spoken.cores import Core
from fcp_ros.language.spoken.demand_reader import DemandReader
from fcp_ros.language.spoken.general_verbs import GeneralVerbs
from fcp_ros.language.spoken.span_phrases import SpanPhrases
from fcp_ros.language.spoken.verb_frames import FrameIndex, FrameMatch
from fcp_ros.language.syntax import Word

_LEFT_OVER = 0.9
"""Degree of a core for each chunk that is left to what stands around it."""
_SURE = 0.6
"""Degree from which a core needs no learned one beside it."""
_NO_PLACE = 0.6
_MOST_LEARNED = 3
_UNSPLIT = 0.8
"""Degree of one clause where two of the same form can be read."""
_MOST = 6


class CoreReader:
    """A reader of the cores of clauses.

    Args:
        phrases: of the sentence.
        frames: of the domain.
        demands: the learned model, for verbs that no frame has.
    """

    def __init__(
        self, phrases: SpanPhrases, frames: FrameIndex, demands: DemandReader | None = None
    ) -> None:
        self._phrases = phrases
        self._nouns = phrases.nouns
        self._frames = frames
        self._demands = demands
        self._general = GeneralVerbs(phrases)
        self._texts = [token.text for token in phrases.nouns.tokens]

    def read(self, node: ClauseNode, subject: ClauseChunk | None = None) -> list[Core]:
        """Read a clause that asks for something by its verb, best first.

        Args:
            node: the clause.
            subject: of a passive, which its verb is about.
        """
        verb = node.verb
        if verb.token < 0 or not (verb.is_verb or subject is None):
            return []
        chunks = cut_chunks(node, self._nouns, verb.token + 1)
        whole = self._read_chunks(chunks, verb, subject)
        split = list(self._read_split(chunks, verb)) if subject is None else []
        if split:  # "and the bowl on the shelf" repeats the form of what is before it
            whole = [_weaken(core, _UNSPLIT) for core in whole]
        found = [*whole, *split]
        found.sort(key=lambda core: -core.clause.degree)
        return _keep_apart(found)

    def _read_chunks(
        self, chunks: list[ClauseChunk], verb: Word, subject: ClauseChunk | None = None
    ) -> list[Core]:
        found: list[Core] = []
        stems = (verb.lemma, *list_stems(verb.text))
        for row in list_rows(chunks):
            for match in self._frames.match(stems, row, self._texts, subject):
                found += self._fill(match, row, subject, verb.token)
            for core in self._general.read(stems, row, subject):
                found.append(self._close(core, row, verb.token))
        found = _prefer_places(found)
        whole = [core for core in found if not core.rest and core.clause.degree >= _SURE]
        if self._demands is not None and not whole:
            found += self._read_learned(chunks, verb, subject)
        found.sort(key=lambda core: -core.clause.degree)
        return _keep_apart(found)

    def _read_learned(
        self, chunks: list[ClauseChunk], verb: Word, subject: ClauseChunk | None
    ) -> Iterator[Core]:
        """Yield what the learned model takes a clause for."""
        assert self._demands is not None
        for row in list_rows(chunks)[:_MOST_LEARNED]:
            for clause, rest in self._demands.read(verb.lemma, row, self._phrases, subject):
                yield self._close(Core(clause, rest), row, verb.token)

    def _read_split(self, chunks: list[ClauseChunk], verb: Word) -> Iterator[Core]:
        """Yield "put the mug on the table and the bowl on the shelf" as two clauses."""
        for number, chunk in enumerate(chunks[1:-1], start=1):
            for place in range(chunk.inner + 1, chunk.end - 1):
                if self._texts[place] not in ("and", ",", "but"):
                    continue
                start = place + 1 + (self._texts[place + 1] in ("and", "but"))
                before = [*chunks[:number], replace(chunk, end=place)]
                behind = [ClauseChunk("", "", start, start, chunk.end), *chunks[number + 1 :]]
                if [c.marker == "" for c in before] != [c.marker == "" for c in behind][
                    : len(before)
                ]:
                    continue
                first = self._read_chunks(before, verb)
                second = self._read_all(behind, verb)
                for one, other in zip(first[:2], second[:2], strict=False):
                    if not (one.rest or other.rest):
                        yield replace(one, following=(other.clause, *other.following))

    def _read_all(self, chunks: list[ClauseChunk], verb: Word) -> list[Core]:
        return [*self._read_split(chunks, verb), *self._read_chunks(chunks, verb)]

    def _close(self, core: Core, row: Row, verb: int) -> Core:
        clause = core.clause
        use = self._nouns.describe_use(verb, verb + 1, WordRole.ACTION, clause.verb)
        degree = clause.degree * rate_row(row) * _LEFT_OVER ** len(core.rest)
        return Core(replace(clause, uses=(use, *clause.uses), degree=degree), core.rest)

    def _fill(
        self, match: FrameMatch, row: Row, subject: ClauseChunk | None, verb: int
    ) -> Iterator[Core]:
        """Yield clauses with the phrases of the chunks in the slots of a frame."""
        meaning = match.frame.meaning
        offset = 1 if subject is not None else 0
        rest = tuple(c for i, c in enumerate(row) if i + offset not in match.used)
        choices: list[dict[str, tuple[Argument, float]]] = [{}]
        for slot, chunk in match.slots.items():
            type_ = meaning.types.get(slot, "")
            options = list(self._list_arguments(chunk, type_))
            choices = [{**known, slot: one} for known in choices for one in options]
        said = [chunk for i, chunk in enumerate(row) if i + offset in match.used]
        uses = (
            self._nouns.describe_use(verb, verb + 1, WordRole.ACTION, meaning.name),
            *self._describe_markers(said, match.slots),
        )
        for chosen in choices[:_MOST]:
            degree = match.degree * rate_row(row) * _LEFT_OVER ** len(rest)
            arguments: dict[str, Argument] = {}
            more: list[WordUse] = []
            for slot, option in chosen.items():
                argument, rated = option
                degree *= rated
                arguments[slot] = argument
                if not isinstance(argument, int):
                    more += list_phrase_uses(argument)
                else:
                    chunk = match.slots[slot]
                    more.append(self._nouns.describe_use(chunk.inner, chunk.end, WordRole.QUANTITY))
            act = Act.KEEP if match.frame.verb in KEEP_VERBS else Act.ACHIEVE
            predication = Predication(meaning, arguments, degree=degree)
            clause = SpokenClause(
                act, (predication,), verb=match.frame.verb, uses=(*uses, *more), degree=degree
            )
            yield Core(clause, rest)

    def _describe_markers(
        self, said: Sequence[ClauseChunk], slots: Mapping[str, ClauseChunk]
    ) -> Iterator[WordUse]:
        filled = {(chunk.inner, chunk.end) for chunk in slots.values()}
        for chunk in said:
            whole = chunk.marker == WORD or (chunk.inner, chunk.end) not in filled
            end = chunk.end if whole else chunk.inner
            if end > chunk.start:
                yield self._nouns.describe_use(chunk.start, end, WordRole.ACTION, chunk.said)

    def _list_arguments(self, chunk: ClauseChunk, type_: str) -> Iterator[tuple[Argument, float]]:
        """Yield what may fill a slot, each with its degree."""
        if type_ == NUMBER:
            found = read_number(self._nouns.tokens, chunk.inner)
            if found is not None and 0 < found[1] <= MOST_NUMBER:
                yield found[1], 1.0 if found[0] == chunk.end else 0.9
            return
        if type_ == TEXT:
            words = self._texts[chunk.inner : chunk.end]
            if chunk.marker in ("to",) and words:
                words = [write_gerund(words[0]), *words[1:]]
            yield NounPhrase(chunk.inner, chunk.end, Words(" ".join(words))), 0.95
            return
        for phrase in self._phrases.read(chunk.inner, chunk.end):
            degree = self._nouns.fit(phrase, type_) * phrase.degree
            if degree > 0.0:
                yield phrase, degree


def _weaken(core: Core, degree: float) -> Core:
    return replace(core, clause=replace(core.clause, degree=core.clause.degree * degree))


def _prefer_places(found: list[Core]) -> list[Core]:
    """Weaken "put (the mug on the table)" where "put (the mug) on the table" can be read."""
    if not any(_count_arguments(core) > 1 and not core.rest for core in found):
        return found
    return [
        _weaken(core, _NO_PLACE) if _count_arguments(core) == 1 and _is_placed(core) else core
        for core in found
    ]


def _count_arguments(core: Core) -> int:
    return max((len(said.arguments) for said in core.clause.predications), default=0)


def _is_placed(core: Core) -> bool:
    """Return True if it is said where the only thing of a clause is."""
    return any(
        isinstance(one, NounPhrase)
        and any(said.preposition and not said.source for said in one.qualities)
        for said in core.clause.predications
        for one in said.arguments.values()
    )


def _keep_apart(found: list[Core]) -> list[Core]:
    """Keep the best cores, each once."""
    kept: list[Core] = []
    for core in found:
        if all(_key(one) != _key(core) for one in kept):
            kept.append(core)
        if len(kept) == _MOST:
            break
    return kept


def _key(core: Core) -> tuple[object, ...]:
    return core.clause.predications, core.following, core.rest
