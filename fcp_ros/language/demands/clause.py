# SPDX-License-Identifier: Apache-2.0
"""Clauses as values: a verb and its arguments, each with the marker that ties it to the verb.

The demand model sees a clause with its nouns masked, so that a sentence about apples teaches
something about bolts: "put something in something".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

SUBJECT, OBJECT, RECEIVER = "nsubj", "dobj", "iobj"
"""Markers of arguments without a preposition; that of another is "prep:" and the preposition."""
PREPOSITION = "prep:"
PARTICLES = frozenset(["on", "off", "up", "down", "out", "in", "over"])
"""Prepositions that may be the particle of a verb."""
_MASK = "something"


@dataclass(frozen=True, slots=True)
class SpokenArgument:
    """An argument of a verb.

    Attributes:
        marker: `SUBJECT`, `OBJECT`, `RECEIVER`, or "prep:in".
        noun: its head with the words before it that name a kind ("coffee mug"), in the singular
            and in lower case.
    """

    marker: str
    noun: str

    @property
    def preposition(self) -> str:
        """The preposition; "" for an argument without one."""
        return self.marker.removeprefix(PREPOSITION) if PREPOSITION in self.marker else ""


@dataclass(frozen=True, slots=True)
class DemandClause:
    """A clause of an instruction.

    Attributes:
        verb: its lemma.
        particle: "up" in "pick up"; "" for none.
        arguments: in the order of the words.
        complement: what is said of the object, or of the subject of "be": "clean" in "wipe it
            clean" and "the table is clean".
        negated: True for "is not clean"; a prohibition is no matter of the clause.
    """

    verb: str
    particle: str = ""
    arguments: tuple[SpokenArgument, ...] = ()
    complement: str = ""
    negated: bool = False

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
    def masked(self) -> str:
        """The clause in words with its nouns masked, such as "put something in something"."""
        return write_masked(
            self.action, [a.marker for a in self.arguments], self.complement, self.negated
        )


def write_masked(
    action: str, markers: list[str], complement: str = "", negated: bool = False
) -> str:
    """Write a verb and its arguments as words in the order of English."""
    words: list[str] = [_MASK] if SUBJECT in markers else []
    words += ["is" if action == "be" else action]
    words += ["not"] if negated else []
    for marker in (RECEIVER, OBJECT):
        words += [_MASK] * markers.count(marker)
    words += [complement] if complement else []
    for marker in markers:
        if marker.startswith(PREPOSITION):
            words += [marker.removeprefix(PREPOSITION), _MASK]
    return " ".join(words)
