# SPDX-License-Identifier: Apache-2.0
"""The dish that a recipe makes, and what an ingredient does in it.

What roles there are, their cues and purposes, are facts of the knowledge file.
"""

from __future__ import annotations

import re

from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import Recipe, Step

_RISING = frozenset(["knead", "rise", "prove", "proof"])
_GLAZING = frozenset(["brush", "glaze"])


def find_dish(recipe: Recipe, knowledge: FoodKnowledge) -> str:
    """Return a noun for the dish: the last one in the title that is a kind of dish."""
    known = {word for words in knowledge.facts.dishes.values() for word in words}
    titled: list[str] = re.findall(r"[a-z-]+", recipe.title.lower())
    for word in reversed(titled):
        for form in (word, *list_singulars(word)):
            if form in known:
                return form
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    yeast = any(one.food.endswith("yeast") for one in recipe.ingredients) and "bake" in verbs
    return "dough" if yeast or verbs & _RISING else "batter" if "bake" in verbs else "dish"


def find_roles(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> frozenset[str]:
    """Return the roles of an ingredient, of those that its food can have, in this recipe."""
    one, known = recipe.ingredients[index], knowledge.facts.roles
    roles = knowledge.roles_of(one.food) if one.food else frozenset()
    naming = _list_naming_steps(index, recipe)
    if "coating" in roles and naming and all(_GLAZING & set(step.verbs) for step in naming):
        return frozenset({"coating"})  # egg that only brushes the loaf
    if any("boil" in step.verbs for step in naming):  # a boiled egg binds nothing
        roles = frozenset(role for role in roles if known[role].rank > 1) or roles
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    own = {verb for step in naming for verb in step.verbs} or verbs

    def is_likely(role: str) -> bool:
        cues = known[role].cues
        return not cues or bool(set(cues) & (own if role == "coating" else verbs))

    return frozenset(filter(is_likely, roles)) or roles


def find_purposes(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> dict[str, str]:
    """Return what an ingredient is there for, by those of its roles that matter most.

    The verbs of the steps that name it count: butter that an onion is fried in is not there to make
    the crust tender. A purpose is "" where it is a matter of taste.
    """
    naming = _list_naming_steps(index, recipe) or recipe.steps
    verbs = {verb for step in naming for verb in step.verbs}
    dish, facts = find_dish(recipe, knowledge), knowledge.facts
    kinds = {kind for kind, words in facts.dishes.items() if dish in words}
    roles = find_roles(index, recipe, knowledge)
    rank = min((facts.roles[role].rank for role in roles), default=0)
    found = {}
    for role in sorted(one for one in roles if facts.roles[one].rank == rank):
        fitting = (
            one.words
            for one in facts.roles[role].purposes
            if not (one.dishes or one.verbs) or kinds & {*one.dishes} or verbs & {*one.verbs}
        )
        found[role] = next(fitting, "")
    return found


def _list_naming_steps(index: int, recipe: Recipe) -> list[Step]:
    return [step for step in recipe.steps if any(m.ingredient == index for m in step.mentions)]
