# SPDX-License-Identifier: Apache-2.0
"""The lines of a recipe as a `Recipe`: what each step takes and gives.

    lines -> ingredients -> per direction: syntax (spaCy) -> foods, products, tools, times -> steps

`food_mentions` finds the food. What was not understood is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fcp_ros.foundation.wording import gather_words
from fcp_ros.recipes.direction_words import (
    GENERIC,
    PRODUCTS,
    find_step_numbers,
    find_temperatures,
    find_times,
)
from fcp_ros.recipes.food_mentions import (
    FoodFinder,
    FoundFood,
    parse_text,
    singular,
    singular_last,
)
from fcp_ros.recipes.ingredient_lines import WORD, read_ingredients
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.recipe import (
    ListedIngredient,
    Recipe,
    RecipeCode,
    RecipeError,
    Step,
)
from fcp_ros.recipes.recipe_files import RecipeLines

_ADDING = gather_words(
    """
    add stir fold top sprinkle drizzle season pour spread garnish cover return whisk arrange throw
    toss put place
    """
)
"""Verbs that bring an ingredient to what the step before gave."""
_JOINING = frozenset(["combine", "unite", "incorporate", "assemble"])
"""Verbs that bring together all that was made so far."""
_RESULT = re.compile(
    r"\b(?:into|form|forms|make|makes|for|becomes?|is|get|have)\s+(?:an?|the|your)?\s*"
    r"(?:\w+\s+){0,3}?(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)


def read_recipe(lines: RecipeLines, knowledge: FoodKnowledge) -> Recipe:
    """Read the lines of a recipe.

    Raises:
        RecipeError: no line names a food, or steps need what only later ones give.
        InputError: spaCy or its English pipeline isn't installed.
    """
    ingredients: list[ListedIngredient] = []
    unread = [f"not a part of the recipe: {line}" for line in lines.left_over]
    for line in lines.ingredients:
        found = read_ingredients(line, knowledge)
        ingredients += found
        if not any(one.food for one in found):
            unread.append(f"no food known to the knowledge file in the ingredient: {line}")
    if not ingredients:
        sentence = "No line of the list of ingredients names anything: write one food a line."
        raise RecipeError(RecipeCode.NO_INGREDIENTS, sentence)
    reader = _Reader(_merge(ingredients), knowledge)
    steps = reader.read(lines.directions)
    return Recipe(
        lines.title,
        tuple(reader.finder.ingredients),
        tuple(steps),
        not_understood=(*unread, *reader.unread),
        notes=tuple(reader.finder.notes),
    )


def _merge(ingredients: Iterable[ListedIngredient]) -> list[ListedIngredient]:
    """Give ingredients that are listed twice (dough, topping) names of their own."""
    merged: list[ListedIngredient] = []
    counts: dict[str, int] = {}
    for one in ingredients:
        counts[one.name] = number = counts.get(one.name, 0) + 1
        merged.append(one if number == 1 else replace(one, name=f"{one.name} ({number})"))
    return merged


class _Reader:
    """Reads the directions of one recipe in their order."""

    def __init__(self, ingredients: list[ListedIngredient], knowledge: FoodKnowledge) -> None:
        self.finder = FoodFinder(ingredients, knowledge)
        self.unread: list[str] = []
        self._tools = _list_tool_words(knowledge)

    def read(self, directions: Sequence[str]) -> list[Step]:
        steps: list[Step] = []
        for number, text in enumerate(directions):
            step = self._read_step(text, steps)
            for wanted in find_step_numbers(text):
                if number < wanted <= len(directions):
                    later = "itself" if wanted == number + 1 else f"step {wanted}, later"
                    sentence = f"Step {number + 1} takes what is made in {later}: change the order."
                    raise RecipeError(RecipeCode.CYCLIC, sentence)
                name = steps[wanted - 1].gives if 1 <= wanted <= number else ""
                if name and name not in step.uses:
                    step = replace(step, uses=(*step.uses, name))
            steps.append(step)
        return steps

    def _read_step(self, text: str, earlier: Sequence[Step]) -> Step:
        parsed = parse_text(text)
        found = self.finder.find(text, parsed)
        products = _resolve(found, earlier, parsed.verbs)
        names = dict.fromkeys(
            self.finder.ingredients[one.ingredient].name for one in found.mentions
        )
        tools = tuple(self._find_tools(text, parsed.verbs))
        times = list(find_times(text))
        heat = sorted(find_temperatures(text), key=lambda one: one.is_fahrenheit)
        if not names and not products and earlier and (found.pronoun or not (tools and heat)):
            last = next((one.gives for one in reversed(earlier) if one.gives), "")
            products = [last] if last else []
        if not (names or found.products or tools or times or found.pronoun):
            self.unread.append(f"nothing to use or do in the direction: {text}")
        uses = (*names, *(one for one in products if one not in names))
        return Step(
            text,
            uses,
            _name_product(text, found, list(names), products, len(earlier) + 1),
            tools,
            sum(one.value for one in times) if times else None,
            next((round(one.value, 1) for one in heat), None),
            tuple(sorted(found.mentions, key=lambda one: one.start)),
            parsed.verbs,
        )

    def _find_tools(self, text: str, verbs: Sequence[str]) -> Iterator[str]:
        low = f" {' '.join(singular(one.lower()) for one in WORD.findall(text))} "
        spoken = set(verbs)
        seen = set()
        for word, tool in self._tools:
            if tool not in seen and (f" {word} " in low or word in spoken):
                seen.add(tool)
                yield tool


def _list_tool_words(knowledge: FoodKnowledge) -> list[tuple[str, str]]:
    pairs = [
        (singular_last(word), name)
        for name, one in knowledge.facts.tools.items()
        for word in (name, *one.also, *one.words)
    ]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _resolve(found: FoundFood, earlier: Sequence[Step], verbs: Sequence[str]) -> list[str]:
    """Return the products of earlier steps that a direction takes."""
    given = [one.gives for one in earlier if one.gives]
    used = {name for one in earlier for name in one.uses if name != one.gives}
    still_open = list(dict.fromkeys(name for name in given if name not in used))
    taken: list[str] = []
    nouns = {_noun_of(name) for name in given}
    if given and found.mentions and verbs and not nouns & set(found.products):
        if verbs[0] in _JOINING:
            taken += still_open or given[-1:]
        elif verbs[0] in _ADDING:
            taken.append(given[-1])
    for noun in found.products:
        same = [name for name in given if _noun_of(name) == noun]
        if same:
            taken.append(same[-1])
        elif noun in GENERIC and given:
            taken.append(given[-1])
    if found.pronoun and given and not taken and not found.mentions:
        taken.append(given[-1])
    return list(dict.fromkeys(taken))


def _name_product(
    text: str, found: FoundFood, names: Sequence[str], products: Sequence[str], number: int
) -> str:
    """Name what a step gives, "" if it takes nothing."""
    if not names and not products:
        return ""
    taken = {_noun_of(one) for one in products}
    for match in _RESULT.finditer(text):
        noun = singular(match["noun"].lower())
        if noun in PRODUCTS and noun not in taken:
            return noun
    for noun in found.products:
        if noun not in taken and noun not in GENERIC:
            return noun
    if products and not (names and " of step " in products[-1]):
        return products[-1]
    names = [*names, *products]
    return f"{names[0] if len(names) == 1 else 'mixture'} of step {number}"


def _noun_of(product: str) -> str:
    return product.split(" of step")[0].split()[-1]
