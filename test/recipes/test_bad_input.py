# SPDX-License-Identifier: Apache-2.0
"""Recipes and wishes that can't be used: a code and a sentence each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.foundation.bounded_file import FileError
from fcp_ros.recipes import Kitchen, RecipeCode, RecipeError, cook
from fcp_ros.recipes.recipe_files import parse_recipe, parse_recipe_text, read_recipe_file
from test.recipes.conftest import PANCAKES


def refuse(kitchen: Kitchen, recipe: Mapping[str, Any], **wishes: Any) -> RecipeError:
    with pytest.raises(RecipeError) as caught:
        cook(recipe, kitchen=kitchen, **wishes)
    assert caught.value.sentence[:1].isupper()
    assert caught.value.sentence.endswith((".", "?"))
    assert str(caught.value).endswith(f"[{caught.value.code.value}]")
    return caught.value


def with_directions(*directions: str) -> dict[str, Any]:
    return {**PANCAKES, "directions": list(directions)}


@pytest.mark.parametrize(
    ("recipe", "code"),
    [
        ({}, RecipeCode.NOT_A_RECIPE),
        ({"name": "soup"}, RecipeCode.NOT_A_RECIPE),
        ({**PANCAKES, "directions": []}, RecipeCode.NO_DIRECTIONS),
        ({**PANCAKES, "ingredients": []}, RecipeCode.NO_INGREDIENTS),
        ({**PANCAKES, "ingredients": ["???", "(...)"]}, RecipeCode.NO_INGREDIENTS),
        ({**PANCAKES, "directions": ["Stir."] * 10_000}, RecipeCode.TOO_LONG),
        ({**PANCAKES, "directions": ["Stir. " * 2_000]}, RecipeCode.TOO_LONG),
    ],
)
def test_what_is_no_recipe_is_refused(
    kitchen: Kitchen, recipe: dict[str, Any], code: RecipeCode
) -> None:
    assert refuse(kitchen, recipe).code is code


def test_steps_that_need_one_another_are_refused(kitchen: Kitchen) -> None:
    recipe = with_directions(
        "Stir milk into the mixture from step 2.", "Stir flour into the mixture from step 1."
    )
    error = refuse(kitchen, recipe)
    assert error.code is RecipeCode.CYCLIC
    assert "step 2" in error.sentence


def test_sections_without_end_are_refused() -> None:
    section: Any = ["Stir."]
    for _ in range(50):
        section = {"itemListElement": [section]}
    with pytest.raises(RecipeError) as caught:
        parse_recipe({**PANCAKES, "directions": [section]})
    assert caught.value.code is RecipeCode.CYCLIC


@pytest.mark.parametrize(
    ("wishes", "code", "told"),
    [
        ({"missing": ["buter milkk"]}, RecipeCode.NOT_IN_RECIPE, "milk"),
        ({"diet": "vegna"}, RecipeCode.UNKNOWN_WISH, "vegan"),
        ({"without": ["glutn"]}, RecipeCode.UNKNOWN_WISH, "gluten"),
        ({"tools_absent": ["tricorder"]}, RecipeCode.UNKNOWN_WISH, "tricorder"),
        ({"minutes": 0.0}, RecipeCode.CONTRADICTORY_WISHES, "minutes"),
        ({"minutes": 1.0}, RecipeCode.NO_TIME, "minutes"),
    ],
)
def test_wishes_that_can_not_be_met_are_refused(
    kitchen: Kitchen, wishes: dict[str, Any], code: RecipeCode, told: str
) -> None:
    error = refuse(kitchen, PANCAKES, **wishes)
    assert error.code is code
    assert told in error.sentence


def test_wishes_that_leave_nothing_to_eat_contradict_each_other(kitchen: Kitchen) -> None:
    everything = sorted(
        name
        for name in kitchen.knowledge.facts.categories
        if not kitchen.knowledge.kinds_of(name) - {name}
    )
    error = refuse(kitchen, PANCAKES, without=everything, diet=("vegan", "gluten-free"))
    assert error.code is RecipeCode.CONTRADICTORY_WISHES
    assert "vegan and gluten-free" in error.sentence


def test_nothing_left_says_why(kitchen: Kitchen) -> None:
    ways = kitchen.knowledge.substitutes_of("baking powder")
    parts = {amount.ingredient for way in ways for amount in way.use}
    error = refuse(kitchen, PANCAKES, missing=["baking powder", *sorted(parts)])
    assert error.code is RecipeCode.NOTHING_LEFT
    assert error.sentence.startswith("Nothing is left to cook: Missing: baking powder")
    assert "is missing, too" in error.sentence


def test_directions_that_use_what_is_not_listed_are_noted(kitchen: Kitchen) -> None:
    recipe = with_directions("Fry onions in the butter.")
    cooked = cook(recipe, kitchen=kitchen)
    (note,) = cooked.recipe.notes
    assert note.code is RecipeCode.UNLISTED
    assert "onions" in note.sentence
    assert any("onions" in one for one in cooked.to_json()["not_understood"])


def test_a_food_that_nobody_knows_is_noted_where_something_is_ruled_out(kitchen: Kitchen) -> None:
    recipe = {**PANCAKES, "ingredients": ["3 gloobs", *PANCAKES["ingredients"]]}
    (note,) = cook(recipe, without=["sesame"], kitchen=kitchen).recipe.notes
    assert note.code is RecipeCode.UNKNOWN_FOOD
    assert "gloobs" in note.sentence
    assert not cook(recipe, kitchen=kitchen).recipe.notes


def test_a_diet_holds_for_what_is_not_listed(kitchen: Kitchen) -> None:
    recipe = {
        "title": "Rice",
        "ingredients": ["1 cup rice"],
        "directions": ["Boil the rice.", "Stir in butter."],
    }
    cooked = cook(recipe, diet="vegan", kitchen=kitchen)
    assert [change.missing for change in cooked.recipe.changes] == ["butter"]
    assert "butter" not in cooked.recipe.steps[1].uses


def test_a_quantity_that_does_not_convert_is_left_to_the_cook(kitchen: Kitchen) -> None:
    recipe = {**PANCAKES, "ingredients": ["1 bunch of eggs", *PANCAKES["ingredients"]]}
    cooked = cook(recipe, ["eggs"], kitchen=kitchen)
    notes = [note for note in cooked.recipe.notes if note.code is RecipeCode.UNIT]
    assert notes
    assert "can't be converted" in notes[0].sentence


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        read_recipe_file(tmp_path / "missing.json")
    file = tmp_path / "recipe.json"
    file.write_text('{"title": ')
    with pytest.raises(RecipeError) as caught:
        read_recipe_file(file)
    assert caught.value.code is RecipeCode.NOT_A_RECIPE
    file.write_text("[" * 100_000)
    with pytest.raises(RecipeError):
        read_recipe_file(file)


def test_a_long_text_is_refused_before_it_is_read() -> None:
    with pytest.raises(RecipeError) as caught:
        parse_recipe_text("Soup\nIngredients\n" + "1 egg\n" * 10_000)
    assert caught.value.code is RecipeCode.TOO_LONG


def test_all_forms_are_read_alike() -> None:
    lines = parse_recipe(PANCAKES)
    steps = [{"@type": "HowToStep", "text": one} for one in PANCAKES["directions"]]
    section = {"@type": "HowToSection", "name": "Batter", "itemListElement": steps}
    schema = {
        "@graph": [
            {
                "@type": "Recipe",
                "name": "Pancakes",
                "recipeIngredient": PANCAKES["ingredients"],
                "recipeInstructions": [section],
            }
        ]
    }
    nlg = {key: json.dumps(value) for key, value in PANCAKES.items() if key != "title"}
    numbered = (f"{number}. {one}" for number, one in enumerate(PANCAKES["directions"], 1))
    text = "\n".join(
        [
            "# Pancakes",
            "## Ingredients",
            *(f"- {one}" for one in PANCAKES["ingredients"]),
            "## Directions",
            *numbered,
        ]
    )
    assert parse_recipe(schema) == lines
    assert parse_recipe({"title": "Pancakes", **nlg}) == lines
    assert parse_recipe_text(text) == lines


def test_a_text_without_headings_is_read_by_its_lists() -> None:
    text = "Tea\n\n- 1 cup water\n- 1 bag of tea\n\n1. Boil the water.\n2. Add the tea.\n"
    lines = parse_recipe_text(text)
    assert lines.title == "Tea"
    assert lines.ingredients == ("1 cup water", "1 bag of tea")
    assert lines.directions == ("Boil the water.", "Add the tea.")
    assert not lines.left_over
