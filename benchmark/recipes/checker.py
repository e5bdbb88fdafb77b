# SPDX-License-Identifier: Apache-2.0
"""Whether a rewritten recipe keeps what was asked, and could be cooked.

It shares nothing with the planner, the editor or their loader: it sees the recipe as JSON, the
task, and the knowledge file as plain YAML. Three rules are the paper's (its "success"), the others
are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from benchmark.recipes.food_words import FoodWords, Mention, find_minutes, total_minutes
from benchmark.recipes.tasks import Task

Document = Mapping[str, Any]

MOST_GRAMS = 5_000.0  # of one new ingredient
MOST_SPICE = 60.0  # grams of a new spice, herb or raising agent
LEAST_SHARE, MOST_SHARE = 0.05, 5.0  # weight of new by old
UNITS = frozenset(
    [*("", "g", "kg", "ml", "l", "dl", "cl", "tsp", "tbsp", "cup", "oz", "lb"),
     *("piece", "slice", "clove", "stick", "bunch", "sprig", "leaf", "can", "packet", "pinch")]
)  # fmt: skip
ALWAYS_THERE = {"water", "salt", "black pepper"}
SMALL = {"spice kind", "herb kind", "raising agent", "gelling agent"}


class Rule(Enum):
    """What a rewritten recipe may break; the first three make the paper's success."""

    FORBIDDEN = "something forbidden is in it"
    EQUIPMENT = "equipment that is absent is used"
    RESOURCES = "time or something missing is used"
    UNUSED = "an ingredient is not used"
    UNAVAILABLE = "something is used that is not listed"
    QUANTITY = "a quantity is not plausible"
    ORDER = "something is used before it is made"
    MENTION = "what was replaced is still named"
    TIMES = "times don't add up"


PAPER = frozenset({Rule.FORBIDDEN, Rule.EQUIPMENT, Rule.RESOURCES})


@dataclass(frozen=True)
class Fault:
    """A rule that is broken, and where and by what."""

    rule: Rule
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.rule.value}: {self.what}"


def check(recipe: Document, task: Task, words: FoodWords) -> list[Fault]:
    """List all that is wrong with a rewritten recipe."""
    if not recipe.get("ingredients") or not recipe.get("steps"):
        return [Fault(Rule.RESOURCES, "the recipe", "it has no ingredients or no steps")]
    dish = _Dish(recipe, task, words)
    return [fault for rule in RULES for fault in rule(dish)]


def keeps_constraints(faults: Sequence[Fault]) -> bool:
    """The paper's success."""
    return all(fault.rule not in PAPER for fault in faults)


class _Dish:
    """A rewritten recipe with what its texts name."""

    def __init__(self, recipe: Document, task: Task, words: FoodWords) -> None:
        self.task, self.words = task, words
        self.ingredients: Sequence[Document] = recipe["ingredients"]
        self.steps: Sequence[Document] = recipe["steps"]
        self.changes: Sequence[Document] = recipe.get("changes", ())
        self.lines = [str(one.get("line") or one.get("name")) for one in self.ingredients]
        self.texts = [str(step["text"]) for step in self.steps]

    @cached_property
    def listed(self) -> list[list[Mention]]:
        """The foods of each line; a line whose words say nothing has its name."""
        return [
            self.words.find(line) or self.words.find(str(one.get("name", "")))
            for one, line in zip(self.ingredients, self.lines, strict=True)
        ]

    @cached_property
    def plain(self) -> list[list[Mention]]:
        """The foods of each line without its remarks in brackets: "(4 g per sausage)"."""
        return [self.words.find(re.sub(r"\([^)]*\)", " ", line)) for line in self.lines]

    @cached_property
    def told(self) -> list[list[Mention]]:
        return [self.words.find(text) for text in self.texts]

    @cached_property
    def before(self) -> set[str]:
        """The foods that the recipe named before it was rewritten."""
        texts = (*self.task.recipe.ingredients, *self.task.recipe.directions)
        return {mention.food for text in texts for mention in self.words.find(text)}

    @cached_property
    def new(self) -> set[str]:
        return {mention.food for line in self.listed for mention in line} - self.before

    def is_short_for(self, foods: Iterable[str], mention: Mention) -> bool:
        """Whether "milk" is short for the "soy milk" among foods."""
        short = {mention.words, *self.words.names(mention.food)}
        return any(
            len(name) > len(one) and name[-len(one) :] == one
            for food in {*foods} - {mention.food}
            for name in self.words.names(food)
            for one in short
        )

    def where(self, number: int) -> str:
        return f"step {number + 1}"


