# SPDX-License-Identifier: Apache-2.0
"""Clauses with their nouns masked, and the phrases of a domain as frames: verb, markers, slots.

"(put|place) {item} [down] on {support}" has two: put or place, OBJECT -> item, on -> support.
The demand model sees a clause with its nouns masked ("put something in something"), so that a
sentence about apples teaches something about bolts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.model import Domain
from fcp_ros.domain.phrases import FlatPart, PhraseSlot, list_slots
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.meanings import Meaning, list_meanings

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


_PREPOSITIONS = gather_words(
    "about above across against along and around at behind below beneath beside between by for "
    "from in inside into near of off on onto out outside over past through to toward towards under "
    "until upon using via with within without"
)
_PARTICLES = gather_words("up down off on out away back over together apart in")
_COPULAS = frozenset(["is", "are", "be"])
_FILLERS = frozenset(["a", "an", "the", "its", "their", "his", "her", "some", "any"])
MOST_FRAMES = 64
"""Most frames of one meaning: the model sees the first, which come from the first phrases."""


@dataclass(frozen=True, slots=True)
class Role:
    """A place in a frame."""

    marker: str  # ties it to the verb, as in `SpokenArgument`
    slot: str = ""  # the slot that stands there; "" for a word of the phrase itself
    word: str = ""  # that word, such as "table" in "set the table"; "" for a slot


@dataclass(frozen=True, slots=True)
class Frame:
    """One way to ask for a meaning.

    Attributes:
        verb, particle, complement: as in `DemandClause`.
    """

    verb: str
    particle: str
    complement: str
    roles: tuple[Role, ...]  # in the order of the words
    meaning: Meaning

    @property
    def action(self) -> str:
        """The verb with its particle."""
        return f"{self.verb} {self.particle}".strip()

    @property
    def masked(self) -> str:
        """The frame in words with its slots masked; words of the phrase itself stay."""
        places = [(role.marker, role.word) for role in self.roles]
        return write_masked(self.action, places, self.complement)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots, from left to right."""
        return tuple(role.slot for role in self.roles if role.slot)


def list_frames(domain: Domain) -> tuple[Frame, ...]:
    """List the frames of all phrases of a domain, each once; the shorter come first."""
    ways: dict[tuple[str, str], list[tuple[Meaning, tuple[FlatPart, ...]]]] = {}
    for meaning, variant in list_meanings(domain):
        ways.setdefault((meaning.name, str(meaning.goal)), []).append((meaning, variant))
    return tuple(frame for some in ways.values() for frame in make_frames(some))


def make_frames(ways: Iterable[tuple[Meaning, Sequence[FlatPart]]]) -> list[Frame]:
    """Make the frames of ways to say one meaning, at most `MOST_FRAMES`."""
    found: dict[tuple[str, tuple[str, ...]], Frame] = {}
    for meaning, variant in sorted(ways, key=lambda way: len(way[1])):
        frame = make_frame(meaning, variant)
        if frame is not None:
            found.setdefault((frame.masked, frame.slots), frame)
    return list(found.values())[:MOST_FRAMES]


def make_frame(meaning: Meaning, variant: Sequence[FlatPart]) -> Frame | None:
    """Read one way to say a phrase as a frame; None if it has no verb."""
    parts: list[str | PhraseSlot] = [
        part if isinstance(part, PhraseSlot) else part.text for part in variant
    ]
    parts = [part for part in parts if part not in _FILLERS]
    roles: list[Role] = []
    if parts and isinstance(parts[0], PhraseSlot):
        roles.append(Role(SUBJECT, parts[0].name))
        parts = parts[1:]
    if not parts or isinstance(parts[0], PhraseSlot):
        return None
    verb, rest = parts[0], parts[1:]
    following = rest[0] if rest and isinstance(rest[0], str) else ""
    if roles and verb in _COPULAS and following.endswith("ing") and len(rest) > 1:
        verb, rest = following.removesuffix("ing"), rest[1:]
    elif roles and verb in _COPULAS:
        verb = "be"
    elif roles:
        verb = _drop_ending(verb)
    reading = _FrameReading(subject=bool(roles))
    reading.read(rest)
    all_slots = [role.slot for role in (*roles, *reading.roles) if role.slot]
    if set(all_slots) != set(list_slots(variant)):
        return None
    return Frame(verb, reading.particle, reading.complement, (*roles, *reading.roles), meaning)


class _FrameReading:
    """Reads what follows the verb of a phrase."""

    def __init__(self, subject: bool) -> None:
        self.particle = ""
        self.complement = ""
        self.roles: list[Role] = []
        self._subject = subject

    def read(self, parts: Sequence[str | PhraseSlot]) -> None:
        """Read the parts, from left to right."""
        preposition: list[str] = []
        words: list[str] = []
        for i, part in enumerate(parts):
            following = parts[i + 1] if i + 1 < len(parts) else None
            if isinstance(part, PhraseSlot):
                self._close(words, preposition)
                self._add(preposition, slot=part.name)
                preposition, words = [], []
            elif not words and self._is_particle(part, following):
                self.particle = part
            elif part in _PREPOSITIONS and (not words or following is not None):
                self._close(words, preposition)
                if words:
                    preposition, words = [], []
                preposition.append(part)
            else:
                words.append(part)
        if preposition and not words and not isinstance(parts[-1], PhraseSlot):
            words, preposition = preposition, []  # "is on"
        self._close(words, preposition)

    def _is_particle(self, word: str, following: str | PhraseSlot | None) -> bool:
        """Tell "turn on {device}" and "pick {item} up" from "put {item} on {support}"."""
        if self.particle or self.complement or word not in _PARTICLES or self._subject:
            return False
        if following is None:
            return True
        has_object = any(role.marker == OBJECT for role in self.roles)
        behind = following in _PREPOSITIONS if isinstance(following, str) else not has_object
        return behind if word != "out" or following != "of" else False

    def _close(self, words: list[str], preposition: list[str]) -> None:
        """End a run of words: an argument of the phrase itself, or a complement."""
        if not words:
            return
        said = " ".join(words)
        if preposition:
            self.roles.append(Role(PREPOSITION + " ".join(preposition), word=said))
        elif self._subject or self.roles:
            self.complement = f"{self.complement} {said}".strip()
        elif said == "me":
            self.roles.append(Role(RECEIVER, word=said))
        else:
            self.roles.append(Role(OBJECT, word=said))

    def _add(self, preposition: list[str], slot: str) -> None:
        if preposition:
            self.roles.append(Role(PREPOSITION + " ".join(preposition), slot))
            return
        objects = [i for i, role in enumerate(self.roles) if role.marker == OBJECT]
        if objects and not self.complement:  # "give {person} {item}"
            first = self.roles[objects[0]]
            self.roles[objects[0]] = Role(RECEIVER, first.slot, first.word)
        self.roles.append(Role(OBJECT, slot))


def _drop_ending(verb: str) -> str:
    """Return the lemma of a verb in the present: "belongs" is "belong"."""
    if verb in ("has", "does", "goes"):
        return {"has": "have", "does": "do", "goes": "go"}[verb]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
