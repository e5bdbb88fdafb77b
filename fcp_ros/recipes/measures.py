# SPDX-License-Identifier: Apache-2.0
"""Kitchen measures: the units that lines are read in, and quantities of food in other units.

Weights and volumes convert by pint; a weight into a volume, or pieces into a weight, by what the
knowledge file says of the food. A unit that doesn't convert gives None, never a guess.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from fcp_ros.foundation.input_error import InputError
from fcp_ros.recipes.knowledge import FoodKnowledge

PIECE = "piece"
VOLUMES = ("ml", "l", "tsp", "tbsp", "cup")
WEIGHTS = ("g", "kg")
_SPOKEN = {
    "g": "g gr gram gramm gramme",
    "kg": "kg kilo kilogram kilogramme",
    "ml": "ml milliliter millilitre",
    "l": "l liter litre",
    "tsp": "t tsp teaspoon",
    "tbsp": "T tbsp tbs tablespoon spoon",
    "cup": "cup c glass",
    "piece": "piece pc pcs ear whole head",
    "slice": "slice rasher strip",
    "clove": "clove",
    "stick": "stick stalk",
    "bunch": "bunch handful",
    "sprig": "sprig twig",
    "leaf": "leaf leave",
    "can": "can tin jar bottle",
    "packet": "packet package pack envelope sachet bag container box cube serving knob",
    "pinch": "pinch dash bit splash",
}
_NAMES = {word: unit for unit, words in _SPOKEN.items() for word in words.split()}
_CONVERTED = {
    "oz": ("ounce", "g"),
    "ounce": ("ounce", "g"),
    "lb": ("pound", "g"),
    "pound": ("pound", "g"),
    "mg": ("milligram", "g"),
    "cl": ("centiliter", "ml"),
    "dl": ("deciliter", "ml"),
    "floz": ("fluid_ounce", "ml"),
    "fluidounce": ("fluid_ounce", "ml"),
    "pint": ("pint", "ml"),
    "pt": ("pint", "ml"),
    "quart": ("quart", "ml"),
    "qt": ("quart", "ml"),
    "gallon": ("gallon", "l"),
}
"""Units that are read, and the unit that takes their place."""
_PINT = {"g": "g", "kg": "kg", "ml": "ml", "l": "l", "tsp": "tsp", "tbsp": "tbsp", "cup": "cup"}


def read_unit(text: str, quantity: float) -> tuple[float, str]:
    """Return a quantity in one of the units of the knowledge file; KeyError for another word."""
    # T and t are table and tea spoon: the only unit where case counts.
    word = text if text in ("T", "t") else text.lower()
    word = word.rstrip(".").replace(" ", "").replace(".", "")
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ful")):
        if form in _NAMES:
            return quantity, _NAMES[form]
        if form in _CONVERTED:
            source, target = _CONVERTED[form]
            return _convert(quantity, source, target), target
    raise KeyError(text)


def convert(
    quantity: float, unit: str, wanted: str, food: str, knowledge: FoodKnowledge
) -> float | None:
    """Convert a quantity of a food; None where it doesn't convert (a cup of eggs)."""
    unit, wanted = unit or PIECE, wanted or PIECE
    if unit == wanted:
        return quantity
    for family in (VOLUMES, WEIGHTS):
        if unit in family and wanted in family:
            return _convert(quantity, _PINT[unit], _PINT[wanted])
    have, want = knowledge.grams_of(food, unit), knowledge.grams_of(food, wanted)
    return None if have is None or want is None else quantity * have / want


@lru_cache(maxsize=1)
def _load_registry() -> Any:
    try:
        import pint  # takes 0.7 s; only recipes with units of other families need it
    except ImportError as error:
        sentence = "units of recipes need pint, which isn't installed: pip install 'pint<1'"
        raise InputError(sentence) from error
    return pint.UnitRegistry(cache_folder=None)


def _convert(quantity: float, unit: str, wanted: str) -> float:
    return float(_load_registry().Quantity(quantity, unit).to(wanted).magnitude)


# --- quantities for people


_UP = (
    ("tsp", "tbsp", 3.0, 6.0),
    ("tbsp", "cup", 4.0, 8.0),
    ("g", "kg", 1000.0, 1000.0),
    ("ml", "l", 1000.0, 1000.0),
)
"""(unit, larger one, from which quantity the larger one is written where it says the same, and from
which in any case): 6 tbsp are no half cup, but nobody measures 14 1/2 tbsp."""
_FINE = {"g": 5.0, "ml": 5.0, "kg": 0.05, "l": 0.05, "tsp": 0.25, "tbsp": 0.5, "cup": 0.25}
_CLOSE = 0.08
"""Share of a quantity by which two units may differ that say the same."""


def round_quantity(quantity: float, unit: str) -> tuple[float, str]:
    """Round a quantity to what a kitchen can measure, in the unit that suits its size."""
    for small, large, least, always in _UP:
        if unit == small and quantity >= least * (1.0 - _CLOSE):
            larger = _convert(quantity, _PINT[small], _PINT[large])
            is_close = abs(_round(larger, large) - larger) <= _CLOSE * larger
            if is_close or quantity >= always - 0.01:
                quantity, unit = larger, large
    return _round(quantity, unit), unit


def _round(quantity: float, unit: str) -> float:
    if unit == "cup":  # there are cups for thirds, too
        parts = (max(round(quantity * part), 1) / part for part in (4, 3))
        return min(parts, key=lambda one: abs(one - quantity))
    if unit in ("g", "ml") and quantity < 20:
        fine = 1.0
    elif unit == "tsp" and quantity < 0.5:
        fine = 0.125
    else:
        fine = _FINE.get(unit, 0.5)
    return max(round(quantity / fine) * fine, fine)


_FRACTIONS = ("g", "kg", "ml", "l")
_SHOWN = {"piece": ""}


def write_quantity(quantity: float | None, unit: str) -> str:
    """Write a quantity as recipes do: "1 1/2 cups", "80 g", "" if it is not known."""
    if quantity is None:
        return ""
    if unit in _FRACTIONS:
        return f"{quantity:.3g} {unit}" if quantity < 1000 else f"{quantity:.0f} {unit}"
    number = _write_mixed(quantity)
    shown = _SHOWN.get(unit, unit)
    plural = quantity > 1 and shown and unit not in ("tsp", "tbsp")
    return f"{number} {_pluralise(shown) if plural else shown}".rstrip()


def _pluralise(word: str) -> str:
    if word == "leaf":
        return "leaves"
    return f"{word}es" if word.endswith(("ch", "sh")) else f"{word}s"


def _write_mixed(quantity: float) -> str:
    exact = Fraction(quantity).limit_denominator(8)
    whole, rest = divmod(exact, 1)
    parts = [str(whole)] if whole else []
    return " ".join([*parts, *([str(rest)] if rest else [])]) or "0"