def _check_forbidden(dish: _Dish) -> Iterator[Fault]:
    task, words = dish.task, dish.words
    places = [
        *(
            (f"ingredient {line!r}", found)
            for line, found in zip(dish.lines, dish.listed, strict=True)
        ),
        *((dish.where(number), found) for number, found in enumerate(dish.told)),
        *(
            (f"change of {one['missing']}", words.find(" ; ".join(one["substitutes"])))
            for one in dish.changes
        ),
    ]
    every: set[str] = set()
    promised = {m.food: m.free_of for line in dish.listed for m in line if m.free_of}
    for where, found in places:
        for mention in found:
            free_of = mention.free_of | promised.get(mention.food, frozenset())
            reason = words.forbids(mention.food, task.without, task.diet, free_of)
            if reason and not dish.is_short_for(dish.new, mention):
                yield Fault(Rule.FORBIDDEN, where, f"{mention.food} ({reason})")
    for line in dish.listed:
        every.update(kind for mention in line for kind in words.contents(mention.food))
    for one, other in words.apart(task.diet):
        if one in every and other in every:
            yield Fault(Rule.FORBIDDEN, "the recipe", f"{one} and {other} in one dish")


def _check_equipment(dish: _Dish) -> Iterator[Fault]:
    for number, step in enumerate(dish.steps):
        named = dish.words.tools(dish.texts[number])
        used = {tool for name in step.get("tools", ()) for tool in dish.words.tools(str(name))}
        for tool in sorted((named | used) & set(dish.task.tools_absent)):
            yield Fault(Rule.EQUIPMENT, dish.where(number), tool)


def _check_resources(dish: _Dish) -> Iterator[Fault]:
    for line, found in zip(dish.lines, dish.plain, strict=True):
        for mention in found:
            if mention.food in dish.task.missing and not mention.free_of:
                yield Fault(Rule.RESOURCES, f"ingredient {line!r}", f"{mention.food} is missing")
    if dish.task.minutes is None:
        return
    stated = [step.get("minutes") for step in dish.steps]
    times = [
        total_minutes([text]) if minutes is None else float(minutes)
        for minutes, text in zip(stated, dish.texts, strict=True)
    ]
    if sum(times) > dish.task.minutes:
        what = f"{sum(times):.0f} min, not {dish.task.minutes:.0f}"
        yield Fault(Rule.RESOURCES, "all steps", what)


def _check_used(dish: _Dish) -> Iterator[Fault]:
    """What the directions named before, or what replaces it, is named or used by a step."""
    words = dish.words
    was_used = {m.food for text in dish.task.recipe.directions for m in words.find(text)}
    # "Mix all ingredients" uses what replaces one that was never named, too.
    silent = {
        words.name(str(name))
        for change in dish.changes
        if not words.kinds(str(change["missing"])) & was_used
        for name in change["substitutes"]
    }
    told = {m.food for found in dish.told for m in found}
    told |= {
        name
        for step in dish.steps
        for used in step.get("uses", ())
        if (name := words.name(str(used))) is not None
    }
    said = {word for found in dish.told for m in found for word in m.words}
    said |= {word.rstrip("s") for text in dish.texts for word in text.casefold().split()}
    for line, found in zip(dish.lines, dish.listed, strict=True):
        foods = {mention.food for mention in found}
        due = (foods - dish.before - silent) or (foods & was_used)
        named = any(word in said for mention in found for word in mention.words if len(word) > 2)
        if due and not named and not (foods & told):
            yield Fault(Rule.UNUSED, f"ingredient {line!r}", ", ".join(sorted(due)))


def _check_available(dish: _Dish) -> Iterator[Fault]:
    """A food that is new in the steps stands in the list, too."""
    listed = {kind for line in dish.listed for m in line for kind in dish.words.contents(m.food)}
    for number, found in enumerate(dish.told):
        for mention in found:
            if mention.food in dish.before | listed | ALWAYS_THERE:
                continue
            if not dish.is_short_for(listed, mention):
                yield Fault(Rule.UNAVAILABLE, dish.where(number), mention.food)


def _check_quantities(dish: _Dish) -> Iterator[Fault]:
    words = dish.words
    for one, line, found in zip(dish.ingredients, dish.lines, dish.listed, strict=True):
        where = f"ingredient {line!r}"
        if not found or found[0].food in dish.before:
            continue
        quantity, unit = one.get("quantity"), str(one.get("unit") or "")
        if unit not in UNITS:
            yield Fault(Rule.QUANTITY, where, f"unit {unit!r}")
        if quantity is None:
            continue
        grams = words.grams(found[0].food, unit or "piece")
        if float(quantity) <= 0:
            yield Fault(Rule.QUANTITY, where, f"{quantity}")
        elif grams is not None:
            is_small = bool(words.kinds(found[0].food) & SMALL)
            weight, most = float(quantity) * grams, MOST_SPICE if is_small else MOST_GRAMS
            if weight > most:
                yield Fault(Rule.QUANTITY, where, f"{weight:.0f} g, above {most:.0f} g")


