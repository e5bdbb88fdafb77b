# SPDX-License-Identifier: Apache-2.0
"""The gate between reading and planning: what is not plain is a question.

Whatever reader is used, `confirm_doubtful` is asked before anything is planned. It makes a question
of a reading in which its reader has no plain confidence, and of one that lacks words, if these
can't have turned its meaning round: "Shall I see to this: mug_1 is on table_1? I did not understand
"red"."
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.foundation.wording import join_words, shorten_words, to_printable
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.turning_words import CONTRARY, SAFETY, TURNING
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

YES, NO = "yes", "no"
"""The choices of a question with one reading."""
LACKING = "I did not understand"
"""Words before those that a reading lacks."""
MOST_OFFERED = 6
"""Words that may be missing in a reading that is offered."""

_CONTENT = (WordRole.THING, WordRole.QUANTITY, WordRole.QUALITY)
_LINKS = frozenset(["and", ",", ";", "."])
_WORDS = re.compile(r"[a-z0-9']+")
_MEASURE = re.compile(r"\d|(thousand|million|billion|trillion)s?$")


def confirm_doubtful(interpretation: Interpretation) -> Interpretation:
    """Make a question of a reading that is not plain, or that lacks words which may be left out.

    Returns:
        An interpretation that is AMBIGUOUS, with its reading and the choices yes and no; anything
        else as it is.
    """
    best = interpretation.best
    if best is not None:
        plain = best.level is Confidence.PLAIN
        return interpretation if plain else ask_to_confirm(interpretation, best)
    if interpretation.status is not ReadingStatus.NOT_UNDERSTOOD or not interpretation.readings:
        return interpretation
    partial = interpretation.readings[0]
    if not may_be_offered(interpretation.instruction, partial):
        return interpretation
    return ask_to_confirm(interpretation, partial)


def ask_to_confirm(interpretation: Interpretation, reading: Reading) -> Interpretation:
    """Ask if a reading is meant; the answers are yes and no."""
    question = f"Shall I see to this: {reading.paraphrase.rstrip('.')}?"
    unread = list_unread(interpretation.instruction, reading)
    if unread:
        question += f" {LACKING} {join_words(unread)}."
    return ask_person(interpretation, question, (reading,), (YES, NO))


def ask_person(
    interpretation: Interpretation,
    question: str,
    readings: tuple[Reading, ...],
    choices: tuple[str, ...],
) -> Interpretation:
    """Make a question of an answer, with a choice for each reading and perhaps one for none."""
    question = shorten_words(to_printable(question))
    return replace(
        interpretation,
        status=ReadingStatus.AMBIGUOUS,
        message=question,
        readings=readings,
        question=question,
        choices=choices,
    )


def list_unread(instruction: str, reading: Reading) -> list[str]:
    """List the parts of an instruction that a reading lacks, in quotes; neighbours are one part."""
    return [f'"{instruction[run[0].start : run[-1].end]}"' for run in _list_runs(reading)]


def may_be_offered(instruction: str, reading: Reading) -> bool:
    """Return True if a reading may be offered although words of the instruction are not in it.

    Each part that is missing has to describe what was understood ("the *red* mug"), or to be a
    clause of its own ("and *whistle a tune*"); the rest has to be likely. Nothing is offered if a
    word that was left out negates, excepts, restricts, conditions, orders, measures or warns: such
    a word may turn round what was understood.
    """
    unread = reading.unread
    if not 0 < len(unread) <= MOST_OFFERED:
        return False
    rest = reading.degree / Confidence.NOT.degree ** len(unread)
    if Confidence.of(rest) < Confidence.LIKELY:
        return False
    dropped = [use for use in reading.words if use.role in (WordRole.UNREAD, WordRole.FILLER)]
    words = [instruction[use.start : use.end].lower() for use in unread]
    if any(_MEASURE.search(word) or _turns(word, SAFETY | TURNING) for word in words):
        return False
    contrary = CONTRARY | SAFETY
    if any(_turns(instruction[use.start : use.end].lower(), contrary) for use in dropped):
        return False
    return all(_is_apart(instruction, reading, run) for run in _list_runs(reading))


def _turns(part: str, turning: frozenset[str]) -> bool:
    words = _WORDS.findall(part)
    return any(word in turning or word.endswith("n't") for word in words)


def _list_runs(reading: Reading) -> Iterator[list[WordUse]]:
    """Yield runs of words that were not understood; fillers within one belong to it."""
    run: list[WordUse] = []
    fillers: list[WordUse] = []
    for use in reading.words:
        if use.role is WordRole.UNREAD:
            run += [*(fillers if run else []), use]
            fillers = []
        elif use.role is WordRole.FILLER:
            fillers.append(use)
        else:
            if run:
                yield run
            run, fillers = [], []
    if run:
        yield run


def _is_apart(instruction: str, reading: Reading, run: list[WordUse]) -> bool:
    """Return True if a run describes the thing after it, is a clause of its own, or a manner."""
    if all(instruction[use.start : use.end].lower().endswith("ly") for use in run):
        return True  # "gently": adverbs that negate or order were found before
    first, last = reading.words.index(run[0]), reading.words.index(run[-1])
    following = reading.words[last + 1 : last + 2]
    if following and following[0].role in _CONTENT:
        return not any(use.role is WordRole.FILLER for use in run)

    def links(use: WordUse) -> bool:
        return instruction[use.start : use.end].lower() in _LINKS

    before = reading.words[first - 1] if first else None
    ends = not following or links(following[0])
    return ends and before is not None and links(before)
