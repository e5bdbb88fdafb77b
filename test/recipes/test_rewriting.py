# SPDX-License-Identifier: Apache-2.0
"""Texts after a rewriting, as the person who cooks reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fcp_ros.recipes import Kitchen, Recipe, cook
from test.recipes.conftest import LikingJudge


def _recipe(lines: Sequence[str], *directions: str) -> dict[str, Any]:
    return {"title": "A dish", "ingredients": list(lines), "directions": list(directions)}


def _texts(recipe: Recipe) -> list[str]:
    return [step.text for step in recipe.steps]


def test_an_alternative_without_an_entry_and_both_names_in_a_direction(kitchen: Kitchen) -> None:
    dish = _recipe(
        ["1 cup qatiq or heavy cream", "200 g mushrooms"],
        "Fry the mushrooms.",
        "Add qatiq/cream and simmer for 5 minutes.",
    )
    recipe = cook(dish, ["mushrooms"], diet="dairy-free", kitchen=kitchen).recipe
    assert not any("mushrooms" in text for text in _texts(recipe))


def test_two_names_of_one_ingredient_are_replaced_together(kitchen: Kitchen) -> None:
    dish = _recipe(["1 cup crème fraîche or heavy cream"], "Add crème fraîche/cream and simmer it.")
    judge = LikingJudge(oat_cream_and_lemon_juice=0.9)
    other = Kitchen(kitchen.knowledge, judge, kitchen.domain)
    recipe = cook(dish, ["creme fraiche"], diet="dairy-free", kitchen=other).recipe
    assert _texts(recipe) == ["Add oat cream and lemon juice and simmer it."]


def test_what_only_the_directions_name_gets_no_line(kitchen: Kitchen) -> None:
    dish = _recipe(["200 g rice", "2 tbsp butter"], "Boil the rice in water.", "Add the butter.")
    cooked = cook(dish, ["butter"], kitchen=kitchen)
    assert len(cooked.recipe.lines) == 2
    assert len(cooked.to_json()["ingredients"]) == 2
    assert "water" in cooked.recipe.steps[0].uses
    assert "- water" not in cooked.to_text()


def test_what_is_left_out_takes_its_clause_along(kitchen: Kitchen) -> None:
    lines = ["300 g apples", "parsley (optional)", "1 onion"]
    pieces = "Cut tiny pieces of parsley and arrange them over everything."
    other = Kitchen(kitchen.knowledge, LikingJudge(optional=0.9), kitchen.domain)
    recipe = cook(_recipe(lines, "Slice the apples.", pieces), ["parsley"], kitchen=other).recipe
    assert _texts(recipe) == ["Slice the apples."]
    both = "Chop the parsley and fry it with the onion."
    recipe = cook(_recipe(lines, "Slice the apples.", both), ["parsley"], kitchen=other).recipe
    assert _texts(recipe)[1] == "Fry the onion."


def test_a_word_for_several_ingredients_changes_when_all_of_them_do(kitchen: Kitchen) -> None:
    dish = _recipe(["2 eggs", "1 egg", "1 cup milk"], "Whisk the egg with milk.", "Fry the egg.")
    recipe = cook(dish, ["egg"], kitchen=kitchen).recipe
    assert _texts(recipe) == ["Whisk the aquafaba with milk.", "Fry the aquafaba."]


def test_what_has_no_pieces_is_not_added_one_by_one(kitchen: Kitchen) -> None:
    dish = _recipe(["2 eggs", "100 g sugar"], "Stir sugar. Then add the eggs one by one. Rest.")
    recipe = cook(dish, ["egg"], kitchen=kitchen).recipe
    assert _texts(recipe) == ["Stir sugar. Then add the yogurt. Rest."]


def test_where_only_the_name_changes_the_line_keeps_its_words(kitchen: Kitchen) -> None:
    other = Kitchen(kitchen.knowledge, LikingJudge(soy_milk=0.9, dried_parsley=0.9), kitchen.domain)
    dish = _recipe(["1 cup/240 ml Milk, cold", "1 onion"], "Stir 1/2 cup of milk into the onion.")
    recipe = cook(dish, ["milk"], kitchen=other).recipe
    assert recipe.lines[0] == "1 cup/240 ml Soy Milk, cold"
    assert "* 1 cup/240 ml Soy Milk, cold" in recipe.to_text()
    assert _texts(recipe) == ["Stir 1/2 cup soy milk into the onion."]


def test_a_line_does_not_name_what_is_missing_on_the_side(kitchen: Kitchen) -> None:
    dish = _recipe(["Seasoning: salt with cayenne or paprika", "2 eggs"], "Fry the eggs with salt.")
    recipe = cook(dish, ["paprika"], kitchen=kitchen).recipe
    assert recipe.lines == ["salt", "2 eggs"]


def test_what_a_note_needs_is_listed_once(kitchen: Kitchen) -> None:
    other = Kitchen(kitchen.knowledge, LikingJudge(coconut_aminos=0.9), kitchen.domain)
    dish = _recipe(["3 tsp soy sauce", "1 tsp salt"], "Mix soy sauce and salt.")
    recipe = cook(dish, ["soy sauce"], without=["soybeans"], kitchen=other).recipe
    assert recipe.lines == ["3 tsp coconut aminos", "1 tsp salt"]


def test_another_tool_changes_the_time_in_the_text_too(kitchen: Kitchen) -> None:
    method = next(one for one in kitchen.knowledge.facts.equipment if one.factor != 1.0)
    tool, verb = method.instead_of, method.verbs[0]
    dish = _recipe(
        ["500 g carrots"], f"{verb.capitalize()} the carrots in the {tool} for 20 minutes."
    )
    step = cook(dish, tools_absent=[tool], kitchen=kitchen).recipe.steps[0]
    assert step.minutes == pytest.approx(20 * method.factor, abs=0.5)
    assert f"{20 * method.factor:.0f} minutes" in step.text


def test_without_a_quantity_the_parts_have_a_ratio(kitchen: Kitchen) -> None:
    judge = LikingJudge(oat_cream_and_lemon_juice=0.9)
    other = Kitchen(kitchen.knowledge, judge, kitchen.domain)
    dish = _recipe(["creme fraiche", "1 onion"], "Fry the onion with the creme fraiche.")
    recipe = cook(dish, ["creme fraiche"], diet="dairy-free", kitchen=other).recipe
    assert recipe.lines[:2] == ["oat cream (95 ml to 5 ml lemon juice)", "lemon juice"]


def test_a_line_that_stays_is_word_for_word(kitchen: Kitchen) -> None:
    lines = ["3 Tbsp. (ca.) of nice, cold butter", "½ cup sugar, fine"]
    cooked = cook(_recipe(lines, "Cream butter and sugar."), kitchen=kitchen)
    assert cooked.recipe.lines == lines
    assert replace(cooked.recipe, changes=()) == cooked.original


def test_a_word_of_a_name_names_what_is_a_kind_of_it_alone(kitchen: Kitchen) -> None:
    dish = _recipe(
        ["2 chicken breasts", "1 l chicken stock"], "Boil the stock.", "Add the chicken."
    )
    recipe = cook(dish, ["chicken breast", "chicken stock"], diet="vegan", kitchen=kitchen).recipe
    assert not any("chicken" in text for text in _texts(recipe))


def test_work_on_another_food_is_not_dropped(kitchen: Kitchen) -> None:
    dish = _recipe(["1 bunch parsley", "50 g cheese"], "Serve with some grated cheese and parsley.")
    other = Kitchen(kitchen.knowledge, LikingJudge(dried_parsley=0.9), kitchen.domain)
    recipe = cook(dish, ["parsley"], kitchen=other).recipe
    assert "some grated cheese" in recipe.steps[0].text


def test_no_batter_rests_where_nothing_is_baked(kitchen: Kitchen) -> None:
    other = Kitchen(kitchen.knowledge, LikingJudge(gluten_free_flour=0.9), kitchen.domain)
    for verb, count in (("Simmer", 1), ("Bake", 2)):
        dish = _recipe(["100 g flour", "1 l milk"], f"Stir flour into the milk. {verb} it.")
        recipe = cook(dish, ["flour"], without=["gluten"], kitchen=other).recipe
        assert len(recipe.steps) == count


def test_what_replaces_eggs_is_not_separated(kitchen: Kitchen) -> None:
    dish = _recipe(
        ["4 eggs", "200 ml cream"], "Divide the yolk from the egg white. Whisk the yolk with cream."
    )
    recipe = cook(dish, ["egg"], kitchen=kitchen).recipe
    assert _texts(recipe) == ["Whisk the aquafaba with cream."]


def test_a_spoonful_stays_a_spoonful(kitchen: Kitchen) -> None:
    dish = _recipe(["peanut butter", "100 g oats"], "Add a spoonful of peanut butter to the oats.")
    other = Kitchen(kitchen.knowledge, LikingJudge(almond_butter=0.9), kitchen.domain)
    recipe = cook(dish, ["peanut butter"], kitchen=other).recipe
    assert _texts(recipe) == ["Add a spoonful of almond butter to the oats."]


def test_only_what_was_chosen_is_said_to_have_no_quantity(kitchen: Kitchen) -> None:
    dish = _recipe(["1/4 cream", "1 onion"], "Fry the onion. Add the cream.")
    recipe = cook(dish, ["cream"], kitchen=kitchen).recipe
    assert len([note for note in recipe.notes if note.code.value == "unit"]) == 1


def test_a_weight_is_replaced_by_a_weight(kitchen: Kitchen) -> None:
    other = Kitchen(kitchen.knowledge, LikingJudge(parsley=0.9), kitchen.domain)
    dish = _recipe(["250 g coriander leaves", "1 onion"], "Blend the coriander leaves.")
    (leaves, _) = cook(dish, ["cilantro"], kitchen=other).recipe.ingredients
    assert (leaves.food, leaves.unit) == ("parsley", "g")


def test_a_part_of_a_food_goes_with_it(kitchen: Kitchen) -> None:
    dish = _recipe(["3 eggs", "1 kg flour"], "Mix the flour.", "Brush with beaten egg yolks.")
    recipe = cook(dish, ["egg"], kitchen=kitchen).recipe
    assert "yolk" not in recipe.steps[1].text


def test_without_a_lemon_there_is_no_zest_of_it(kitchen: Kitchen) -> None:
    dish = _recipe(["Zest of 1 lemon", "2 tbsp lemon juice"], "Stir zest and juice.")
    recipe = cook(dish, ["lemon"], kitchen=kitchen).recipe
    assert not any("Zest of 1 lemon" in line for line in recipe.lines)
    assert "2 tbsp lemon juice" in recipe.lines
