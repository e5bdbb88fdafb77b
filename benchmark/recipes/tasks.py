# SPDX-License-Identifier: Apache-2.0
"""Tasks: a recipe, what is missing, what is ruled out; and the halves of the recipes."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.recipes.food_words import FoodWords, total_minutes

DATA = Path(
    os.environ.get("FCP_RECIPES")
    or Path(__file__).resolve().parents[3] / "shared" / "bench" / "recipes"
)
BINS = (1, 3, 5, 7)
"""The paper's bins of missing ingredients (and of steps, candidates and k)."""
PER_BIN = 60  # Tasks of a half and a bin, at most
BINDING = 0.6  # Least share of tasks whose unconstrained best substitute is forbidden
SPARE_MINUTES = 20.0  # that a task with a time limit leaves beyond the recipe's own
TRIES = 4  # Draws of missing ingredients for each recipe and bin
ALWAYS_THERE = {"water", "salt"}
SEED = 33


@dataclass(frozen=True)
class Recipe:
    """A recipe as the data has it."""

    key: str
    title: str
    ingredients: tuple[str, ...]
    directions: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "title": self.title,
            "ingredients": list(self.ingredients),
            "directions": list(self.directions),
        }


@dataclass(frozen=True)
class Task:
    """What is asked: do without `missing`, and let nothing in that is ruled out."""

    recipe: Recipe
    missing: tuple[str, ...]  # names of the knowledge file
    without: tuple[str, ...] = ()
    diet: str = ""
    tools_absent: tuple[str, ...] = ()
    minutes: float | None = None  # limit for the durations named in the directions
    binds: bool = False  # the best substitute without constraints is forbidden

    @property
    def name(self) -> str:
        return f"{self.recipe.key}: {', '.join(self.missing)}"


def is_development(title: str) -> bool:
    return int(hashlib.sha256(title.encode()).hexdigest()[0], 16) < 8


def read_recipes(development: bool, folder: Path = DATA) -> list[Recipe]:
    """Read one half of the recipes."""
    lines = (folder / "based_cooking_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Recipe(row["id"], row["title"], tuple(row["ingredients"]), tuple(row["directions"]))
        for row in rows
        if is_development(row["title"]) is development
    ]


def read_pairs(folder: Path = DATA) -> dict[str, list[str]]:
    """Read Recipe1MSubs' training pairs: substitutes by ingredient, the most frequent first."""
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    with (folder / "recipe1msubs_train_paircounts_min2.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name, other = (row[key].replace("_", " ") for key in ("ingredient", "substitute"))
            counts[name][other] = int(row["count"])
    return {name: sorted(found, key=lambda o: -found[o]) for name, found in counts.items()}


def candidates(pairs: Mapping[str, Sequence[str]], words: FoodWords, food: str) -> list[str]:
    """List the substitutes of a food by Recipe1MSubs, as names of the knowledge file."""
    names = (food, *words.data["ingredients"][food].get("also", ()))
    found = [words.name(other) for name in names for other in pairs.get(name, ())]
    return [one for one in dict.fromkeys(found) if one is not None and one != food]


def make_tasks(
    recipes: Iterable[Recipe], pairs: Mapping[str, Sequence[str]], words: FoodWords
) -> dict[int, list[Task]]:
    """Cross recipes and pairs, for each number of missing ingredients; same seed, same tasks."""
    made = {}
    for number in BINS:
        draw = random.Random(SEED + number)
        found = {}
        for recipe in recipes:
            for _ in range(TRIES):
                task = _make_task(recipe, number, pairs, words, draw)
                if task is not None:
                    found[recipe.key, frozenset(task.missing)] = task
        made[number] = _let_bind(list(found.values()), words)
    return made


def _make_task(
    recipe: Recipe,
    number: int,
    pairs: Mapping[str, Sequence[str]],
    words: FoodWords,
    draw: random.Random,
) -> Task | None:
    listed = list(dict.fromkeys(m.food for line in recipe.ingredients for m in words.find(line)))
    replaceable = [food for food in listed if len(candidates(pairs, words, food)) >= 2]
    replaceable = [food for food in replaceable if food not in ALWAYS_THERE]
    if len(replaceable) < number:
        return None
    missing = tuple(draw.sample(replaceable, number))
    best = [candidates(pairs, words, food)[0] for food in missing]
    lines = (*recipe.ingredients, *recipe.directions)
    kept = {m.food for line in lines for m in words.find(line)} - set(missing)
    limits = [
        (without, diet)
        for without, diet in _list_limits(words)
        if not any(words.forbids(food, without, diet) for food in kept)
        and not _meet(words, diet, kept)
    ]
    binding = [one for one in limits if any(words.forbids(food, *one) for food in best)]
    # Where no diet and no allergen binds, the best is just not at hand, unless the recipe has it.
    absent = [((food,), "") for food in best if not any(food in words.contents(k) for k in kept)]
    without, diet = draw.choice(binding or absent or limits or [((), "")])
    time = total_minutes(recipe.directions) + SPARE_MINUTES if draw.random() < 0.3 else None
    binds = any(words.forbids(food, without, diet) for food in best)
    return Task(recipe, missing, without, diet, _absent(recipe, words, draw), time, binds)


def _list_limits(words: FoodWords) -> list[tuple[tuple[str, ...], str]]:
    diets = [((), diet) for diet in words.data["diets"]]
    return [*diets, *(((allergen,), "") for allergen in words.data["allergens"])]


def _meet(words: FoodWords, diet: str, foods: Iterable[str]) -> bool:
    every = {kind for food in foods for kind in words.contents(food)}
    return any(one in every and other in every for one, other in words.apart(diet))


def _absent(recipe: Recipe, words: FoodWords, draw: random.Random) -> tuple[str, ...]:
    """Now and then a tool is absent that the recipe doesn't need, but a substitute may."""
    used = words.tools(" ".join(recipe.directions))
    spare = [tool for tool in ("blender", "food processor", "mixer", "grater") if tool not in used]
    return (draw.choice(spare),) if spare and draw.random() < 0.3 else ()


def _let_bind(tasks: list[Task], words: FoodWords) -> list[Task]:
    """Keep PER_BIN tasks: diets and allergens that bind first, and as few others as may be."""

    def is_named_only(task: Task) -> bool:  # a single food is ruled out, no diet, no allergen
        return bool(set(task.without) - words.data["allergens"].keys())

    draw = random.Random(SEED)
    draw.shuffle(tasks)
    binding = sorted((task for task in tasks if task.binds), key=is_named_only)
    free = [task for task in tasks if not task.binds]
    chosen = [*binding[:PER_BIN], *free[: int(len(binding) * (1 - BINDING) / BINDING)]][:PER_BIN]
    draw.shuffle(chosen)
    return chosen
