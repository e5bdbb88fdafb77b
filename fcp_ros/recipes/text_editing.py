# SPDX-License-Identifier: Apache-2.0
"""Edits of directions: names of food with what stands before them, work that is dropped, times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.recipes.direction_words import Measured
from fcp_ros.recipes.measures import NUMBER, RANGE, UNIT, read_number
from fcp_ros.recipes.recipe import FoodMention, MentionKind, Step

_PREPARED = (
    "melted softened beaten whisked cold cool warm warmed hot soft chopped diced sliced grated "
    "shredded minced cubed crushed unsalted salted lightly finely roughly freshly well raw cooked "
    "boiled hard-boiled peeled whole large small medium ground sifted room-temperature good "
    "clarified fresh dry dried browned toasted separated extra"
)
_ADJECTIVE = rf"(?:{'|'.join(_PREPARED.split())})"
_BEFORE = re.compile(
    rf"(?:(?P<share>\b(?:the\s+)?(?:rest|remainder|half|most|some)\s+of\s+(?:the\s+|your\s+)?)"
    rf"|(?:\babout\s+)?\b(?P<number>{RANGE})(?:\s*-?(?P<unit>{UNIT}))?\s+(?:of\s+(?:the\s+)?)?"
    rf"|(?P<article>\b(?:the|your|some|more|extra|enough|remaining)\s+))?"
    rf"(?P<prepared>(?:{_ADJECTIVE}(?:,?\s+|\s+and\s+))*)$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?](?!\d)|$)(?:\)|\s)*")
_WORD = re.compile(r"[^\W\d_]+")
_PRONOUN = re.compile(r"\b(?:them|it|these)\b(?P<with>\s+with\b\s*)?", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;]\s*(?:and\s+|then\s+)*|\s+(?:and|then)\s+", re.IGNORECASE)
_ANY_NUMBER = re.compile(NUMBER, re.IGNORECASE)
WHERE = re.compile(r"\b(?:in|into|on|over)\b", re.IGNORECASE)
_CONNECTED = (
    re.compile(r",\s*(?:and\s+)?$"),
    re.compile(r"\s+(?:and|with|or|plus)\s+$", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of a text and what takes its place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Preceding:
    """The words before a food's name that belong to it."""

    start: int
    kept: str = ""  # "the ", "half of the "
    quantity: float | None = None
    unit: str = ""


