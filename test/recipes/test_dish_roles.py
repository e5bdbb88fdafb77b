# SPDX-License-Identifier: Apache-2.0
"""What an ingredient is there for: by its role, the dish, and the work done with it."""

from __future__ import annotations

import pytest

from fcp_ros.recipes.kitchen_state import find_purposes, find_roles
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.reading import read_recipe
from fcp_ros.recipes.recipe_files import parse_recipe


@pytest.mark.parametrize(
    ("title", "food", "directions", "role", "purpose"),
    [
        ("Cake", "butter", ["Mix the butter and flour.", "Bake it."], "fat", "making pastry flaky"),
        ("Cake", "butter", ["Fry onions in the butter."], "fat", "frying potatoes in"),
        ("Pesto", "pine nuts", ["Blend the pine nuts."], "fat", "making mashed dishes smooth"),
        ("Pesto", "pine nuts", ["Blend the pine nuts."], "crunch", "adding crunch"),
        ("Cake", "1 egg", ["Whisk the egg.", "Bake it."], "leavening", "making a cake rise"),
        ("Zopf bread", "1 egg", ["Mix the egg in.", "Bake it."], "binder", ""),
        ("Zopf", "7 g yeast", ["Mix it.", "Knead it."], "leavening", "making bread rise"),
        ("Bread", "1 egg", ["Brush the loaf with the egg."], "coating", "glazing pastry"),
        ("Meatballs", "1 egg", ["Shape it with the egg."], "binder", "binding veggie burgers"),
        ("Soup", "basil", ["Add the basil."], "herb", ""),
    ],
)
def test_a_purpose_follows_from_role_dish_and_work(
    knowledge: FoodKnowledge,
    title: str,
    food: str,
    directions: list[str],
    role: str,
    purpose: str,
) -> None:
    data = {"title": title, "ingredients": [food], "directions": directions}
    recipe = read_recipe(parse_recipe(data), knowledge)
    found = find_purposes(0, recipe, knowledge)[role]
    assert found.startswith(purpose)
    assert bool(found) == bool(purpose)


def test_an_egg_that_only_brushes_the_loaf_is_no_binder(knowledge: FoodKnowledge) -> None:
    directions = ["Knead flour and water.", "Brush with the egg.", "Bake it."]
    data = {"title": "Bread", "ingredients": ["1 egg", "1 kg flour"], "directions": directions}
    recipe = read_recipe(parse_recipe(data), knowledge)
    assert find_roles(0, recipe, knowledge) == {"coating"}


def test_eggs_of_the_dough_are_no_glaze_alone(knowledge: FoodKnowledge) -> None:
    directions = ["Knead flour, eggs and yeast.", "Brush with egg yolks.", "Roll and bake it."]
    listed = ["10 eggs", "1 kg flour", "7 g yeast"]
    data = {"title": "Zopf", "ingredients": listed, "directions": directions}
    recipe = read_recipe(parse_recipe(data), knowledge)
    roles = find_roles(0, recipe, knowledge)
    assert "coating" not in roles
    assert "binder" in roles
    assert find_purposes(2, recipe, knowledge) == {"leavening": "making bread rise"}


def test_a_boiled_egg_binds_nothing(knowledge: FoodKnowledge) -> None:
    directions = ["Boil rice and eggs.", "Fry onions.", "Mix it."]
    data = {"title": "Salad", "ingredients": ["3 eggs", "rice"], "directions": directions}
    recipe = read_recipe(parse_recipe(data), knowledge)
    assert not {"binder", "coating"} & find_roles(0, recipe, knowledge)
