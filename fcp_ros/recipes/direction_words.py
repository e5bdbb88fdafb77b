# SPDX-License-Identifier: Apache-2.0
"""Times, temperatures and names of products in directions, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.foundation.wording import gather_words
from fcp_ros.recipes.measures import RANGE, read_number

PRODUCTS = gather_words(
    """
    dough batter mixture mix sauce paste filling soup broth syrup glaze frosting icing topping
    crust roux marinade dressing meatball ball cookie cake bread loaf biscuit pancake patty
    casserole stew curry puree crumb custard salad brew tea porridge omelette jam liquid
    """
)
"""Nouns for what a step may give; where one is listed as an ingredient, it is that."""
GENERIC = frozenset({"mixture", "mix", "liquid"})
"""Products that stand for whatever was made last."""
PRONOUNS = frozenset(["it", "them", "everything", "this", "these", "all", "rest"])
_TIME = re.compile(
    rf"(?<![\w/.])(?:(?P<hours>\d+)\s*h\s*(?P<rest>\d+)\s*(?:m|min)\w*\b"
    rf"|(?P<number>{RANGE})(?:\s+more)?[\s-]*(?P<unit>days?|hours?|hrs?|h|minutes?|mins?|seconds?|secs?)\b"
    r"(?![\s-](?:ahead|before|old|ago)\b)"
    r"|(?P<night>overnight)\b)",
    re.IGNORECASE,
)
_UNITS = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}
_NIGHT = 480.0
_REPEATED = re.compile(r"(?:every|each|less than|within|up to (?:the )?last)\s*$", re.IGNORECASE)
_OTHERWISE = re.compile(r"(?:hours?|minutes?|h|min)\s+or\s+(?:even\s+)?$", re.IGNORECASE)
"""Before another time instead: "2 hours or overnight"."""
_HEAT = re.compile(
    r"(?<!\d)(?P<value>\d{2,3})\s*(?:°|º|degrees?|deg\.?)?\s*(?P<scale>C|F|celsius|fahrenheit)\b"
    r"|(?<!\d)(?P<bare>\d{3})\s*(?:°|º|degrees)",
    re.IGNORECASE,
)
_STEP = re.compile(r"\b(?:from|of|made in) step (\d{1,3})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measured:
    """A time (minutes) or temperature (degrees Celsius) in a text."""

    value: float
    start: int
    end: int
    is_fahrenheit: bool = False


def find_times(text: str) -> Iterator[Measured]:
    """Find how long something takes; not how often it is done."""
    found = False
    for match in _TIME.finditer(text):
        before = text[: match.start()]
        if _REPEATED.search(before) or (found and _OTHERWISE.search(before)):
            continue
        found = True
        if match["night"]:
            minutes = _NIGHT
        elif match["hours"]:
            minutes = 60.0 * float(match["hours"]) + float(match["rest"])
        else:
            minutes = read_number(match["number"]) * _UNITS[match["unit"][0].lower()]
        yield Measured(minutes, *match.span())


def find_temperatures(text: str) -> Iterator[Measured]:
    for match in _HEAT.finditer(text):
        value = float(match["value"] or match["bare"])
        # Nobody bakes at 350 degrees Celsius: a number without a scale is one of Fahrenheit there.
        hot = match["bare"] is not None and value > 290
        fahrenheit = hot or (match["scale"] or "c")[0].lower() == "f"
        celsius = (value - 32.0) / 1.8 if fahrenheit else value
        yield Measured(celsius, *match.span(), fahrenheit)


def find_step_numbers(text: str) -> list[int]:
    """List the steps (from 1) whose product a text takes: "the dough from step 2"."""
    return [int(number) for number in _STEP.findall(text)]
