# SPDX-License-Identifier: Apache-2.0
"""Wishes about a recipe (missing, ruled out, absent) in terms of the knowledge file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.foundation.wording import list_names, suggest_name
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import ListedIngredient, Recipe, RecipeCode, RecipeError

_NOURISHING = frozenset({"protein", "starch", "structure", "bread", "filling", "liquid"})
"""A dish needs a food in one of these roles."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """A person's wishes about a recipe, in their words."""

    missing: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  # foods, kinds of food, allergens; tools, too
    diets: tuple[str, ...] = ()
    absent_tools: tuple[str, ...] = ()
    minutes: float | None = None  # the most that the dish may take


@dataclass(frozen=True, slots=True)
class Limits:
    """Wishes in terms of the knowledge file and of one recipe; all of them are crisp."""

    missing: frozenset[int]  # ingredients of the recipe
    absent_foods: frozenset[str]  # foods and kinds that are not in stock
    without: tuple[str, ...]
    diets: tuple[str, ...]
    absent_tools: frozenset[str]
    minutes: float | None

    @property
    def matters(self) -> tuple[str, ...]:
        """Everything that must not be in the dish."""
        return (*self.without, *self.diets)

    def explain_exclusion(self, food: str, knowledge: FoodKnowledge) -> str:
        """Say why a food must not be in the dish, "" if it may."""
        for matter in self.matters:
            why = self.explain_exclusion_by(matter, food, knowledge)
            if why:
                return why
        return ""

    def explain_exclusion_by(self, matter: str, food: str, knowledge: FoodKnowledge) -> str:
        """Say why one of `matters` rules a food out, "" if it doesn't."""
        if not food:
            return ""
        if matter in self.without:
            return knowledge.explain_exclusion(food, (matter,))
        return knowledge.explain_exclusion(food, (), matter)

    def is_stocked(self, food: str, knowledge: FoodKnowledge) -> bool:
        return not self.absent_foods & knowledge.kinds_of(food)


def understand(wishes: Wishes, recipe: Recipe, knowledge: FoodKnowledge) -> Limits:
    """Find what wishes mean for a recipe.

    Raises:
        RecipeError: a word is not known, nothing in the recipe is called so, or the wishes leave
            nothing to eat at all.
    """
    without, tools = [], set()
    for word in wishes.without:
        tool = _find_tool(word, knowledge)
        matter = _find_matter(word, knowledge)
        if matter is not None:
            without.append(matter)
        elif tool is not None:
            tools.add(tool)
        else:
            known = (*knowledge.allergens, *knowledge.categories, *knowledge.ingredients)
            raise _unknown(f"a food, allergen or tool called {word!r}", word, known)
    for word in wishes.absent_tools:
        tool = _find_tool(word, knowledge)
        if tool is None:
            raise _unknown(f"a tool called {word!r}", word, knowledge.tools)
        tools.add(tool)
    diets = tuple(_find_diet(word, knowledge) for word in wishes.diets)
    missing: set[int] = set()
    foods: set[str] = set()
    for word in wishes.missing:
        found, food = _find_missing(word, recipe.ingredients, knowledge)
        missing |= found
        foods.add(food)
    limits = Limits(
        frozenset(missing), frozenset(foods), tuple(without), diets, frozenset(tools),
        wishes.minutes,
    )  # fmt: skip
    _check(limits, recipe, knowledge)
    return limits


def _unknown(what: str, word: str, known: Iterable[str]) -> RecipeError:
    sentence = f"The knowledge file has no {what.removeprefix('a ')}: {suggest_name(word, known)}"
    return RecipeError(RecipeCode.UNKNOWN_WISH, sentence)


def _forms(word: str) -> list[str]:
    text = " ".join(word.lower().replace("_", " ").split())
    *before, last = text.split() or [""]
    return [text, *(" ".join([*before, one]) for one in list_singulars(last)), f"{text}s"]


def _find_matter(word: str, knowledge: FoodKnowledge) -> str | None:
    """Find an allergen, a category or a food; allergens first, because they reach furthest."""
    forms = _forms(word)
    for known in (knowledge.allergens, knowledge.categories):
        for form in forms:
            if form in known:
                return form
    return knowledge.find(word)


def _find_tool(word: str, knowledge: FoodKnowledge) -> str | None:
    forms = set(_forms(word))
    return next(
        (name for name, tool in knowledge.tools.items() if forms & {name, *tool.also}), None
    )


def _find_diet(word: str, knowledge: FoodKnowledge) -> str:
    text = " ".join(word.lower().split())
    for name, diet in knowledge.diets.items():
        if text in (name, *diet.also):
            return name
    raise _unknown(f"a diet called {word!r}", text, knowledge.diets)


def _find_missing(
    word: str, ingredients: Sequence[ListedIngredient], knowledge: FoodKnowledge
) -> tuple[set[int], str]:
    """Find the ingredients that a word names, and what is not in stock."""
    forms = set(_forms(word))
    food = next((one for one in forms if one in knowledge.categories), None)
    food = knowledge.find(word) if food is None else food
    names = {food, *forms} - {None}
    found = {
        index
        for index, one in enumerate(ingredients)
        if forms & {one.name, one.food} or (one.food and names & knowledge.kinds_of(one.food))
    }
    # What the recipe doesn't use may be missing all the same: no substitute has it then.
    if not found and food is None:
        listed = list_names([one.name for one in ingredients], 30)
        sentence = f"The recipe has no {word!r} that could be missing; it lists {listed}."
        raise RecipeError(RecipeCode.NOT_IN_RECIPE, sentence)
    return found, food or word


def _check(limits: Limits, recipe: Recipe, knowledge: FoodKnowledge) -> None:
    """Refuse wishes that leave no food at all."""
    if limits.matters:
        nourishing = (one for one in knowledge.ingredients if _NOURISHING & knowledge.roles_of(one))
        if all(limits.explain_exclusion(one, knowledge) for one in nourishing):
            sentence = (
                f"Nothing that could be cooked is left without {list_names(limits.without)}"
                if not limits.diets
                else f"Nothing that could be cooked is {' and '.join(limits.diets)} at once"
                + (f" and without {list_names(limits.without)}" if limits.without else "")
            )
            raise RecipeError(RecipeCode.CONTRADICTORY_WISHES, f"{sentence}: give up one of them.")
    if limits.minutes is not None and not limits.minutes > 0.0:
        sentence = f"A dish can't be done in {limits.minutes:g} minutes: give more than 0."
        raise RecipeError(RecipeCode.CONTRADICTORY_WISHES, sentence)
