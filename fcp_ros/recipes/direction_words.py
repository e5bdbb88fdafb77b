# SPDX-License-Identifier: Apache-2.0
"""Times, temperatures and names of products in directions, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.foundation.wording import gather_words

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
_NUMBER = r"(?:\d+\s+\d/\d|\d+/\d|\d+(?:[.,]\d+)?)"
_TIME = re.compile(
    rf"(?<![\w/.])(?P<hours>\d+)\s*h\s*(?P<rest>\d+)\s*(?:m|min)\w*\b"
    rf"|(?<![\w/.])(?P<low>{_NUMBER})(?:\s*(?:-|\u2013|to|or)\s*(?P<high>{_NUMBER}))?(?:\s+more)?[\s-]*"
    r"(?P<unit>days?|hours?|hrs?|h|minutes?|mins?|seconds?|secs?)\b"
    r"|(?P<words>half an hour|an? hour|overnight|a minute|one hour|two hours|one minute|"
    r"one or two minutes|a couple of minutes|a few minutes|a few mins|a couple mins)\b",
    re.IGNORECASE,
)
_UNITS = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}
_SPOKEN = {
    "half an hour": 30.0,
    "an hour": 60.0,
    "a hour": 60.0,
    "one hour": 60.0,
    "two hours": 120.0,
    "overnight": 480.0,
    "a minute": 1.0,
    "one minute": 1.0,
    "one or two minutes": 1.5,
    "a couple of minutes": 2.0,
    "a couple mins": 2.0,
    "a few minutes": 3.0,
    "a few mins": 3.0,
}
_REPEATED = re.compile(r"(?:every|each|less than|within|up to (?:the )?last)\s*$", re.IGNORECASE)
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
    for match in _TIME.finditer(text):
        if _REPEATED.search(text[: match.start()]):
            continue
        if match["words"]:
            yield Measured(_SPOKEN[match["words"].lower()], *match.span())
        elif match["hours"]:
            minutes = 60.0 * float(match["hours"]) + float(match["rest"])
            yield Measured(minutes, *match.span())
        else:
            low = read_number(match["low"])
            high = read_number(match["high"]) if match["high"] else low
            unit = _UNITS[match["unit"][0].lower()]
            yield Measured((low + high) / 2 * unit, *match.span())


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


def read_number(text: str) -> float:
    """Read "1 1/2", "1/2", "1.5" or "1,5"."""
    total = 0.0
    for part in text.split():
        above, _, below = part.replace(",", ".").partition("/")
        total += float(above) / (float(below) or 1.0) if below else float(above)
    return total
