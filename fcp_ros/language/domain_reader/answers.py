# SPDX-License-Identifier: Apache-2.0
"""Answers: the status, question and message of the readings that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.wording import join_words, shorten_words, to_printable
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import list_unread
from fcp_ros.language.domain_reader.terms.referents import Ambiguity
from fcp_ros.language.english.function_words import ENGLISH, FILLERS, FOREIGN, PREPOSITIONS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.turning_words import COMPARING, CONTRARY, NOTHINGS
from fcp_ros.language.parsing.clauses.hedges import Asides
from fcp_ros.language.questions import ask_which, describe_choices
from fcp_ros.language.reading import (
    Interpretation,
    Reading,
    ReadingStatus,
    Refusal,
    WordRole,
    WordUse,
)

READER = "domain"
MARGIN = 0.05
"""The best reading counts if no other one comes as near as this."""
LEAST_REST = 0.5
"""Least degree of a reading without words that ask for nothing, as if these had been read."""
LEAST_DEGREE = Confidence.DOUBTFUL.least
"""A reading below is shown, and not taken."""
_POINTERS = frozenset(("it", "them", "they", "this", "that", "these", "those", "there", "ones"))
MOST_SHOWN = 5
"""Readings that are given at most."""


@dataclass(frozen=True)
class ReadingCandidate:
    """A reading, and the choice that it makes where a phrase could be several elements."""

    reading: Reading
    ambiguity: Ambiguity | None = None
    choice: str = ""
    vague: bool = False  # it lacks only what nobody knows of a thing ("the *black* table")
    orphaned: bool = False  # it has what a verb is about, and lacks the verb


def refuse(instruction: str, reason: Refusal, message: str) -> Interpretation:
    """Answer what isn't obeyed."""
    status = ReadingStatus.REFUSED
    return Interpretation(instruction, status, message, reader=READER, refusal=reason)


def answer_unread(
    instruction: str, message: str, readings: Sequence[Reading] = ()
) -> Interpretation:
    """Answer what was not understood."""
    return Interpretation(
        instruction,
        ReadingStatus.NOT_UNDERSTOOD,
        message,
        tuple(readings[:MOST_SHOWN]),
        reader=READER,
    )


def answer(
    instruction: str, candidates: Sequence[ReadingCandidate], domain: Domain, instance: Instance
) -> Interpretation:
    """Choose the answer from the readings that were found, best first.

    Args:
        candidates: at least one; each goal once.
        domain: its phrases tell elements apart.
    """
    readings = [candidate.reading for candidate in candidates]
    best = candidates[0]
    unread = best.reading.unread
    if unread and best.vague:
        return _answer_without(instruction, best.reading, readings[1:MOST_SHOWN])
    if unread:
        words = [f'"{instruction[use.start : use.end]}"' for use in unread[:8]]
        said = f"Not understood: {to_printable(join_words(words))}. Say it in other words."
        if stands_alone(instruction, best.reading):
            said += f" The rest would be: {best.reading.paraphrase}"
        whole = [candidate.reading for candidate in candidates if not candidate.orphaned]
        return answer_unread(instruction, shorten_words(said), whole)
    if best.reading.degree < LEAST_DEGREE:
        message = (
            "This may be meant, but it is far from clear: "
            f"{best.reading.paraphrase} Say it in other words."
        )
        return answer_unread(instruction, message, readings)
    rivals = [
        candidate
        for candidate in candidates
        if candidate.reading.degree > best.reading.degree - MARGIN and not candidate.reading.unread
    ]
    if len(rivals) > 1:
        return _ask(instruction, rivals[:MOST_SHOWN], domain, instance)
    return Interpretation(
        instruction,
        ReadingStatus.READ,
        f"Understood: {best.reading.paraphrase}",
        tuple(readings[:MOST_SHOWN]),
        reader=READER,
    )


def stands_alone(instruction: str, reading: Reading) -> bool:
    """Return True if what was read means the same without the rest; not "*nobody* opens it"."""
    unread = (instruction[use.start : use.end].lower() for use in reading.unread)
    turned = not (CONTRARY | NOTHINGS | COMPARING).isdisjoint(unread)
    said = (instruction[u.start : u.end] for u in reading.words if u.role is WordRole.ACTION)
    acts = any((word.lower(),) not in PREPOSITIONS for word in said)
    first = next((u.role for u in reading.words if u.role is not WordRole.FILLER), None)
    opened = first is WordRole.UNREAD and not acts  # "*water* the plant" doesn't ask to hold it
    sure = _rate_rest(reading) >= LEAST_REST
    return sure and not (turned or opened) and not _points_at_unread(instruction, reading)


