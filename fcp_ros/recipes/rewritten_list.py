# SPDX-License-Identifier: Apache-2.0
"""The list of ingredients as a plan leaves it, with quantities that a kitchen can measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fcp_ros.recipes.ingredient_lines import find_foods
from fcp_ros.recipes.kitchen_state import SubstituteWay, WayPart
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import WEIGHTS, ChangeKind
from fcp_ros.recipes.measures import convert, round_quantity, write_quantity
from fcp_ros.recipes.recipe import ListedIngredient, Recipe
from fcp_ros.recipes.recipe_draft import FoodChoice
from fcp_ros.recipes.wishes import Limits

_SPOONS = ("tsp", "tbsp", "cup")


def rewrite_list(
    recipe: Recipe,
    choices: Mapping[int, FoodChoice],
    limits: Limits,
) -> list[ListedIngredient]:
    """Return the list with what was chosen; a line that nothing changes stays as it is."""
    knowledge = limits.knowledge
    written: list[ListedIngredient] = []
    changed = {recipe.ingredients[index].line for index in choices} - {""}
    for index, one in enumerate(recipe.ingredients):
        choice = choices.get(index)
        if choice is None:
            named = (food for *_, food in find_foods(one.line, knowledge) if food != one.food)
            gone = not all(map(limits.may_use, (*one.alternatives, *named)))
            written.append(_write_alone(one) if gone or one.line in changed else one)
        elif choice.way is not None:
            parts = _keep_words(one, choice.way, recipe, limits) or [
                write_part(part, one.unit, knowledge) for part in choice.way.parts
            ]
            parts += [
                ListedIngredient(food, food, line=food, is_new=True) for food in choice.way.brought
            ]
            # What only the directions name may take the place of a food that is listed.
            listed = {other.food for other in written} if not one.line else set()
            written += [part for part in parts if part.food not in listed]
    for choice in choices.values():
        for part in choice.way.less if choice.way else ():
            _take_away(written, part, knowledge)
    return _drop_repeated(written)


def _keep_words(
    one: ListedIngredient, way: SubstituteWay, recipe: Recipe, limits: Limits
) -> list[ListedIngredient]:
    """Exchange the name alone where the rest of a line holds as well; else nothing."""
    part, *others = way.parts
    shared = [other for other in recipe.ingredients if other.line == one.line]
    found = list(find_foods(one.line, limits.knowledge))
    named = [place for place in found if place[2] == one.food]
    rest = [food for *_, food in found if food != one.food]
    changes = (limits.knowledge.facts.step_changes[name].kind for name in way.changes)
    same = (part.quantity, part.unit if part.quantity else one.unit) == (one.quantity, one.unit)
    if others or not same or len(named) != 1 or len(shared) != 1 or ChangeKind.DROP in changes:
        return []
    if one.alternatives or not all(map(limits.may_use, rest)):
        return []
    start, end, _ = named[0]
    name = part.food.title() if one.line[start].isupper() and start else part.food
    line = f"{one.line[:start]}{name if start else name.capitalize()}{one.line[end:]}"
    return [ListedIngredient(part.food, part.food, one.quantity, one.unit, line, is_new=True)]


def write_part(part: WayPart, unit: str, knowledge: FoodKnowledge) -> ListedIngredient:
    """Write a part of a substitute as a line, in the kind of unit of what it replaces."""
    quantity, unit = measure_part(part, unit, knowledge)
    ratio = f" ({part.ratio})" if part.ratio else ""
    line = f"{write_quantity(quantity, unit)} {part.food}{ratio}".strip()
    return ListedIngredient(part.food, part.food, quantity, unit, line, is_new=True)


def measure_part(part: WayPart, unit: str, knowledge: FoodKnowledge) -> tuple[float | None, str]:
    """Return a quantity in the kind of unit that the recipe uses, rounded."""
    if part.quantity is None:
        return None, ""
    for family, base in ((_SPOONS, "tsp"), (WEIGHTS, "g")):
        if unit in family and part.unit not in family:
            converted = convert(part.quantity, part.unit, base, part.food, knowledge)
            if converted is not None:
                return round_quantity(converted, base)
    return round_quantity(part.quantity, part.unit)


def _take_away(written: list[ListedIngredient], part: WayPart, knowledge: FoodKnowledge) -> None:
    """Take so much of a food, or of one of its kind, from the list."""
    for number, one in enumerate(written):
        kinds = knowledge.kinds_of(one.food) if one.food else frozenset()
        if part.food not in kinds or one.quantity is None or part.quantity is None:
            continue
        less = convert(part.quantity, part.unit, one.unit, one.food, knowledge)
        if less is None or less >= one.quantity:
            continue
        quantity, unit = round_quantity(one.quantity - less, one.unit)
        line = f"{write_quantity(quantity, unit)} {one.name}"
        written[number] = replace(one, quantity=quantity, unit=unit, line=line, is_new=True)
        return


def _write_alone(one: ListedIngredient) -> ListedIngredient:
    """Give an ingredient a line of its own, without what else its line names."""
    if not one.line:
        return one
    line = f"{write_quantity(one.quantity, one.unit)} {one.name}".strip()
    return replace(one, line=line, alternatives=(), is_new=True)


def _drop_repeated(written: Sequence[ListedIngredient]) -> list[ListedIngredient]:
    """Leave out foods without a quantity that are listed with one, or before."""
    return [
        one
        for number, one in enumerate(written)
        if one.quantity is not None
        or one.line != one.name
        or not any(
            (other.food, other.name) == (one.food, one.name)
            and (place < number or other.quantity is not None)
            for place, other in enumerate(written)
            if place != number
        )
    ]