def _check_shares(dish: _Dish) -> Iterator[Fault]:
    """The substitutes weigh something like what they replace, where both have weights."""
    words = dish.words
    original: dict[str, list[str]] = {}
    for line in dish.task.recipe.ingredients:
        for mention in words.find(line)[:1]:
            original.setdefault(mention.food, []).append(line)
    for change in dish.changes:
        old = words.name(str(change["missing"]))
        new = {words.name(str(name)) for name in change["substitutes"]} - {None}
        if old not in original or words.kinds(old) & SMALL:
            continue
        before = [_weigh(words, old, *_read_amount(line)) for line in original[old]]
        weights = [
            _weigh(words, food, one.get("quantity"), str(one.get("unit") or ""))
            for one, found in zip(dish.ingredients, dish.listed, strict=True)
            for food in new & {mention.food for mention in found}
        ]
        if None in before or not weights or None in weights:
            continue
        share = sum(filter(None, weights)) / sum(filter(None, before))
        if not LEAST_SHARE <= share <= MOST_SHARE:
            what = f"{share:.2g} times the weight of {old}"
            yield Fault(Rule.QUANTITY, f"change of {change['missing']}", what)


def _check_order(dish: _Dish) -> Iterator[Fault]:
    made: set[str] = set()
    results = {str(step["gives"]) for step in dish.steps if step.get("gives")}
    for number, step in enumerate(dish.steps):
        for used in map(str, step.get("uses", ())):
            if used in results - made and dish.words.name(used) is None:
                yield Fault(Rule.ORDER, dish.where(number), used)
        if step.get("gives"):
            made.add(str(step["gives"]))


def _check_mentions(dish: _Dish) -> Iterator[Fault]:
    """Neither what was replaced nor a plainer word for it is named: "the chicken" that is tofu."""
    foods = dish.words.data["ingredients"]
    listed = {kind for line in dish.listed for m in line for kind in dish.words.contents(m.food)}
    missing = set(dish.task.missing)
    plainer = {kind for food in missing for kind in dish.words.kinds(food) if kind in foods}
    gone = missing | (plainer - listed)
    named = [
        *((dish.where(number), found) for number, found in enumerate(dish.told)),
        *(
            (f"ingredient {line!r}", found)
            for line, found in zip(dish.lines, dish.plain, strict=True)
        ),
    ]
    for where, found in named:
        for mention in found:
            if (
                mention.food in gone
                and not mention.free_of
                and not dish.is_short_for(dish.new, mention)
            ):
                yield Fault(Rule.MENTION, where, mention.food)


def _check_times(dish: _Dish) -> Iterator[Fault]:
    """The minutes of a step are within what its text says, all its durations together at most."""
    for number, step in enumerate(dish.steps):
        said, minutes = find_minutes(dish.texts[number]), step.get("minutes")
        if minutes is None or not said:
            continue
        least, most = min(low for low, _ in said), sum(high for _, high in said)
        if not least * 0.99 <= float(minutes) <= most * 1.01:
            what = f"{float(minutes):g} min, but the text says {least:g} to {most:g}"
            yield Fault(Rule.TIMES, dish.where(number), what)


def _weigh(words: FoodWords, food: str, quantity: Any, unit: str) -> float | None:
    grams = words.grams(food, unit or "piece")
    return None if quantity is None or grams is None else float(quantity) * grams


_UNIT_WORDS = {
    "gram": "g", "grams": "g", "gr": "g", "tablespoon": "tbsp", "tablespoons": "tbsp",
    "teaspoon": "tsp", "teaspoons": "tsp", "cups": "cup", "slices": "slice", "cans": "can",
}  # fmt: skip


def _read_amount(line: str) -> tuple[float | None, str]:
    """Quantity and unit at the start of a plain line ("225 g chips", "2 eggs"), else none."""
    first, _, rest = line.strip().partition(" ")
    digits = first.rstrip("gml")
    unit = first[len(digits) :] or rest.partition(" ")[0].casefold().rstrip(".")
    try:
        quantity = float(digits)
    except ValueError:
        return None, ""
    unit = _UNIT_WORDS.get(unit, unit)
    return quantity, unit if unit in UNITS else ""


RULES: tuple[Callable[[_Dish], Iterator[Fault]], ...] = (
    _check_forbidden,
    _check_equipment,
    _check_resources,
    _check_used,
    _check_available,
    _check_quantities,
    _check_shares,
    _check_order,
    _check_mentions,
    _check_times,
)
