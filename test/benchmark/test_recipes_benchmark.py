# SPDX-License-Identifier: Apache-2.0
"""References, tasks, scores and rivals of the recipe benchmark, on recipes of our own."""

from __future__ import annotations

import pytest
import yaml

from benchmark.recipes.checker import check, keeps_constraints
from benchmark.recipes.food_words import FoodWords
from benchmark.recipes.rivals import as_document, retrieve
from benchmark.recipes.tasks import (
    BINDING,
    DATA,
    HERE,
    Recipe,
    Task,
    is_development,
    make_tasks,
    read_pairs,
    read_recipes,
    read_references,
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


def test_retrieval_takes_the_top_pair_that_keeps_the_constraints(words: FoodWords) -> None:
    task = Task(SOUP, ("cream",), (), "dairy-free")
    document = retrieve(words, PAIRS)(task)
    assert document is not None
    assert document["changes"][0]["substitutes"] == ["coconut milk"]
    assert document["steps"][2]["text"] == "Add the coconut milk."
    assert keeps_constraints(check(document, task, words))


def test_retrieval_without_an_allowed_pair_says_so(words: FoodWords) -> None:
    assert retrieve(words, {"cream": ["milk"]})(Task(SOUP, ("cream",), (), "vegan")) is None


def test_an_unchanged_recipe_with_nothing_missing_breaks_no_rule(words: FoodWords) -> None:
    assert check(as_document(SOUP, words), Task(SOUP, ()), words) == []


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data at {DATA}")


@needs_data
@pytest.mark.parametrize("development", [True, False])
def test_references_belong_to_their_half_and_their_recipes(
    development: bool, words: FoodWords
) -> None:
    """The held-out ones, too, of which nothing is shown."""
    references = read_references(development, words)
    for one in references:
        recipe, missing = one.task.recipe, one.task.missing
        assert is_development(recipe.title) is development
        listed = {
            kind for m in words.find(" ; ".join(recipe.ingredients)) for kind in words.kinds(m.food)
        }
        assert one.changed, recipe.key
        assert missing, recipe.key
        assert all(name in words.foods for name in missing) or not development
        assert listed


def test_at_least_80_references_30_of_them_with_a_changed_procedure() -> None:
    names = ("references_development.yaml", "references_held_out.yaml")
    rows = [row for name in names for row in yaml.safe_load((HERE / name).read_text("utf-8"))]
    assert len(rows) >= 80
    assert sum(bool(row.get("procedure")) for row in rows) >= 30


@needs_data
def test_enough_tasks_of_the_data_bind(words: FoodWords) -> None:
    recipes = read_recipes(True)[:25]
    made = make_tasks(recipes, read_pairs(), words)
    for number, tasks in made.items():
        assert all(len(task.missing) == number for task in tasks)
        assert sum(task.binds for task in tasks) >= BINDING * len(tasks)
    assert made[1]
