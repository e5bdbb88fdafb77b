# SPDX-License-Identifier: Apache-2.0
"""Entries of a knowledge file about food, as pydantic models: keys and kinds of values.

Everything here is crisp. How *suitable* a substitute is in a dish is a matter of degree and belongs
to the judge; an entry of `substitutes` says only what is exchanged for how much, and what that does
to the work.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

WEIGHTS = ("g", "kg")
VOLUMES = ("ml", "l", "tsp", "tbsp", "cup")
COUNTS = ("piece", "slice", "clove", "stick", "bunch", "sprig", "leaf", "can", "packet", "pinch")
UNITS = (*WEIGHTS, *VOLUMES, *COUNTS)

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9 '&/-]{0,59}$")]
Names = tuple[Name, ...]
Positive = Annotated[float, Field(gt=0.0, le=100_000.0, allow_inf_nan=False)]
Unit = Annotated[str, Field(pattern=f"^({'|'.join(UNITS)})$")]
Text = Annotated[str, Field(min_length=3, max_length=300)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KnownFact(_Entry):
    """A fact with the key of its source (section `sources`)."""

    source: Name


class Allergen(KnownFact):
    """One of the 14 kinds of Annex II of Regulation (EU) No 1169/2011."""

    label: Text


class RolePurpose(_Entry):
    """A phrase for what a role is there for, where the dish or the work is one of these."""

    words: str  # "" for a matter of taste
    dishes: Names = ()  # keys of `KnowledgeFile.dishes`
    verbs: Names = ()


class FoodRole(_Entry):
    """A thing that foods do in a dish; the file says what the fields mean."""

    text: Text
    rank: Annotated[int, Field(ge=1, le=3)] = 3
    minor: bool = False
    nourishing: bool = False
    wet: bool = False
    cues: Names = ()
    purposes: tuple[RolePurpose, ...] = ()


class Category(KnownFact):
    """A kind of food; what holds for it holds for all below it."""

    is_a: Names = ()
    allergens: Names = ()
    roles: Names = ()


class Foodstuff(KnownFact):
    """A food as recipes name it."""

    is_a: Names = Field(min_length=1)  # categories, or a plainer ingredient
    also: Names = ()  # other names of the same thing
    roles: Names = ()  # beside those of its categories
    allergens: Names = ()  # beside those of its categories and parts
    parts: Names = ()  # ingredients or categories in it, for what is sold or made as one thing
    grams: dict[Unit, Positive] = Field(default_factory=dict)  # weight of one unit
    unlisted: bool = False  # recipes use it without listing it


class Diet(KnownFact):
    """Rules of a diet: foods by category, ingredient or allergen, and what may not meet."""

    label: Text
    also: Names = ()
    excludes: Names = ()
    allergens: Names = ()
    apart: tuple[tuple[Name, Name], ...] = ()  # not both in one dish


class Tool(KnownFact):
    """A piece of equipment."""

    also: Names = ()
    words: Names = ()  # verbs and nouns of directions that mean its use


class Equipment(KnownFact):
    """Another way to do the work of a tool."""

    instead_of: Name
    verbs: Names = Field(min_length=1)  # the work that can be done the other way
    use: Names  # tools that are needed then; none: by hand
    text: Text  # an instruction; {work} stands for what the step said
    factor: Positive = 1.0  # on the minutes of the step


class ChangeKind(str, Enum):
    """Kind of change that a substitute makes to the steps.

    PREPARE: a new step before the first use, where the recipe has one of `verbs`, if any are given.
    LATER, EARLIER: the use moves to a later or earlier step. TIME: the minutes of steps with
    `verbs` after the use are multiplied by `factor`. HEAT: their temperature rises by `celsius`.
    DROP: work (`verbs`) on the replaced ingredient alone is left out. REPLACE: that work becomes
    `text`. NOTE: `text` is added to the step of use.
    """

    PREPARE = "prepare"
    LATER = "later"
    EARLIER = "earlier"
    TIME = "time"
    HEAT = "heat"
    DROP = "drop"
    REPLACE = "replace"
    NOTE = "note"


class StepChange(KnownFact):
    """A change of the procedure that a substitute needs; {new} and {old} stand for the two."""

    kind: ChangeKind
    text: str = ""
    verbs: Names = ()
    tools: Names = ()
    minutes: Annotated[float, Field(ge=0.0, le=10_000.0)] = 0.0  # that the new work takes
    factor: Positive = 1.0
    celsius: Annotated[float, Field(ge=-100.0, le=100.0)] = 0.0

    @model_validator(mode="after")
    def _check_kind(self) -> StepChange:
        if self.kind in (ChangeKind.PREPARE, ChangeKind.REPLACE, ChangeKind.NOTE) and not self.text:
            raise ValueError(f"a change of kind {self.kind.value} needs a text")
        if (self.kind is ChangeKind.TIME) != (self.factor != 1.0):
            raise ValueError("a change of kind time, and no other, has a factor")
        if (self.kind is ChangeKind.HEAT) != (self.celsius != 0.0):
            raise ValueError("a change of kind heat, and no other, has celsius")
        return self


class Portion(NamedTuple):
    """So much of an ingredient."""

    quantity: Positive
    unit: Unit
    ingredient: Name


class Substitution(KnownFact):
    """Foods that do the work of an ingredient in some of its roles, and how much of each."""

    instead_of: Name  # ingredient or category
    of: tuple[Positive, Unit]  # this much of it is replaced by:
    use: tuple[Portion, ...] = Field(min_length=1)
    roles: Names = ()  # for these roles only; empty: for all
    steps: Names = ()  # step changes
    less: tuple[Portion, ...] = ()  # to be taken away elsewhere: liquid, sugar, salt


class KnowledgeFile(_Entry):
    """The whole file."""

    version: str
    sources: dict[Name, Text]
    allergens: dict[Name, Allergen]
    roles: dict[Name, FoodRole]
    dishes: dict[Name, Names]
    food_verbs: dict[Name, str]
    categories: dict[Name, Category]
    ingredients: dict[Name, Foodstuff]
    diets: dict[Name, Diet]
    tools: dict[Name, Tool]
    equipment: tuple[Equipment, ...]
    step_changes: dict[Name, StepChange]
    substitutes: tuple[Substitution, ...]
