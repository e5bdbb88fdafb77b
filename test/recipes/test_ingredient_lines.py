# SPDX-License-Identifier: Apache-2.0
"""Lines of a list of ingredients, as people write them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.recipes.ingredient_lines import read_ingredients
from fcp_ros.recipes.knowledge import FoodKnowledge


@pytest.mark.parametrize(
    ("line", "name", "quantity", "unit"),
    [
        ("1 1/2 cups of milk", "milk", 1.5, "cup"),
        ("1½ cups sugar", "sugar", 1.5, "cup"),
        ("400g chicken breast", "chicken breast", 400, "g"),
        ("16oz (450g) macaroni (elbow, penne)", "macaroni", 453.6, "g"),
        ("1 (15-ounce) can black beans, rinsed", "black beans", 425.2, "g"),
        ("5-7 organic lemons (regular ones are waxed)", "lemons", 6, "piece"),
        ("Eggs: 5", "eggs", 5, "piece"),
        ("Chickpeas, 400g ( drained )", "chickpeas", 400, "g"),
        ("2 T olive oil", "olive oil", 2, "tbsp"),
        ("2 t olive oil", "olive oil", 2, "tsp"),
        ("Zest of 1 lemon", "lemon zest", 1, "piece"),
        ("A pinch of nutmeg", "nutmeg", 1, "pinch"),
        ("Butter", "butter", None, ""),
        ("2 [chicken breasts](/pan-seared-chicken)", "chicken breasts", 2, "piece"),
        ("1 cup + 2 tbsp milk", "milk", 1.125, "cup"),
        ("4 pinches of (mozzarella)", "mozzarella", 4, "pinch"),
        ("2 x (28 oz) cans tomatoes", "tomatoes", 1587.6, "g"),
        ("1 cup or 240 ml milk", "milk", 1, "cup"),
        ("a couple of cans of chickpeas", "chickpeas", 2, "can"),
        ("half a lemon", "lemon", 0.5, "piece"),
        ("one or two onions", "onions", 1.5, "piece"),
    ],
)
def test_a_line_has_a_quantity_and_a_food(
    knowledge: FoodKnowledge, line: str, name: str, quantity: float | None, unit: str
) -> None:
    (one,) = read_ingredients(line, knowledge)
    assert (one.name, one.unit, one.line) == (name, unit, line)
    assert one.quantity == (None if quantity is None else pytest.approx(quantity, rel=1e-3))
    assert one.food == knowledge.find(name)


def test_several_foods_in_one_line_share_its_quantity(knowledge: FoodKnowledge) -> None:
    salt, pepper = read_ingredients("1 tsp salt and pepper", knowledge)
    assert (salt.name, pepper.name) == ("salt", "pepper")
    assert salt.quantity is None
    assert pepper.quantity is None


def test_what_the_line_allows_instead_is_an_alternative(knowledge: FoodKnowledge) -> None:
    (one,) = read_ingredients("2 tbsp butter or margarine (optional)", knowledge)
    assert (one.food, one.alternatives, one.optional) == ("butter", ("margarine",), True)


@pytest.mark.parametrize(
    "line", ["Of your choice: parsley, oregano or cumin.", "a handful of parsley, oregano or cumin"]
)
def test_of_a_choice_the_first_counts(knowledge: FoodKnowledge, line: str) -> None:
    (one,) = read_ingredients(line, knowledge)
    assert (one.food, one.alternatives) == ("parsley", ("oregano", "cumin"))


def test_the_longest_name_counts(knowledge: FoodKnowledge) -> None:
    (one,) = read_ingredients("2 tbsp peanut butter", knowledge)
    assert one.food == "peanut butter"


@given(text=st.text(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_line_is_too_strange(knowledge: FoodKnowledge, text: str) -> None:
    for one in read_ingredients(text, knowledge):
        assert one.quantity is None or one.quantity >= 0.0
