# SPDX-License-Identifier: Apache-2.0
"""Wishes about a recipe (missing, ruled out, absent) in terms of the knowledge file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.foundation.wording import list_names, suggest_name
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.ingredient_lines import find_foods
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import Diet, Tool
from fcp_ros.recipes.recipe import ListedIngredient, Recipe, RecipeCode, RecipeError


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

    knowledge: FoodKnowledge
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

    def explain_exclusion(self, food: str) -> str:
        """Say why a food must not be in the dish, "" if it may."""
        found = (self.explain_exclusion_by(matter, food) for matter in self.matters)
        return next(filter(None, found), "")

    def explain_exclusion_by(self, matter: str, food: str) -> str:
        """Say why one of `matters` rules a food out, "" if it doesn't."""
        if not food:
            return ""
        if matter in self.without:
            return self.knowledge.explain_exclusion(food, (matter,))
        return self.knowledge.explain_exclusion(food, (), matter)

    def is_stocked(self, food: str) -> bool:
        return not self.absent_foods & self.knowledge.kinds_of(food)

    def may_use(self, food: str) -> bool:
        return self.is_stocked(food) and not self.explain_exclusion(food)

    def list_lost(self, recipe: Recipe) -> list[int]:
        """List the ingredients of the recipe that can't be used as listed."""
        return [
            index
            for index, one in enumerate(recipe.ingredients)
            if index in self.missing or self.explain_exclusion(one.food)
        ]


def understand(wishes: Wishes, recipe: Recipe, knowledge: FoodKnowledge) -> Limits:
    """Find what wishes mean for a recipe.

    Raises:
        RecipeError: a word is not known, nothing in the recipe is called so, or the wishes leave
            nothing to eat at all.
    """
    facts = knowledge.facts
    matters = {word: _find_matter(word, knowledge) for word in wishes.without}
    others = [word for word, matter in matters.items() if matter is None]
    known = (*facts.allergens, *facts.categories, *facts.ingredients)
    tools = {_find_named(word, facts.tools, "food, allergen or tool", known) for word in others}
    tools |= {_find_named(word, facts.tools, "tool") for word in wishes.absent_tools}
    missing: set[int] = set()
    foods: set[str] = set()
    for word in wishes.missing:
        found, food = _find_missing(word, recipe.ingredients, knowledge)
        missing |= found
        foods.add(food)
    limits = Limits(
        knowledge,
        frozenset(missing),
        frozenset(foods),
        tuple(matter for matter in matters.values() if matter is not None),
        tuple(_find_named(word, facts.diets, "diet") for word in wishes.diets),
        frozenset(tools),
        wishes.minutes,
    )
    _check(limits)
    return limits


def _forms(word: str) -> list[str]:
    text = " ".join(word.lower().replace("_", " ").split())
    *before, last = text.split() or [""]
    return [text, *(" ".join([*before, one]) for one in list_singulars(last)), f"{text}s"]


def _find_matter(word: str, knowledge: FoodKnowledge) -> str | None:
    """Find an allergen, a category or a food; allergens first, because they reach furthest."""
    known = (knowledge.facts.allergens, knowledge.facts.categories)
    found = (form for names in known for form in _forms(word) if form in names)
    return next(found, None) or knowledge.find(word)


def _find_named(
    word: str,
    entries: Mapping[str, Tool] | Mapping[str, Diet],
    what: str,
    known: Iterable[str] = (),  # names that may have been meant, too
) -> str:
    forms = set(_forms(word))
    for name, one in entries.items():
        if forms & {name, *one.also}:
            return name
    meant = suggest_name(word, (*known, *entries))
    sentence = f"The knowledge file has no {what} called {word!r}: {meant}"
    raise RecipeError(RecipeCode.UNKNOWN_WISH, sentence)


def _find_missing(
    word: str, ingredients: Sequence[ListedIngredient], knowledge: FoodKnowledge
) -> tuple[set[int], str]:
    """Find the ingredients that a word names, and what is not in stock."""
    forms = _forms(word)
    food = next((one for one in forms if one in knowledge.facts.categories), None)
    food = knowledge.find(word) if food is None else food
    names = {food, *forms} - {None}
    found = {
        index
        for index, one in enumerate(ingredients)
        if {one.name, one.food}.intersection(forms)
        or (one.food and names & knowledge.kinds_of(one.food))
        or (food and _is_part_of(food, one, knowledge))
    }
    # What the recipe doesn't use may be missing all the same: no substitute has it then.
    if not found and food is None:
        listed = list_names([one.name for one in ingredients], 30)
        sentence = f"The recipe has no {word!r} that could be missing; it lists {listed}."
        raise RecipeError(RecipeCode.NOT_IN_RECIPE, sentence)
    return found, food or word


def _is_part_of(food: str, one: ListedIngredient, knowledge: FoodKnowledge) -> bool:
    """Return True for "zest of 1 lemon", which needs a lemon; lemon juice may be in a bottle."""
    named = (found for *_, found in find_foods(one.line, knowledge))
    return one.food.startswith(f"{food} ") and food in named


def _check(limits: Limits) -> None:
    """Refuse wishes that leave no food at all."""
    facts, names = limits.knowledge.facts, list_names(limits.without)
    nourishing = (
        one
        for one in facts.ingredients
        if any(facts.roles[role].nourishing for role in limits.knowledge.roles_of(one))
    )
    if all(map(limits.explain_exclusion, nourishing)):
        which = f" that is {' and '.join(limits.diets)} at once" if limits.diets else ""
        without = f" without {names}" if limits.without else ""
        sentence = f"Nothing{which} could be cooked{without}: give up one of them."
        raise RecipeError(RecipeCode.CONTRADICTORY_WISHES, sentence)
    if limits.minutes is not None and not limits.minutes > 0.0:
        sentence = f"A dish can't be done in {limits.minutes:g} minutes: give more than 0."
        raise RecipeError(RecipeCode.CONTRADICTORY_WISHES, sentence)
