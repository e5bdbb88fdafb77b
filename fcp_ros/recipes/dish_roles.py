# SPDX-License-Identifier: Apache-2.0
"""The dish that a recipe makes, and what an ingredient does in it."""

from __future__ import annotations

import re

from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import Recipe

_DISHES_TEXT = """
    cake cookie bread soup sauce pie salad stew curry casserole pancake muffin biscuit pizza dough
    pasta dressing syrup ketchup omelette brownie tart bun roll waffle pudding cream shake
    milkshake stir-fry chili steak noodle rice dip spread drink tea jam porridge oatmeal
"""
_DISHES = frozenset(_DISHES_TEXT.split())
_DUTIES = {
    "fat": "making pastry tender",
    "binder": "binding meatballs",
    "leavening": "making a cake rise",
    "sweetener": "sweetening a cake",
    "thickener": "thickening a sauce",
    "liquid": "cooking in",
    "coating": "coating chicken for frying",
    "structure": "mixing cake batter",
}
_SPECIAL = (
    ("fat", frozenset(["fry", "saute", "brown", "sear"]), "frying"),
    ("leavening", frozenset(["knead", "proof"]), "making bread rise"),
    ("liquid", frozenset({"bake"}), "mixing cake batter"),
)
"""(role, verbs, purpose) where a recipe with these verbs needs the role for another purpose."""
_RANKS = (
    frozenset(["leavening", "binder", "structure", "coating", "aeration"]),
    frozenset(
        ["thickener", "fat", "sweetener", "acid", "creaminess", "alcohol", "protein", "starch"]
    ),
)
"""A dish suffers most without the first ones: milk is in a sauce to make it creamy, not wet."""
_CUES = {
    "leavening": frozenset(["bake", "rise", "knead", "prove", "steam"]),
    "binder": frozenset(
        ["bake", "fry", "shape", "form", "roll", "mix", "combine", "knead", "grill"]
    ),
    "thickener": frozenset(["simmer", "boil", "thicken", "reduce", "cook", "whisk", "heat"]),
    "coating": frozenset(["coat", "dip", "dredge", "roll", "bread", "press"]),
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
    return "batter" if verbs & {"bake", "knead"} else "dish"


def find_roles(index: int, recipe: Recipe, knowledge: FoodKnowledge) -> frozenset[str]:
    """Return the roles of an ingredient, of those that its food can have, in this recipe."""
    one = recipe.ingredients[index]
    roles = knowledge.roles_of(one.food) if one.food else frozenset()
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    likely = frozenset(role for role in roles if role not in _CUES or _CUES[role] & verbs)
    return likely or roles


def list_main_roles(roles: frozenset[str]) -> frozenset[str]:
    """Return the roles without which the dish suffers most."""
    return next((roles & rank for rank in _RANKS if roles & rank), roles)


def find_duty(role: str, recipe: Recipe) -> str:
    """Return the purpose of a role in a recipe, "" if it is a matter of taste.

    The purposes are those that `config/judgements/function_food.csv` knows: an everyday one is
    judged better than one that is made up from role and dish.
    """
    verbs = {verb for step in recipe.steps for verb in step.verbs}
    for special, needed, purpose in _SPECIAL:
        if special == role and needed & verbs:
            return purpose
    return _DUTIES.get(role, "")