def find_preceding(text: str, start: int) -> Preceding:
    """Find the article, quantity and preparation before the name of a food."""
    match = _BEFORE.search(text[:start])
    if match is None:
        return Preceding(start)
    if match["share"]:
        return Preceding(match.start(), match["share"])
    if match["number"]:
        # "a spoonful of" stays where it can't be said in another quantity; "2 eggs" doesn't.
        kept = text[match.start() : match.start("prepared")] if match["unit"] else ""
        return Preceding(match.start(), kept, read_number(match["number"]), match["unit"] or "")
    return Preceding(match.start(), match["article"] or "")


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits; of two that overlap, the longer one. Capitals at a beginning are kept."""
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda one: (one.start - one.end, one.start)):
        if all(edit.end <= one.start or edit.start >= one.end for one in chosen):
            chosen.append(edit)
    for edit in sorted(chosen, key=lambda one: -one.start):
        new = edit.text
        before = text[: edit.start].rstrip()
        if new and (not before or before[-1] in ".!?"):
            new = new[0].upper() + new[1:]
        text = text[: edit.start] + new + text[edit.end :]
    return tidy(text)


def tidy(text: str) -> str:
    """Put spaces, commas and the first letter right after edits."""
    text = re.sub(r"\s+([,.;!?)])", r"\1", " ".join(text.split()))
    text = re.sub(r",(?:\s*,)+", ",", text)
    text = re.sub(r"^[,;.\s]+", "", text)
    text = re.sub(r"([.!?])\s*[.,]+(?=\s|$)", r"\1", text)
    return text[:1].upper() + text[1:]


def list_sentences(text: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text):
        if match.group().strip():
            yield match.start(), match.end()


def find_sentence(text: str, place: int) -> tuple[int, int]:
    """Return the bounds of the sentence around a place."""
    return next(
        ((start, end) for start, end in list_sentences(text) if start <= place < end),
        (0, len(text)),
    )


def find_verb(text: str, verbs: Sequence[str], start: int, end: int) -> re.Match[str] | None:
    """Find the last word in a part of a text that is a form of one of the verbs."""
    found = None
    for match in _WORD.finditer(text, start, end):
        if set(list_stems(match[0].lower())) & set(verbs):
            found = match
    return found


def remove_mention(text: str, start: int, end: int, verbs: Sequence[str] = ()) -> Edit | None:
    """Take a name out of an enumeration; None where it stands alone.

    What follows "and" is none of the enumeration if it is one of the `verbs`: "and arrange them".
    """
    first = find_preceding(text, start).start
    before = next((one for search in _CONNECTED if (one := search.search(text[:first]))), None)
    after = re.match(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+)(?=\w)", text[end:])
    if after is not None:
        word = _WORD.match(text, end + after.end())
        if word is not None and set(list_stems(word[0].lower())) & set(verbs):
            after = None
    # "salt, pepper and basil" without basil: "salt, pepper".
    if before is not None and (after is None or before.group().strip() == ","):
        return Edit(before.start(), end, "")
    return None if after is None else Edit(first, end + after.end(), "")


def leave_out(step: Step, mention: FoodMention) -> Edit:
    """Take what is left out of a step's text: its name, its clause or its sentence."""
    text, start, end = step.text, mention.start, mention.end
    first, last = find_sentence(text, start)
    others = [
        one
        for one in step.mentions
        if one.ingredient != mention.ingredient and first <= one.start < last
    ]
    edit = None
    if mention.kind is MentionKind.NOUN:
        edit = remove_mention(text, start, end, step.verbs)
    if edit is not None or not others:
        return edit or Edit(first, last, "")
    ends = [first, *(one.end() for one in _CLAUSE_END.finditer(text, first, last)), last]
    left = max(one for one in ends if one <= start)
    right = min(one for one in ends if one >= end)
    if any(left <= one.start < right for one in others):
        return Edit(find_preceding(text, start).start, end, "")
    pronoun = _PRONOUN.search(text, right, last)
    if pronoun is None:
        return Edit(left, right, "")
    # "Chop it and fry it with the onion" fries the onion; "and arrange it on top" does nothing.
    if pronoun["with"] is None:
        return Edit(first, last, "")
    return Edit(left, last, text[right : pronoun.start()] + text[pronoun.end() : last])


def scale_times(text: str, times: Iterable[Measured], factor: float) -> str:
    """Multiply times in a text: "8-10 minutes" by 1.5 is "12-15 minutes"."""
    edits = []
    for one in times:
        said = text[one.start : one.end]

        def write(match: re.Match[str]) -> str:
            scaled = read_number(match[0]) * factor
            return f"{scaled:.0f}" if scaled >= 3 else f"{scaled:.2g}"

        new = _ANY_NUMBER.sub(write, said)
        if not said[0].isdigit():  # "half an hour"
            new = f"{one.value * factor:.0f} minutes"
        edits.append(Edit(one.start, one.end, new))
    return apply_edits(text, edits)


def shift_temperatures(text: str, found: Iterable[Measured], celsius: float) -> str:
    """Add degrees Celsius to the temperatures in a text, in the scale of each."""
    edits = []
    for one in found:
        said = text[one.start : one.end]
        number = _ANY_NUMBER.search(said)
        if number is None:
            continue
        shifted = read_number(number[0]) + (celsius * 1.8 if one.is_fahrenheit else celsius)
        new = f"{said[: number.start()]}{round(shifted / 5) * 5:.0f}{said[number.end() :]}"
        edits.append(Edit(one.start, one.end, new))
    return apply_edits(text, edits)
