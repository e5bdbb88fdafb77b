# SPDX-License-Identifier: Apache-2.0
"""Verb phrases of statements: auxiliaries, negation, and verbs of being somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import gather_words

_MODALS = gather_words("should must shall will would can could may might ought")
_OWNED = gather_words("has have had need needs ought want wants got requires require")
_GOING = gather_words("goes go belongs belong gets get lives live")
_ADVERBS = gather_words(
    "also always never still really then now please ever just already soon again finally "
    "instead not eventually later better only"
)
_NEVER = frozenset(
    ("at no time", "at no point", "at no moment", "under no circumstances", "on no account")
)
_ALWAYS = frozenset(("at all times", "all the time", "the whole time", "all the while"))
_FLOATING = gather_words("all both each")
_BEING = gather_words(
    "be get become end go stand lie sit rest return live belong hang land come remain stay wind "
    "have leave"
)
_POSTURES = gather_words(
    "standing lying sitting resting hanging located situated waiting found made lined"
)
_STAYING = frozenset(["stay", "stays", "remain", "remains", "kept"])
_MEANT = gather_words("supposed meant expected intended required")


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """The words between a subject and what is said of it."""

    end: int
    negated: bool = False  # "not", "never"
    demanded: bool = False  # it shall be so; else it is so
    stays: bool = False


class _Reader:
    """A reader of one verb phrase; `place` moves on."""

    def __init__(self, get: Callable[[int], str], start: int) -> None:
        self._get = get
        self.found = VerbPhrase(start)

    @property
    def text(self) -> str:
        return self._get(self.found.end)

    def step(self, count: int = 1) -> None:
        self.found = replace(self.found, end=self.found.end + count)

    def skip_adverbs(self, floating: bool = True) -> None:
        """Skip "always", "not"; with `floating` also "all" as in "they should all be"."""
        while True:
            text = " ".join(self._get(self.found.end + i) for i in range(3))
            if text in _NEVER or text in _ALWAYS:
                negated = self.found.negated or text in _NEVER
                self.found = replace(self.found, negated=negated, stays=True)
                self.step(3)
                continue
            if self.text not in _ADVERBS and not (floating and self.text in _FLOATING):
                return
            negated = self.text in ("not", "never")
            stays = self.text in ("never", "always", "ever")
            self.found = replace(
                self.found, negated=self.found.negated or negated, stays=self.found.stays or stays
            )
            self.step()

    def demand(self) -> None:
        self.found = replace(self.found, demanded=True)

    def read_base(self) -> bool:
        """Read "be standing", "end up", "stay"; False if no such verb is there."""
        self.skip_adverbs()
        text = self.text
        if text not in _BEING:
            return False
        self.step()
        if text in _STAYING:
            self.found = replace(self.found, stays=True)
        if text in ("end", "wind"):
            if self.text != "up":
                return False
            self.step()
        self.read_posture()
        return True

    def read_posture(self) -> None:
        """Read "standing", "kept" behind "be"."""
        self.skip_adverbs(floating=False)
        if self.text == "being":
            self.step()
        if self.text in _POSTURES or (self.text == "left" and self._is_state()):
            self.step()
        elif self.text == "kept":
            self.found = replace(self.found, stays=True)
            self.step()

    def _is_state(self) -> bool:
        """Return True for "left open", "left on": no place follows."""
        state = self._get(self.found.end + 1)
        if state == "on":
            return self._get(self.found.end + 2) in ("", ",", ".", "and", "then")
        return state not in ("", ",", ".", "in", "at", "where")


def read_verb_phrase(get: Callable[[int], str], start: int) -> VerbPhrase:
    """Read "should not be", "goes", "is to be"; its end is `start` if there is none.

    Args:
        get: the text of a token.
        start: the first token behind the subject.
    """
    reader = _Reader(get, start)
    reader.skip_adverbs()
    none = VerbPhrase(start)
    text = reader.text
    if text in _STAYING and text != "kept":
        reader.step()
        return replace(reader.found, demanded=True, stays=True)
    if text in _GOING or text in ("be", "ends"):
        reader.step()
        reader.demand()
        if text == "ends" and reader.text == "up":
            reader.step()
        reader.read_posture()
        return reader.found
    if text == "got" and get(reader.found.end + 1) != "to":
        reader.step()
        return reader.found
    if text == "to":
        reader.step()
        reader.demand()
        return reader.found if reader.read_base() else none
    if text in BEING:
        return _read_finite(reader)
    if text in _OWNED:
        return _read_owned(reader) or none
    if text in _MODALS:
        reader.step()
        reader.demand()
        reader.skip_adverbs()
        if text == "ought" and reader.text == "to":
            reader.step()
        elif reader.text in ("need", "have", "ought") and get(reader.found.end + 1) == "to":
            reader.step(2)
        return reader.found if reader.read_base() else none
    return none


def _read_finite(reader: _Reader) -> VerbPhrase:
    """Read "is", "is not to be", "are supposed to be"."""
    reader.step()
    reader.skip_adverbs()
    before = reader.found
    if reader.text in _MEANT:
        reader.step()
    if reader.text == "to":
        reader.step()
        if reader.read_base():
            reader.demand()
            return reader.found
    reader.found = before
    reader.read_posture()
    return reader.found


def _read_owned(reader: _Reader) -> VerbPhrase | None:
    """Read "has to be", "needs wiping", "has been"."""
    text = reader.text
    reader.step()
    reader.skip_adverbs()
    if reader.text == "got" and text in ("has", "have"):
        reader.step()
    if reader.text == "to":
        reader.step()
        reader.demand()
        return reader.found if reader.read_base() else None
    if text in ("has", "have", "had") and reader.text in ("been", "become"):
        reader.step()
        reader.read_posture()
        return reader.found
    if reader.text == "be" and text in ("need", "needs"):
        reader.demand()
        return reader.found if reader.read_base() else None
    if text not in ("has", "have", "had", "ought") and reader.text.endswith("ing"):
        reader.demand()
        return reader.found
    return None


def skip_posture(get: Callable[[int], str], start: int) -> int:
    """Return the place behind "left", "standing", "still" where what is said follows."""
    reader = _Reader(get, start)
    reader.read_posture()
    return reader.found.end
