# SPDX-License-Identifier: Apache-2.0
"""What each step takes and gives, with what, for how long and how hot."""

from __future__ import annotations

import pytest

from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.reading import read_recipe
from fcp_ros.recipes.recipe import MentionKind, Recipe, RecipeCode
from fcp_ros.recipes.recipe_files import parse_recipe
from test.recipes.conftest import PANCAKES


def read(knowledge: FoodKnowledge, ingredients: list[str], *directions: str) -> Recipe:
    data = {"title": "Test", "ingredients": ingredients, "directions": list(directions)}
    return read_recipe(parse_recipe(data), knowledge)


def test_steps_take_ingredients_and_products(knowledge: FoodKnowledge) -> None:
    recipe = read_recipe(parse_recipe(PANCAKES), knowledge)
    assert recipe.steps[1].uses[:3] == ("eggs", "milk", "butter")
    assert recipe.steps[2].gives == "batter"
    assert {"all-purpose flour", "baking powder", "salt"} <= set(recipe.steps[2].uses)
    assert recipe.steps[2].uses[-1] == recipe.steps[1].gives
    assert recipe.steps[3].uses == ("batter",)
    assert recipe.steps[3].minutes == 2
    assert "frying pan" in recipe.steps[3].tools


@pytest.mark.parametrize(
    ("direction", "minutes", "celsius"),
    [
        ("Bake the butter for 20-25 minutes at 180°C (360° F).", 22.5, 180),
        ("Cook the butter in the oven at 350F for 1h30min.", 90, 176.7),
        ("Melt the butter for half an hour, stirring every 5 minutes.", 30, None),
        ("Chill the butter overnight.", 480, None),
        ("Chill the butter for 2 hours or overnight.", 120, None),
        ("Chill the butter for two and a half hours.", 150, None),
        ("Melt the butter for five minutes, a day ahead.", 5, None),
        ("Melt the butter.", None, None),
    ],
)
def test_times_and_temperatures(
    knowledge: FoodKnowledge, direction: str, minutes: float | None, celsius: float | None
) -> None:
    (step,) = read(knowledge, ["butter"], direction).steps
    assert (step.minutes, step.celsius) == (minutes, celsius)


def test_a_verb_is_no_noun(knowledge: FoodKnowledge) -> None:
    (step,) = read(knowledge, ["butter", "flour"], "Butter a baking dish.").steps
    (mention,) = step.mentions
    assert mention.kind is MentionKind.VERB
    assert step.text[mention.end : mention.object_end] == " a baking dish"


@pytest.mark.parametrize(
    "direction",
    ["Fry the onion without butter.", "Do not add butter.", "Cut the onion with a butter knife."],
)
def test_what_is_denied_or_means_something_else_is_not_used(
    knowledge: FoodKnowledge, direction: str
) -> None:
    (step,) = read(knowledge, ["butter", "1 onion"], direction).steps
    assert "butter" not in step.uses


def test_peanut_butter_is_no_butter(knowledge: FoodKnowledge) -> None:
    (step,) = read(knowledge, ["butter"], "Spread peanut butter on the bread.").steps
    assert "butter" not in step.uses
    assert "peanut butter" in step.uses


def test_a_part_is_the_next_word(knowledge: FoodKnowledge) -> None:
    (step,) = read(knowledge, ["cinnamon", "1 tsp cloves"], "Tie cinnamon, cloves in a bag.").steps
    assert step.uses == ("cinnamon", "cloves")


def test_a_kind_names_all_its_foods_but_no_single_one(knowledge: FoodKnowledge) -> None:
    (step,) = read(knowledge, ["2 pears", "3 apples"], "Wash the fruit.").steps
    assert step.uses == ("pears", "apples")
    assert {one.kind for one in step.mentions} == {MentionKind.SHARED}


def test_groups_of_ingredients(knowledge: FoodKnowledge) -> None:
    ingredients = ["100 g flour", "1 tsp salt", "2 eggs", "200 ml milk"]
    steps = read(
        knowledge, ingredients, "Mix the dry ingredients.", "Stir in the remaining ingredients."
    ).steps
    assert {"flour", "salt"} <= set(steps[0].uses)
    assert "milk" not in steps[0].uses
    assert {"eggs", "milk"} & set(steps[1].uses)
    (step,) = read(knowledge, ingredients, "Whisk the wet ingredients.").steps
    assert step.uses == ("eggs", "milk")


def test_water_and_salt_need_not_be_listed(knowledge: FoodKnowledge) -> None:
    recipe = read(knowledge, ["1 cup rice"], "Boil the rice in water with salt and pepper.")
    assert {"water", "salt", "pepper"} < set(recipe.steps[0].uses)
    assert not recipe.notes


def test_the_yolks_are_those_of_the_eggs(knowledge: FoodKnowledge) -> None:
    recipe = read(knowledge, ["2 eggs"], "Beat the yolks.")
    assert recipe.steps[0].uses == ("eggs",)
    assert not recipe.notes


def test_what_is_not_understood_is_listed(knowledge: FoodKnowledge) -> None:
    recipe = read(knowledge, ["3 gloobs", "butter"], "Melt the butter.", "Contemplate.")
    assert any("3 gloobs" in one for one in recipe.not_understood)
    assert any("Contemplate" in one for one in recipe.not_understood)


def test_what_the_steps_make_is_no_unlisted_food(knowledge: FoodKnowledge) -> None:
    listed = [
        "400 g spaghetti",
        "1 bunch basil",
        "50 g pine nuts",
        "60 g parmesan",
        "120 ml olive oil",
    ]
    toss = "Toss the spaghetti with the pesto."
    recipe = read(knowledge, listed, "Blend basil, pine nuts, parmesan and olive oil.", toss)
    assert not recipe.notes
    assert recipe.steps[1].uses == ("spaghetti", recipe.steps[0].gives)
    bought = read(knowledge, listed[:1], toss)
    assert [note.code for note in bought.notes] == [RecipeCode.UNLISTED]
