# SPDX-License-Identifier: Apache-2.0
"""A reader whose interpretations are given: for what comes after reading."""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

CUP = "bring me a cup"
CUP_GOAL = 'is_a(?x, "mug") and on(?x, counter_1)'
MUG = "put the mug away"
NONSENSE = "blorp the frim"
STRANGE = "apporte-moi une tasse"
BROKEN = "break"
DOUBTED = "the mug could go to the counter some day"
PARTLY = "put the purple mug on the counter"

WORDS = (
    WordUse(0, 5, WordRole.ACTION, "on(_, counter_1)", 0.9),
    WordUse(6, 8, WordRole.THING, "the counter of person_1"),
    WordUse(9, 10, WordRole.FILLER),
    WordUse(11, 14, WordRole.THING, "any mug", 0.95),
)

TV_OFF = "turn off the TV"
"""The scene says nothing of whether it is on."""

INTERPRETATIONS = (
    Interpretation(
        TV_OFF,
        ReadingStatus.READ,
        "Understood: television_1 is off.",
        (Reading("not switched_on(television_1)", 0.9, "television_1 is off."),),
    ),
    Interpretation(
        CUP,
        ReadingStatus.READ,
        "Understood: A mug is on the counter.",
        (Reading(CUP_GOAL, 0.9, "A mug is on the counter.", WORDS),),
    ),
    Interpretation(
        MUG,
        ReadingStatus.AMBIGUOUS,
        "Two places fit.",
        (
            Reading("on(mug_1, counter_1)", 0.8, "The mug is on the counter."),
            Reading("on(mug_1, tv_stand_1)", 0.75, "The mug is on the TV stand."),
            Reading("on(mug_1, couch_1)", 0.1, "The mug is on the couch."),
        ),
        "Where does the mug go?",
        ("on the counter", "on the TV stand"),
    ),
    Interpretation(
        NONSENSE,
        ReadingStatus.NOT_UNDERSTOOD,
        'Not understood: "blorp", "frim".',
        (
            Reading(
                "at(robot_1, kitchen_1)",
                0.1,
                "The robot is in the kitchen.",
                (WordUse(0, 5, WordRole.UNREAD), WordUse(10, 14, WordRole.UNREAD)),
            ),
        ),
    ),
    Interpretation(
        DOUBTED,
        ReadingStatus.READ,
        "Understood: mug_1 is on counter_1.",
        (
            Reading("on(mug_1, counter_1)", 0.6, "mug_1 is on counter_1."),
            Reading("on(mug_1, couch_1)", 0.3, "mug_1 is on couch_1."),
        ),
    ),
    Interpretation(
        PARTLY,
        ReadingStatus.NOT_UNDERSTOOD,
        'Not understood: "purple".',
        (
            Reading(
                "on(mug_1, counter_1)",
                0.15,
                "mug_1 is on counter_1.",
                (
                    WordUse(0, 3, WordRole.ACTION, "on(_, _)"),
                    WordUse(4, 7, WordRole.FILLER),
                    WordUse(8, 14, WordRole.UNREAD),
                    WordUse(15, 18, WordRole.THING, "mug_1"),
                    WordUse(19, 21, WordRole.ACTION, "on(_, _)"),
                    WordUse(22, 25, WordRole.FILLER),
                    WordUse(26, 33, WordRole.THING, "counter_1"),
                ),
            ),
        ),
    ),
    Interpretation(STRANGE, ReadingStatus.REFUSED, "This is French: ask in English."),
    Interpretation(BROKEN, ReadingStatus.FAILED, "The model did not answer: start it."),
)


class ScriptedReader:
    """Answers with the interpretation that was given for an instruction.

    Attributes:
        contexts: what it was given, one for each reading.
    """

    name = "scripted"

    def __init__(self, interpretations: Mapping[str, Interpretation] | None = None) -> None:
        self._interpretations = interpretations or {one.instruction: one for one in INTERPRETATIONS}
        self.contexts: list[ReadingContext] = []

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Return the interpretation of the script; not understood without one."""
        self.contexts.append(context)
        context.check()
        unknown = Interpretation(instruction, ReadingStatus.NOT_UNDERSTOOD, "Not in the script.")
        return self._interpretations.get(instruction, unknown)
