# SPDX-License-Identifier: Apache-2.0
"""Units of the kitchen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.recipes.ingredient_lines import read_ingredients
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.measures import convert, read_unit, round_quantity, write_quantity


def test_weights_and_volumes_convert(knowledge: FoodKnowledge) -> None:
    assert convert(2, "cup", "tbsp", "milk", knowledge) == pytest.approx(32, rel=0.01)
    assert convert(1, "kg", "g", "butter", knowledge) == 1000
    assert convert(1, "cup", "g", "butter", knowledge) == pytest.approx(227, rel=0.01)


def test_a_unit_that_does_not_convert_gives_nothing(knowledge: FoodKnowledge) -> None:
    assert convert(1, "bunch", "ml", "egg", knowledge) is None


def test_a_spoon_is_a_table_spoon_only_in_capitals() -> None:
    assert read_unit("T", 1) == read_unit("T.", 1) == (1, "tbsp")
    assert read_unit("t", 1) == read_unit("t.", 1) == (1, "tsp")
    with pytest.raises(KeyError):
        read_unit("parsec", 1)


@given(
    quantity=st.floats(0.3, 5000.0),
    unit=st.sampled_from(["g", "ml", "tsp", "tbsp", "cup", "piece"]),
)
def test_rounding_keeps_the_quantity(quantity: float, unit: str) -> None:
    base = {"g": 1.0, "kg": 1000.0, "ml": 1.0, "l": 1000.0, "piece": 1.0}
    spoons = {"tsp": 1.0, "tbsp": 3.0, "cup": 48.0}
    factors = spoons if unit in spoons else base
    rounded, shown = round_quantity(quantity, unit)
    off = abs(rounded * factors[shown] - quantity * factors[unit])
    assert off <= max(0.2 * quantity * factors[unit], 0.7 * factors[shown])


@pytest.mark.parametrize(
    ("quantity", "unit", "text"),
    [(1.5, "cup", "1 1/2 cups"), (80, "g", "80 g"), (2, "piece", "2"), (0.25, "tsp", "1/4 tsp"),
     (2, "leaf", "2 leaves"), (None, "", "")],
)  # fmt: skip
def test_quantities_are_written_as_they_are_read(
    knowledge: FoodKnowledge, quantity: float | None, unit: str, text: str
) -> None:
    assert write_quantity(quantity, unit) == text
    (one,) = read_ingredients(f"{text} butter", knowledge)
    assert (one.quantity, one.unit) == (quantity, unit)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((6, "tbsp"), (6, "tbsp")),
        ((8, "tbsp"), (0.5, "cup")),
        ((4, "tsp"), (4, "tsp")),
        ((3, "tsp"), (1, "tbsp")),
        ((2.98, "tsp"), (1, "tbsp")),
        ((9.6, "tbsp"), (2 / 3, "cup")),
        ((14.4, "tbsp"), (1, "cup")),
        ((1500, "g"), (1.5, "kg")),
    ],
)
def test_a_larger_unit_is_written_only_where_it_says_the_same(
    given: tuple[float, str], shown: tuple[float, str]
) -> None:
    quantity, unit = round_quantity(*given)
    assert (quantity, unit) == (pytest.approx(shown[0]), shown[1])