def _points_at_unread(instruction: str, reading: Reading) -> bool:
    """Return True if a pronoun comes behind words that weren't read: it may stand for them."""
    last = WordRole.FILLER
    for use in reading.words:
        is_pronoun = instruction[use.start : use.end].lower() in _POINTERS
        if is_pronoun and last is WordRole.UNREAD:
            return True
        if use.role in (WordRole.THING, WordRole.UNREAD) and not is_pronoun:
            last = use.role
    return False


def _rate_rest(reading: Reading) -> float:
    """Return the degree of a reading as if the words that it lacks had been read."""
    return min(1.0, reading.degree / Confidence.NOT.degree ** len(reading.unread))


def _answer_without(
    instruction: str, reading: Reading, others: Sequence[Reading]
) -> Interpretation:
    """Answer with a reading that lacks words: it is asked about, and they are named."""
    degree = min(_rate_rest(reading), Confidence.DOUBTFUL.degree)
    words = join_words(list_unread(instruction, reading))
    said = shorten_words(f"Understood without {to_printable(words)}: {reading.paraphrase}")
    found = (replace(reading, degree=degree), *others)
    return Interpretation(instruction, ReadingStatus.READ, said, found, reader=READER)


def _ask(
    instruction: str, rivals: Sequence[ReadingCandidate], domain: Domain, instance: Instance
) -> Interpretation:
    first = rivals[0].ambiguity
    same = first is not None and all(c.ambiguity == first for c in rivals)
    if same and first is not None:
        choices = describe_choices([c.choice for c in rivals], domain, instance)
        question = ask_which(first.said, choices)
    else:
        choices = tuple(c.reading.paraphrase.rstrip(".") for c in rivals)
        question = f"Which is meant: {join_words(choices, 'or')}?"
    question = shorten_words(to_printable(question))
    return Interpretation(
        instruction,
        ReadingStatus.AMBIGUOUS,
        question,
        tuple(candidate.reading for candidate in rivals),
        question,
        choices,
        READER,
    )


def list_words(
    asides: Asides, uses: Sequence[WordUse], unread: Sequence[int]
) -> tuple[WordUse, ...]:
    """List the use of every token, from left to right; each character has one use at most.

    Args:
        asides: its tokens, and the uses of those that were set aside.
        uses: those of a reading; where they overlap, the shortest that has a meaning counts.
        unread: places of tokens that were skipped.
    """
    tokens, places = asides.tokens, dict[int, WordUse]()
    ranked = sorted(uses, key=lambda u: (u.role is WordRole.FILLER, u.end - u.start))
    for number, token in enumerate(tokens):
        if number in unread:
            continue
        for use in ranked:
            if use.start <= token.start and token.end <= use.end:
                places[number] = use
                break
    found: list[WordUse] = []
    for number, token in enumerate(tokens):
        known = places.get(number)
        if known is None:
            plain = token.text in FILLERS or token.kind in (TokenKind.MARK, TokenKind.SYMBOL)
            role = WordRole.FILLER if plain and number not in unread else WordRole.UNREAD
            known = WordUse(token.start, token.end, role, "", 1.0 if plain else 0.0)
        start = max(token.start, known.start)
        end = min(token.end, known.end) if known.end >= token.end else token.end
        if found and found[-1].role is known.role and found[-1].meaning == known.meaning:
            last = found[-1]
            between = any(last.end <= aside.start < start for aside in asides.uses)
            if known.meaning and known.start <= last.start and known.end >= end and not between:
                found[-1] = WordUse(last.start, end, known.role, known.meaning, known.degree)
                continue
        found.append(WordUse(start, end, known.role, known.meaning, known.degree))
    return tuple(sorted((*found, *asides.uses), key=lambda use: use.start))


def name_language(tokens: Sequence[Token]) -> str:
    """Name the language of a sentence if its function words are not English; else empty."""
    words = [token.text for token in tokens if token.kind is TokenKind.WORD]
    if not words:
        return ""
    letters = [word for word in words if not word.isascii()]
    english = sum(word in ENGLISH for word in words)
    best, most = "", 0
    for language, listed in FOREIGN.items():
        known = frozenset(listed.split()) - ENGLISH
        count = sum(word in known for word in words)
        if count > most:
            best, most = language, count
    if most >= 2 and most > english:
        return best
    return "another" if len(letters) * 2 > len(words) and english == 0 else ""
