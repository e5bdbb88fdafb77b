# SPDX-License-Identifier: Apache-2.0
"""Readings of an instruction as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.language.confidence import Confidence


class ReadingStatus(Enum):
    """The way in which the reading of an instruction ended."""

    READ = "read"
    """One reading is clearly the best one, and every content word is accounted for. One that leaves
    out words which probably ask for nothing names them (`Reading.unread`), and is never plain."""
    AMBIGUOUS = "ambiguous"
    """Several readings are about as good, or the only one is in doubt: `Interpretation.question`
    asks which one is meant."""
    NOT_UNDERSTOOD = "not understood"
    """There is no reading, or words that matter could not be read; the message lists them."""
    REFUSED = "refused"
    """It isn't obeyed whoever reads it, for the reason in `Interpretation.refusal`."""
    FAILED = "failed"
    """The reader itself failed, such as a model without an answer; the message says what to do."""


class Refusal(Enum):
    """The reason why an instruction isn't obeyed: no other reader is asked to find a way round."""

    EMPTY = "empty"
    LENGTH = "length"
    LANGUAGE = "language"
    QUESTION = "question"
    """A fact is asked for, and nothing to be done."""
    CONTRADICTION = "contradiction"
    """Not all of it can be so at once."""
    AMOUNT = "amount"
    """A number that isn't read, more things than there are, or than a goal can have."""
    REMAINDER = "remainder"
    """Nothing is left of what was named, or it isn't said which things are left out."""
    TIME = "time"
    """Nobody says how long actions take, or from when on it shall be so."""
    DEGREE = "degree"
    """A condition or a time of what is only so to a degree."""
    PERMISSION = "permission"
    """It is only said what may be done."""
    BAN = "ban"
    """It is only said what may not be done, and this names no state."""
    UNABLE = "unable"
    """No action brings it about: people aren't carried."""


class WordRole(Enum):
    """The part that words play in a reading."""

    ACTION = "action"
    """What shall be done or hold: a phrase of a task, rule, relation or graded predicate."""
    THING = "thing"
    """An element, a kind of thing, or a reference to one."""
    QUANTITY = "quantity"
    QUALITY = "quality"
    """An attribute or graded predicate of a thing."""
    ORDER = "order"
    """An order or time."""
    LIMIT = "limit"
    """A negation, exception or restriction."""
    FILLER = "filler"
    """Words without a meaning of their own here: articles, polite phrases."""
    UNREAD = "unread"
    """Not understood."""


@dataclass(frozen=True, slots=True)
class WordUse:
    """The meaning that some words of an instruction were given.

    Attributes:
        start, end: their place in the instruction: characters from `start` up to before `end`.
    """

    start: int
    end: int
    role: WordRole  # their part in the reading
    # what they were taken for, as a phrase for people, such as `mug_1`, `any cup`, or `spelled
    # "rubbish"`; empty for fillers
    meaning: str = ""
    degree: float = 1.0  # how sure that is, in [0, 1]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand an instruction."""

    goal: str  # in the goal language (docs/goals.md); it has passed `check_goal`
    degree: float  # how well it fits the words, in [0, 1]
    paraphrase: str  # the goal as an English sentence
    words: tuple[WordUse, ...] = ()  # the use of all words of the instruction, from left to right
    # it asks for something to be kept ("keep it shut"), not only to be left alone ("don't open it")
    keeps: bool = False

    @property
    def level(self) -> Confidence:
        """The level of confidence that the degree falls in."""
        return Confidence.of(self.degree)

    @property
    def unread(self) -> tuple[WordUse, ...]:
        """The words that were not understood."""
        return tuple(word for word in self.words if word.role is WordRole.UNREAD)


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The answer of a reader."""

    instruction: str
    status: ReadingStatus
    # a sentence for a person: how it was understood (with READ, the best reading's paraphrase), or
    # why it was not
    message: str
    # best first; with READ the first one counts. Readings that lack words are kept, to be shown.
    readings: tuple[Reading, ...] = ()
    question: str = ""  # asks which reading is meant; empty unless AMBIGUOUS
    # an answer for each of the first readings, such as "the mug in the sink"; one more than there
    # are readings means none of them
    choices: tuple[str, ...] = ()
    reader: str = ""
    refusal: Refusal | None = None  # the reason; None unless REFUSED

    @property
    def best(self) -> Reading | None:
        """The reading that counts; None unless READ."""
        return self.readings[0] if self.status is ReadingStatus.READ else None
