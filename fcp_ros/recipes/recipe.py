# SPDX-License-Identifier: Apache-2.0
"""A recipe as a value: ingredients, steps with what they take and give, and what was changed.

A recipe is a plan. What it lists are its `needs`; a step takes needs and products of earlier steps,
and gives one product. What the reader did not understand is part of the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from fcp_ros.foundation.input_error import InputError


class RecipeCode(str, Enum):
    """Reasons for which a recipe can't be read or cooked, or not exactly as it is written."""

    NOT_A_RECIPE = "not_a_recipe"
    NO_INGREDIENTS = "no_ingredients"
    NO_DIRECTIONS = "no_directions"
    TOO_LONG = "too_long"
    CYCLIC = "cyclic"
    UNLISTED = "unlisted"
    """The directions use what is not listed: a note, and the food counts as listed."""
    UNIT = "unit"
    """A quantity can't be converted: a note, and the substitute has no quantity."""
    UNKNOWN_FOOD = "unknown_food"
    """Nobody knows what is in a food, and something is ruled out: a note."""
    UNKNOWN_WISH = "unknown_wish"
    NOT_IN_RECIPE = "not_in_recipe"
    CONTRADICTORY_WISHES = "contradictory_wishes"
    NOTHING_LEFT = "nothing_left"
    """No plan keeps the constraints: there is nothing left to cook."""
    BELOW_ALPHA = "below_alpha"
    """There are plans, and none is good enough."""
    NO_TIME = "no_time"
    NO_JUDGEMENT = "no_judgement"
    PLANNING_FAILED = "planning_failed"


class RecipeError(InputError):
    """A recipe that can't be read or cooked: a code for programs, a sentence for people."""

    def __init__(self, code: RecipeCode, sentence: str) -> None:
        super().__init__(f"{sentence} [{code.value}]")
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about a recipe that can be cooked all the same."""

    code: RecipeCode
    sentence: str

    def __str__(self) -> str:
        return f"{self.sentence} [{self.code.value}]"


@dataclass(frozen=True, slots=True)
class ListedIngredient:
    """A line of the list; several foods in one line are several ingredients with that line."""

    name: str  # as the recipe says, without quantity and preparation, in lower case
    food: str  # its name in the knowledge file, "" if it is not there
    quantity: float | None = None
    unit: str = ""  # of `knowledge_entries.UNITS`; "" for pieces, or without a quantity
    line: str = ""  # "" if only the directions name it
    alternatives: tuple[str, ...] = ()  # foods that the line itself allows instead
    optional: bool = False
    is_new: bool = False  # not as the recipe had it


class MentionKind(Enum):
    """The part that a food's name plays in a sentence."""

    NOUN = "noun"
    VERB = "verb"  # "butter the dish"
    SHARED = "shared"  # a word for several ingredients: "the flour", of two kinds
    SAME = "same"  # words that stand for many: "all ingredients"


@dataclass(frozen=True, slots=True)
class FoodMention:
    """A place in the text of a step that names an ingredient."""

    ingredient: int  # index in `Recipe.ingredients`
    start: int
    end: int
    kind: MentionKind = MentionKind.NOUN
    object_end: int = -1  # the end of what a verb is done to ("the dish"); -1 for nouns


@dataclass(frozen=True, slots=True)
class Step:
    """One direction. `uses` names ingredients, and products of earlier steps."""

    text: str
    uses: tuple[str, ...] = ()
    gives: str = ""
    tools: tuple[str, ...] = ()
    minutes: float | None = None
    celsius: float | None = None
    mentions: tuple[FoodMention, ...] = field(default=(), compare=False)
    verbs: tuple[str, ...] = field(default=(), compare=False)  # lemmas
    is_new: bool = False
    changed_from: str = ""  # the text before a change; "" if it is as it was


@dataclass(frozen=True, slots=True)
class RecipeChange:
    """An ingredient or a tool of the recipe, and what takes its place."""

    missing: str
    substitutes: tuple[str, ...]  # "80 g olive oil"; empty if it is left out
    degree: float
    reason: str
    steps: tuple[str, ...] = ()  # what it changes in the procedure


_OF_LINES = ("name", "quantity", "unit", "line")
_OF_STEPS = ("text", "uses", "gives", "tools", "minutes", "celsius")
_OF_CHANGES = ("missing", "substitutes", "degree", "reason")


def _pick(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return attributes as plain data for JSON."""

    def plain(one: Any) -> Any:
        return list(one) if isinstance(one, tuple) else round(one, 4) if type(one) is float else one

    return {name: plain(getattr(value, name)) for name in names}


@dataclass(frozen=True)
class Recipe:
    """A recipe as it was read, or rewritten."""

    title: str
    ingredients: tuple[ListedIngredient, ...]
    steps: tuple[Step, ...]
    changes: tuple[RecipeChange, ...] = ()
    not_understood: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def minutes(self) -> float:
        """Minutes of all steps whose time is said."""
        return sum(step.minutes or 0.0 for step in self.steps)

    @property
    def lines(self) -> list[str]:
        """Lines of the list: several foods may share one, and what only steps name has none."""
        return list(dict.fromkeys(one.line for one in self.ingredients if one.line))

    def to_plain(self) -> dict[str, Any]:
        """Return the recipe as plain data for JSON."""
        return {
            "title": self.title,
            "ingredients": [_pick(one, _OF_LINES) for one in self.ingredients if one.line],
            "steps": [_pick(one, _OF_STEPS) for one in self.steps],
            "changes": [_pick(one, _OF_CHANGES) for one in self.changes],
            "not_understood": [*self.not_understood, *map(str, self.notes)],
        }

    def to_text(self) -> str:
        """Write the recipe as text: changed lines begin with `*`, new ones with `+`."""
        parts = [self.title, "", "Ingredients"]
        changed = {one.line for one in self.ingredients if one.is_new}
        parts += [f"{'*' if one in changed else '-'} {one}" for one in self.lines]
        parts += ["", "Directions"]
        for number, step in enumerate(self.steps, 1):
            mark = "+ " if step.is_new else "* " if step.changed_from else ""
            parts.append(f"{number}. {mark}{step.text}")
        if self.changes:
            parts += ["", "Changes"]
        for change in self.changes:
            new = ", ".join(change.substitutes) or "nothing"
            parts.append(f"- {change.missing} -> {new} (degree {change.degree:.2f})")
            parts.append(f"  {change.reason}")
            parts += [f"  {one}" for one in change.steps]
        left = [*self.not_understood, *map(str, self.notes)]
        if left:
            parts += ["", "Not understood or uncertain", *(f"- {one}" for one in left)]
        return "\n".join(parts) + "\n"
