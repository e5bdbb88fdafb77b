# SPDX-License-Identifier: Apache-2.0
"""Clauses as values: a verb and its arguments, each with the marker that ties it to the verb.

The demand model sees a clause with its nouns masked, so that a sentence about apples teaches
something about bolts: "put something in something".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

SUBJECT, OBJECT, RECEIVER = "nsubj", "dobj", "iobj"
"""Markers of arguments without a preposition; that of another is "prep:" and the preposition."""
PREPOSITION = "prep:"
JOINED = "prep:and"
"""What "and" joins to the object; it stands in a place of its own only in "swap {a} and {b}"."""
SOURCES = frozenset(["from", "off", "out of", "off of", "away from", "from under", "from behind"])
"""Prepositions of where a thing was before."""
PARTICLES = frozenset(["on", "off", "up", "down", "out", "in", "over"])
"""Prepositions that may be the particle of a verb."""
_MASK = "something"
_WANTING = frozenset(["want", "need", "like", "love", "prefer", "wish", "have"])
_PLACES = frozenset(
    ["in", "on", "at", "inside", "under", "near", "by", "off", "behind", "onto", "into", "and"]
)


@dataclass(frozen=True, slots=True)
class SpokenArgument:
    """An argument of a verb."""

    marker: str  # `SUBJECT`, `OBJECT`, `RECEIVER`, or "prep:in"
    # its head with the words before it that name a kind ("coffee mug"), in the singular and in
    # lower case
    noun: str
    # False for an act or the like, which stays in the masked clause: "give something a wipe"
    is_thing: bool = True

    @property
    def preposition(self) -> str:
        """The preposition; "" for an argument without one."""
        return self.marker.removeprefix(PREPOSITION) if PREPOSITION in self.marker else ""


@dataclass(frozen=True, slots=True)
class DemandClause:
    """A clause of an instruction."""

    verb: str
    particle: str = ""  # "up" in "pick up"; "" for none
    arguments: tuple[SpokenArgument, ...] = ()  # in the order of the words
    # what is said of the object, or of the subject of "be": "clean" in "wipe it clean" and "the
    # table is clean"
    complement: str = ""
    negated: bool = False  # True for "is not clean"; a prohibition is no matter of the clause

    @property
    def action(self) -> str:
        """The verb with its particle."""
        return f"{self.verb} {self.particle}".strip()

    @property
    def with_particle(self) -> DemandClause | None:
        """The clause with its first preposition as a particle: "turn on | the lamp"; or None."""
        first = next(iter(self.arguments), None)
        if first is None or self.particle or first.preposition not in PARTICLES:
            return None
        if any(argument.marker == OBJECT for argument in self.arguments):
            return None
        rest = (SpokenArgument(OBJECT, first.noun), *self.arguments[1:])
        return replace(self, particle=first.preposition, arguments=rest)

    @property
    def with_preposition(self) -> DemandClause | None:
        """The clause with its particle as a preposition: "put | in the sink"; or None."""
        single = len(self.arguments) == 1 and self.arguments[0].marker == OBJECT
        if not single or self.particle not in PARTICLES:
            return None
        argument = replace(self.arguments[0], marker=PREPOSITION + self.particle)
        return replace(self, particle="", arguments=(argument,))

    @property
    def as_state(self) -> DemandClause | None:
        """The wanted state: "I want | the door closed" is "the door is closed"; or None.

        A thing that is wanted from somewhere or for somebody is no state.
        """
        wanted = next((a for a in self.arguments if a.marker == OBJECT), None)
        if self.verb not in _WANTING or wanted is None:
            return None
        places = all(a.preposition in _PLACES for a in self.arguments if a.preposition)
        if not places or not (self.particle or self.complement or len(self.arguments) > 1):
            return None
        arguments = tuple(
            replace(a, marker=SUBJECT if a is wanted else a.marker) for a in self.arguments
        )
        complement = self.complement or self.particle
        return DemandClause("be", "", arguments, complement, self.negated)

    @property
    def masked(self) -> str:
        """The clause in words with its nouns masked, such as "put something in something"."""
        return write_masked(
            self.action,
            [(a.marker, "" if a.is_thing else a.noun) for a in self.arguments],
            self.complement,
            self.negated,
        )


def write_masked(
    action: str, places: Sequence[tuple[str, str]], complement: str = "", negated: bool = False
) -> str:
    """Write a verb and its arguments as words in the order of English.

    Args:
        places: the marker of each argument, and the word that stands there; "" is masked.
        complement: as in `DemandClause`.
        negated: with "not".
    """
    said = [(marker, word or _MASK) for marker, word in places]
    words = [word for marker, word in said if marker == SUBJECT]
    words += ["is" if action == "be" else action]
    words += ["not"] if negated else []
    for wanted in (RECEIVER, OBJECT):
        words += [word for marker, word in said if marker == wanted]
    words += [complement] if complement else []
    for marker, word in said:
        if marker.startswith(PREPOSITION) and marker != JOINED:
            words += [marker.removeprefix(PREPOSITION), word]
    return " ".join(words)
