# SPDX-License-Identifier: Apache-2.0
"""The dish that a recipe makes, and what an ingredient does in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fcp_ros.foundation.wording import gather_words
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import Recipe, Step

_DISHES = gather_words(
    """
    cake cookie bread soup sauce pie salad stew curry casserole pancake muffin biscuit pizza dough
    pasta pesto dressing syrup ketchup omelette brownie tart bun roll waffle pudding cream shake
    milkshake stir-fry chili steak noodle rice dip spread drink tea jam porridge oatmeal
    """
)
_BAKED = frozenset(
    ["cake", "cookie", "muffin", "biscuit", "brownie", "waffle", "pancake", "pie", "tart", "batter"]
)
_BREADS = frozenset(["bread", "bun", "roll", "pizza", "dough"])
_SOUPS = frozenset(["soup", "stew", "curry", "chili", "casserole"])
_RISING = frozenset(["knead", "rise", "prove", "proof"])
_GLAZING = frozenset(["brush", "glaze"])
_FRYING = frozenset(["fry", "saute", "brown", "sear"])


@dataclass(frozen=True, slots=True)
class _Purpose:
    """Phrase for a role where the dish is one of `dishes` or the work has one of `verbs`."""

    role: str
    words: str
    dishes: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()

    def fits(self, role: str, dish: str, verbs: frozenset[str]) -> bool:
        anywhere = not (self.dishes or self.verbs)
        return role == self.role and (anywhere or dish in self.dishes or bool(verbs & self.verbs))


_PURPOSES = (
    _Purpose("fat", "frying potatoes in", verbs=_FRYING),
    _Purpose("fat", "making pastry flaky", _BAKED | _BREADS),
    _Purpose("fat", "making mashed dishes smooth and rich"),
    _Purpose("binder", "", _BAKED | _BREADS),  # bread crumbs bind meat, not batter
    _Purpose("binder", "binding veggie burgers"),
    _Purpose("leavening", "making bread rise", _BREADS),
    _Purpose("leavening", "making a cake rise"),
    _Purpose("coating", "glazing pastry", verbs=_GLAZING),
    _Purpose("coating", "coating chicken for frying"),
    _Purpose("structure", "baking bread", _BREADS),
    _Purpose("structure", "baking a cake"),
    _Purpose("aeration", "making meringue"),
    _Purpose("creaminess", "", _BAKED | _BREADS),
    _Purpose("creaminess", "making soup creamy", _SOUPS),
    _Purpose("creaminess", "making mashed dishes smooth and rich"),
    _Purpose("sweetener", "sweetening a cake", _BAKED | _BREADS),
    _Purpose("sweetener", "sweetening tea"),
    _Purpose("thickener", "thickening soup", _SOUPS),
    _Purpose("thickener", "making gravy"),
    _Purpose("acid", "adding sourness"),
    _Purpose("protein", "a family dinner"),
    _Purpose("crunch", "adding crunch to a salad"),
    _Purpose("heat", "making a dish spicy hot"),
    _Purpose("umami", "adding umami"),
    _Purpose("salt", "salting food"),
    _Purpose("bread", "filling a sandwich"),
)
"""The first one that fits counts. They are everyday phrases of the judgements that the judge was
trained on; of several, the one that tells known substitutes best from other foods
(docs/recipes.md). A role without one is a matter of taste: what is like the food serves best."""
_RANKS = (
    frozenset(["leavening", "binder", "structure", "coating", "aeration"]),
    frozenset(
        ["thickener", "fat", "crunch", "sweetener", "acid", "creaminess", "protein", "starch"]
    ),
)
"""A dish suffers most without the first ones: milk is in a sauce to make it creamy, not wet."""
_CUES = {
    "leavening": frozenset(["bake", "rise", "knead", "prove", "steam"]),
    "binder": frozenset(["bake", "fry", "shape", "form", "knead", "grill"]),
    "thickener": frozenset(["simmer", "boil", "thicken", "reduce", "cook", "whisk", "heat"]),
    "coating": frozenset(["coat", "dip", "dredge", "bread", "press"]),
    "aeration": frozenset(["whip", "beat", "whisk", "cream"]),
    "structure": frozenset(["bake", "knead", "rise", "fry"]),
}
"""Verbs without which an ingredient can't have the role in a recipe."""


def find_dish(recipe: Recipe) -> str:
    """Return a noun for the dish: the last one in the title that is a kind of dish."""
    words: list[str] = re.findall(r"[a-z-]+", recipe.title.lower())
    for word in reversed(words):
        for form in (word, *list_singulars(word)):
            if form in _DISHES:
                return form
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    yeast = any(one.food.endswith("yeast") for one in recipe.ingredients) and "bake" in verbs
    return "dough" if yeast or verbs & _RISING else "batter" if "bake" in verbs else "dish"


def find_roles(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> frozenset[str]:
    """Return the roles of an ingredient, of those that its food can have, in this recipe."""
    one = recipe.ingredients[index]
    roles = knowledge.roles_of(one.food) if one.food else frozenset()
    naming = _list_naming_steps(index, recipe)
    if "coating" in roles and naming and all(_GLAZING & set(step.verbs) for step in naming):
        return frozenset({"coating"})  # egg that only brushes the loaf
    if any("boil" in step.verbs for step in naming):
        roles = (roles - _RANKS[0]) or roles  # a boiled egg binds nothing
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    own = {verb for step in naming for verb in step.verbs} or verbs
    likely = frozenset(
        role
        for role in roles
        if role not in _CUES or _CUES[role] & (own if role == "coating" else verbs)
    )
    return likely or roles


def _list_naming_steps(index: int, recipe: Recipe) -> list[Step]:
    return [step for step in recipe.steps if any(m.ingredient == index for m in step.mentions)]


def list_main_roles(roles: frozenset[str]) -> frozenset[str]:
    """Return the roles without which the dish suffers most."""
    return next((roles & rank for rank in _RANKS if roles & rank), roles)


def find_purpose(role: str, index: int, recipe: Recipe) -> str:
    """Return what an ingredient's role is there for in a recipe, "" if it is a matter of taste.

    The verbs of the steps that name it count: butter that an onion is fried in is not there to make
    the crust tender.
    """
    naming = _list_naming_steps(index, recipe) or recipe.steps
    verbs = frozenset(verb for step in naming for verb in step.verbs)
    dish = find_dish(recipe)
    return next((one.words for one in _PURPOSES if one.fits(role, dish, verbs)), "")
