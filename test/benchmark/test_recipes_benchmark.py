# SPDX-License-Identifier: Apache-2.0
"""Tasks of the recipe benchmark, on recipes of our own."""

from __future__ import annotations

import pytest

from benchmark.recipes.food_words import FoodWords
from benchmark.recipes.tasks import (
    BINDING,
    DATA,
    Recipe,
    make_tasks,
    read_pairs,
    read_recipes,
)

SOUP = Recipe(
    "soup",
    "Soup",
    ("2 carrots", "1 onion", "200 ml cream", "1 l vegetable broth"),
    ("Chop the carrots and the onion.", "Simmer in the broth for 20 minutes.", "Add the cream."),
)
PAIRS = {
    "cream": ["milk", "coconut milk", "soy cream"],
    "onion": ["leek", "shallot"],
    "carrot": ["parsnip", "sweet potato"],
}


@pytest.fixture(scope="module")
def words() -> FoodWords:
    return FoodWords()


def test_tasks_are_the_same_each_time_and_bind(words: FoodWords) -> None:
    first, again = make_tasks([SOUP], PAIRS, words), make_tasks([SOUP], PAIRS, words)
    assert first == again
    assert first[1]
    assert len(first[3]) == 1
    assert first[5] == []
    for tasks in first.values():
        assert sum(task.binds for task in tasks) >= BINDING * len(tasks)


def test_what_stays_in_the_recipe_keeps_the_constraints(words: FoodWords) -> None:
    """Else no substitute could help."""
    for tasks in make_tasks([SOUP], PAIRS, words).values():
        for task in tasks:
            lines = (*task.recipe.ingredients, *task.recipe.directions)
            kept = {m.food for line in lines for m in words.find(line)} - set(task.missing)
            assert not [f for f in kept if words.forbids(f, task.without, task.diet)]


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data at {DATA}")


@needs_data
def test_enough_tasks_of_the_data_bind(words: FoodWords) -> None:
    recipes = read_recipes(True)[:25]
    made = make_tasks(recipes, read_pairs(), words)
    for number, tasks in made.items():
        assert all(len(task.missing) == number for task in tasks)
        assert sum(task.binds for task in tasks) >= BINDING * len(tasks)
    assert made[1]
