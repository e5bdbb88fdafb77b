# SPDX-License-Identifier: Apache-2.0
"""Kitchen measures: numbers and units in texts, and quantities of food in other units.

Weights and volumes convert by pint; a weight into a volume, or pieces into a weight, by what the
knowledge file says of the food. A unit that doesn't convert gives None, never a guess.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from fcp_ros.foundation.input_error import InputError
from fcp_ros.recipes.knowledge import FoodKnowledge
from fcp_ros.recipes.knowledge_entries import VOLUMES, WEIGHTS

PIECE = "piece"
_SPOKEN = {
    "g": "g gr gram gramm gramme",
    "kg": "kg kilo kilogram kilogramme",
    "ml": "ml milliliter millilitre",
    "l": "l liter litre",
    "tsp": "t tsp teaspoon",
    "tbsp": "T tbsp tbs tablespoon spoon",
    "cup": "cup c glass",
    "piece": "piece pc ear head pat",
    "slice": "slice rasher strip",
    "clove": "clove",
    "stick": "stick stalk",
    "bunch": "bunch handful",
    "sprig": "sprig twig",
    "leaf": "leaf leave",
    "can": "can tin jar bottle",
    "packet": "packet package pack envelope sachet bag container box cube serving knob",
    "pinch": "pinch dash bit splash drizzle",
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
_WORDS = {
    "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0,
    "six": 6.0, "seven": 7.0, "eight": 8.0, "nine": 9.0, "ten": 10.0, "twelve": 12.0,
    "half": 0.5, "quarter": 0.25, "few": 3.0, "couple": 2.0, "dozen": 12.0,
}  # fmt: skip
NUMBER = (
    r"(?:\d+\s+\d+\s*/\s*\d+|\d+\s*/\s*\d+|\d+(?:[.,]\d+)?"
    r"|(?:half(?:\s+an?)?|(?:an?\s+)?(?:half|quarter|few|dozen|couple(?:\s+of)?)"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?:\s+and\s+a\s+half)?|an?)(?!\w))"
)
"""A number as people write it: "1 1/2", "0.5", "a few"; for `read_number`."""
RANGE = rf"{NUMBER}(?:\s*(?:-|\u2013|to\b|or\b)\s*{NUMBER})?"
_UNIT_WORDS = "|".join(sorted({*_NAMES, *_CONVERTED}, key=len, reverse=True))
UNIT = (
    r"(?:fluid\s+ounces?|fl\.?\s*oz|table\s?spoon(?:ful)?s?|teaspoon(?:ful)?s?"
    rf"|(?:{_UNIT_WORDS})(?:ful|e?s)?)\.?(?![\w'])"
)
"""A unit in any of its spellings; for `read_unit`."""


def read_number(text: str) -> float:
    """Read "1 1/2", "1,5" or "a few"; of a range ("5-7", "one or two") the middle."""
    bounds = re.findall(NUMBER, text, re.IGNORECASE)
    return sum(map(_read_one, bounds)) / len(bounds)


def _read_one(text: str) -> float:
    words = [one for one in text.lower().split() if one in _WORDS]
    if words:  # "half a", "a few": an article counts only alone
        return sum(_WORDS[one] for one in words if one not in ("a", "an")) or 1.0
    total = 0.0
    for part in re.sub(r"\s*/\s*", "/", text).replace(",", ".").split():
        above, _, below = part.partition("/")
        total += float(above) / (float(below or 1) or 1.0)
    return total


def read_unit(text: str, quantity: float) -> tuple[float, str]:
    """Return a quantity in one of the units of the knowledge file; KeyError for another word."""
    # T and t are table and tea spoon: the only unit where case counts.
    word = text.replace(" ", "").replace(".", "")
    word = word if word == "T" else word.lower()
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), word.rstrip("s")[:-3]):
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
            return _convert(quantity, unit, wanted)
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


@lru_cache(maxsize=256)
def _find_factor(unit: str, wanted: str) -> float:
    return float(_load_registry().Quantity(1.0, unit).to(wanted).magnitude)


def _convert(quantity: float, unit: str, wanted: str) -> float:
    return quantity * _find_factor(unit, wanted)


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
            larger = _convert(quantity, small, large)
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


def write_quantity(quantity: float | None, unit: str) -> str:
    """Write a quantity as recipes do: "1 1/2 cups", "80 g", "" if it is not known."""
    if quantity is None:
        return ""
    if unit in ("g", "kg", "ml", "l"):
        return f"{quantity:.3g} {unit}" if quantity < 1000 else f"{quantity:.0f} {unit}"
    whole, rest = divmod(Fraction(quantity).limit_denominator(8), 1)
    number = " ".join(str(one) for one in (whole, rest) if one) or "0"
    shown = "" if unit == PIECE else unit
    if quantity > 1 and shown and unit not in ("tsp", "tbsp"):
        es = shown.endswith(("ch", "sh"))
        shown = "leaves" if shown == "leaf" else f"{shown}es" if es else f"{shown}s"
    return f"{number} {shown}".rstrip()
