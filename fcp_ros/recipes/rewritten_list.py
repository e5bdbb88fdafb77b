# SPDX-License-Identifier: Apache-2.0
"""The list of ingredients as a plan leaves it, with quantities that a kitchen can measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fcp_ros.recipes.ingredient_lines import find_foods
from fcp_ros.recipes.kitchen_state import SubstituteWay, WayPart
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import ChangeKind
from fcp_ros.recipes.measures import WEIGHTS, convert, round_quantity, write_quantity
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
            parts = _write_parts(one, choice.way, knowledge)
            parts += [ListedIngredient(food, food, line=food) for food in choice.way.brought]
            # What only the directions name may take the place of a food that is listed.
            listed = {other.food for other in written} if not one.line else set()
            written += [part for part in parts if part.food not in listed]
    for choice in choices.values():
        for part in choice.way.less if choice.way else ():
            _take_away(written, part, knowledge)
    return _drop_repeated(written)


def _write_parts(
    one: ListedIngredient, way: SubstituteWay, knowledge: FoodKnowledge
) -> list[ListedIngredient]:
    """Write the parts of a substitute; in the words of the line if only a name changes."""
    part, *others = way.parts
    found = list(find_foods(one.line, knowledge))
    changes = (knowledge.facts.step_changes[name].kind for name in way.changes)
    same = (part.quantity, part.unit if part.quantity else one.unit) == (one.quantity, one.unit)
    if others or not same or len(found) != 1 or ChangeKind.DROP in changes:
        return [write_part(part, one.unit, knowledge) for part in way.parts]
    start, end, _ = found[0]
    name = part.food.title() if one.line[start].isupper() and start > 0 else part.food
    name = name.capitalize() if start == 0 else name
    line = f"{one.line[:start]}{name}{one.line[end:]}"
    return [ListedIngredient(part.food, part.food, one.quantity, one.unit, line)]


def write_part(part: WayPart, unit: str, knowledge: FoodKnowledge) -> ListedIngredient:
    """Write a part of a substitute as a line, in the kind of unit of what it replaces."""
    quantity, unit = measure_part(part, unit, knowledge)
    ratio = f" ({part.ratio})" if part.ratio else ""
    line = f"{write_quantity(quantity, unit)} {part.food}{ratio}".strip()
    return ListedIngredient(part.food, part.food, quantity, unit, line)


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
        written[number] = replace(one, quantity=quantity, unit=unit, line=line)
        return


def _write_alone(one: ListedIngredient) -> ListedIngredient:
    """Give an ingredient a line of its own, without what else its line names."""
    if not one.line:
        return one
    line = f"{write_quantity(one.quantity, one.unit)} {one.name}".strip()
    return replace(one, line=line, alternatives=())


def _drop_repeated(written: Sequence[ListedIngredient]) -> list[ListedIngredient]:
    """Leave out foods without a quantity that are listed with one, or before."""
    kept: list[ListedIngredient] = []
    for one in written:
        same = [other for other in kept if other.food == one.food and other.name == one.name]
        if not (same and one.quantity is None and one.line == one.name):
            kept.append(one)
    return kept
