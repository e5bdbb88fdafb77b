# SPDX-License-Identifier: Apache-2.0
"""The checker of rewritten recipes finds each rule broken, and nothing in a good recipe."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from benchmark.recipes.checker import PAPER, Rule, check, keeps_constraints
from benchmark.recipes.food_words import FoodWords, find_minutes
from benchmark.recipes.tasks import Recipe, Task

CAKE = Recipe(
    "cake",
    "Plain cake",
    ("200 g flour", "100 g butter", "2 eggs", "100 ml milk", "1 tsp vanilla"),
    (
        "Melt the butter, and mix flour, eggs, milk and vanilla into it.",
        "Bake for 30 minutes in the oven.",
    ),
)
TASK = Task(CAKE, ("butter",), ("nuts",), "", ("blender",), 60.0)


@pytest.fixture(scope="module")
def words() -> FoodWords:
    return FoodWords()


def line(name: str, quantity: float | None, unit: str, text: str) -> dict[str, Any]:
    return {"name": name, "quantity": quantity, "unit": unit, "line": text}


@pytest.fixture
def good() -> dict[str, Any]:
    return {
        "title": "Plain cake",
        "ingredients": [
            line("wheat flour", 200, "g", "200 g flour"),
            line("sunflower oil", 80, "g", "80 g sunflower oil"),
            line("egg", 2, "piece", "2 eggs"),
            line("milk", 100, "ml", "100 ml milk"),
            line("vanilla extract", 1, "tsp", "1 tsp vanilla"),
        ],
        "steps": [
            {
                "text": "Mix flour, oil, eggs, milk and vanilla.",
                "uses": ["wheat flour", "sunflower oil", "egg", "milk", "vanilla extract"],
                "gives": "batter",
                "tools": [],
                "minutes": None,
                "celsius": None,
            },
            {
                "text": "Bake for 30 minutes in the oven.",
                "uses": ["batter"],
                "gives": "cake",
                "tools": ["oven"],
                "minutes": 30,
                "celsius": 180,
            },
        ],
        "changes": [
            {"missing": "butter", "substitutes": ["sunflower oil"], "degree": 0.8, "reason": "fat"}
        ],
        "not_understood": [],
    }


def test_a_good_recipe_breaks_no_rule(good: dict[str, Any], words: FoodWords) -> None:
    assert check(good, TASK, words) == []


def put_pesto(recipe: dict[str, Any]) -> None:
    recipe["ingredients"].append(line("pesto", 1, "tbsp", "1 tbsp pesto"))
    recipe["steps"][0]["text"] += " Add the pesto."


def name_nuts_in_a_step(recipe: dict[str, Any]) -> None:
    recipe["steps"][1]["text"] = "Strew with walnuts and bake for 30 minutes."


def use_the_blender(recipe: dict[str, Any]) -> None:
    recipe["steps"][0]["text"] = "Blend flour, oil, eggs, milk and vanilla."


def state_the_blender(recipe: dict[str, Any]) -> None:
    recipe["steps"][0]["tools"] = ["stick blender"]


def take_too_long(recipe: dict[str, Any]) -> None:
    recipe["steps"].append({"text": "Let it stand for 2 hours.", "minutes": None})


def keep_the_butter_in_the_list(recipe: dict[str, Any]) -> None:
    recipe["ingredients"].append(line("butter", 10, "g", "10 g butter"))


def forget_the_oil(recipe: dict[str, Any]) -> None:
    recipe["steps"][0] |= {"text": "Mix flour, eggs, milk and vanilla.", "uses": ["wheat flour"]}


def use_what_is_not_listed(recipe: dict[str, Any]) -> None:
    recipe["steps"][1]["text"] = "Strew with poppy seeds, and bake for 30 minutes."


def take_a_bucket_of_oil(recipe: dict[str, Any]) -> None:
    recipe["ingredients"][1] |= {"quantity": 8_000, "line": "8000 g sunflower oil"}


def take_a_drop_of_oil(recipe: dict[str, Any]) -> None:
    recipe["ingredients"][1] |= {"quantity": 0.5, "line": "0.5 g sunflower oil"}


def take_an_unknown_unit(recipe: dict[str, Any]) -> None:
    recipe["ingredients"][1]["unit"] = "furlong"


def bake_before_mixing(recipe: dict[str, Any]) -> None:
    recipe["steps"].reverse()


def name_the_butter_in_a_step(recipe: dict[str, Any]) -> None:
    recipe["steps"][0]["text"] = "Melt the butter, and mix flour, oil, eggs, milk and vanilla."


def contradict_the_minutes(recipe: dict[str, Any]) -> None:
    recipe["steps"][1]["minutes"] = 50


def leave_no_steps(recipe: dict[str, Any]) -> None:
    recipe["steps"] = []


BROKEN = {
    put_pesto: Rule.FORBIDDEN,
    name_nuts_in_a_step: Rule.FORBIDDEN,
    use_the_blender: Rule.EQUIPMENT,
    state_the_blender: Rule.EQUIPMENT,
    take_too_long: Rule.RESOURCES,
    keep_the_butter_in_the_list: Rule.RESOURCES,
    leave_no_steps: Rule.RESOURCES,
    forget_the_oil: Rule.UNUSED,
    use_what_is_not_listed: Rule.UNAVAILABLE,
    take_a_bucket_of_oil: Rule.QUANTITY,
    take_a_drop_of_oil: Rule.QUANTITY,
    take_an_unknown_unit: Rule.QUANTITY,
    bake_before_mixing: Rule.ORDER,
    name_the_butter_in_a_step: Rule.MENTION,
    contradict_the_minutes: Rule.TIMES,
}


@pytest.mark.parametrize("spoil", BROKEN, ids=lambda spoil: spoil.__name__)
def test_each_broken_rule_is_found(spoil: Any, good: dict[str, Any], words: FoodWords) -> None:
    recipe = copy.deepcopy(good)
    spoil(recipe)
    faults = check(recipe, TASK, words)
    assert BROKEN[spoil] in {fault.rule for fault in faults}
    assert keeps_constraints(faults) is not bool(PAPER & {fault.rule for fault in faults})


def test_every_rule_is_broken_by_a_test() -> None:
    assert set(BROKEN.values()) == set(Rule)


@pytest.mark.parametrize("words_of_milk", ["soy milk", "milk"])
def test_milk_may_be_short_for_soy_milk(
    words_of_milk: str, good: dict[str, Any], words: FoodWords
) -> None:
    task = Task(CAKE, ("milk",), (), "dairy-free")
    good["ingredients"][3] = line("soy milk", 100, "ml", "100 ml soy milk")
    good["steps"][0]["text"] = f"Mix flour, oil, eggs, {words_of_milk} and vanilla."
    good["changes"] = [{"missing": "milk", "substitutes": ["soy milk"]}]
    assert check(good, task, words) == []


def test_meat_and_dairy_do_not_meet_in_a_kosher_style_dish(
    good: dict[str, Any], words: FoodWords
) -> None:
    good["ingredients"].append(line("beef", 100, "g", "100 g beef"))
    good["steps"][0]["text"] += " Add the beef."
    faults = check(good, Task(CAKE, ("butter",), (), "kosher-style"), words)
    assert any("in one dish" in str(fault) for fault in faults)


def test_weights_of_several_lines_of_one_food_add_up(words: FoodWords) -> None:
    dish = Recipe("d", "Dish", ("200 g butter", "20 g butter"), ("Melt the butter.",))
    oil = {
        "ingredients": [
            line("sunflower oil", 160, "g", "160 g sunflower oil"),
            line("sunflower oil", 16, "g", "16 g sunflower oil"),
        ],
        "steps": [{"text": "Warm the oil.", "uses": ["sunflower oil"]}],
        "changes": [{"missing": "butter", "substitutes": ["sunflower oil"]}],
    }
    assert check(oil, Task(dish, ("butter",)), words) == []


def test_plainer_words_for_what_was_replaced_are_found(words: FoodWords) -> None:
    dish = Recipe("d", "Dish", ("2 chicken breasts",), ("Fry the chicken.",))
    tofu = {
        "ingredients": [line("tofu", 200, "g", "200 g tofu")],
        "steps": [{"text": "Fry the chicken.", "uses": ["tofu"]}],
        "changes": [{"missing": "chicken breast", "substitutes": ["tofu"]}],
    }
    rules = {fault.rule for fault in check(tofu, Task(dish, ("chicken breast",)), words)}
    assert rules == {Rule.MENTION}


def test_names_promises_and_remarks_are_read(words: FoodWords) -> None:
    found = words.find("1 can coconut milk, gluten-free flour, chocolate without milk, 2 eggplants")
    assert [one.food for one in found] == [
        "coconut milk",
        "gluten-free flour",
        "chocolate",
        "eggplant",
    ]
    assert words.forbids("worcestershire sauce", ["fish"], "") == "fish"
    assert words.forbids("pesto", (), "nut-free") == "nuts"
    assert words.forbids("apple", ["fish"], "vegan") == ""


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("bake for 20-25 minutes", [(20, 25)]),
        ("wait 2 hours, then 10 min", [(120, 120), (10, 10)]),
        ("half an hour or so", [(30, 30)]),
        ("let it stand for 3 to 14 days", [(4320, 20160)]),
        ("1h30min in the oven", [(60, 60), (30, 30)]),
        ("cook 8 oz of pasta", []),
    ],
)
def test_durations(text: str, minutes: list[tuple[float, float]]) -> None:
    assert find_minutes(text) == minutes
