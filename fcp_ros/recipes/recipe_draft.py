# SPDX-License-Identifier: Apache-2.0
"""A recipe while it is rewritten, and the choices of the plan that say how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fcp_ros.recipes.kitchen_state import SubstituteWay
from fcp_ros.recipes.knowledge_entries import Equipment, StepChange
from fcp_ros.recipes.recipe import FoodMention, Recipe, Step
from fcp_ros.recipes.text_editing import Edit


@dataclass(frozen=True, slots=True)
class FoodChoice:
    """The plan's answer to a missing ingredient; `way` is None where it is left out."""

    ingredient: int
    way: SubstituteWay | None
    degree: float
    reason: str


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The plan's answer to an absent tool."""

    tool: str
    method: Equipment


@dataclass(slots=True)
class RecipeDraft:
    """The steps of a recipe, with what is to be edited, added and inserted, by their numbers."""

    recipe: Recipe
    steps: list[Step] = field(init=False)
    edits: list[list[Edit]] = field(init=False)
    appended: list[list[str]] = field(init=False)  # sentences behind a step's text
    inserted: list[list[Step]] = field(init=False)  # new steps before a step

    def __post_init__(self) -> None:
        self.steps = list(self.recipe.steps)
        self.edits = [[] for _ in self.steps]
        self.appended = [[] for _ in self.steps]
        self.inserted = [[] for _ in self.steps]

    def list_mentions(self, index: int) -> Iterator[tuple[int, FoodMention]]:
        """List where the steps name an ingredient, with the number of the step."""
        for number, step in enumerate(self.recipe.steps):
            yield from ((number, one) for one in step.mentions if one.ingredient == index)

    def add_work(self, number: int, change: StepChange) -> None:
        """Add the minutes and tools of a change to a step."""
        step = self.steps[number]
        minutes = (step.minutes or 0.0) + change.minutes if change.minutes else step.minutes
        tools = tuple(dict.fromkeys((*step.tools, *change.tools)))
        self.steps[number] = replace(step, minutes=minutes, tools=tools)
