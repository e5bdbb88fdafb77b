# SPDX-License-Identifier: Apache-2.0
"""English nouns and numbers: plurals, number words, names of elements in sentences."""

from __future__ import annotations

import re

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import quote_if_needed
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import choose_article, to_printable

_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "foot": "feet", "tooth": "teeth", "goose": "geese", "loaf": "loaves", "leaf": "leaves",
    "half": "halves", "thief": "thieves", "calf": "calves", "scarf": "scarves",
    "potato": "potatoes", "tomato": "tomatoes", "hero": "heroes", "fish": "fish",
    "sheep": "sheep", "series": "series",
}  # fmt: skip
_UNCOUNTED = frozenset(
    [
        *("cutlery", "furniture", "clothing", "underclothing", "underwear", "bread", "milk"),
        *("water", "food", "waste", "rubbish", "trash", "garbage", "linen", "hardware", "decor"),
        *("crockery", "drinkware", "cookware", "tableware", "silverware", "equipment", "ram"),
        *("laundry", "compost", "memory", "coffee", "tea", "rice", "pasta", "soap", "detergent"),
        *("pants", "trousers", "jeans", "scissors", "headphones", "glasses", "clothes", "socks"),
    ]
)
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_PLAIN_WORDS = re.compile(r"[\w'\-]+(?: [\w'\-]+)*\Z")
_LONGEST_WORDS = 60
"""Longer texts (characters) are quoted, so that it is seen where they end."""


def pluralise(noun: str) -> str:
    """Return the plural of a noun or of the last word of a compound ("tin can": "tin cans")."""
    head, _, last = noun.rpartition(" ")
    lowered = last.lower()
    if lowered in _UNCOUNTED:
        plural = last
    elif lowered in _IRREGULAR:
        plural = _IRREGULAR[lowered]
    elif re.search(r"[^aeiou]y\Z", lowered):
        plural = last[:-1] + "ies"
    elif re.search(r"(?:[sxz]|ch|sh)\Z", lowered):
        plural = last + "es"
    elif re.search(r"(?:kni|wi|li)fe\Z", lowered):
        plural = last[:-2] + "ves"
    elif re.search(r"(?:shel|wol|sel|el)f\Z", lowered):
        plural = last[:-1] + "ves"
    else:
        plural = last + "s"
    return f"{head} {plural}" if head else plural


def is_countable(noun: str) -> bool:
    """Return False for "cutlery" or "pants", which take no "a"."""
    return noun.rpartition(" ")[2].lower() not in _UNCOUNTED


def write_number(number: int) -> str:
    """Write a number in words up to twelve."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def add_article(noun: str) -> str:
    """Return the noun with "a" or "an", or "some" where it can't be counted."""
    if not is_countable(noun):
        return f"some {noun}"
    return f"{choose_article(noun)} {noun}"


def write_label(label: str) -> str:
    """Write a label or type as words: "dining_table": "dining table"; odd ones in quotes."""
    return quote_words(normalise_label(label) or label)


def quote_words(words: str) -> str:
    """Return words as they are if they can stand in a sentence, otherwise in quotes."""
    if _PLAIN_WORDS.match(words) and len(words) <= _LONGEST_WORDS:
        return words
    return '"' + to_printable(words).replace('"', "'") + '"'


def name_element(name: str, instance: Instance) -> str:
    """Name an element in a sentence: "mug_1", "the woman anna".

    The category is told where the name does not say it.
    """
    written = to_printable(quote_if_needed(name))
    if not instance.has(name):
        return written
    category = instance.attribute(instance.id_of(name), CATEGORY)
    label = normalise_label(category) if isinstance(category, str) else ""
    if not label or not _PLAIN_WORDS.match(label) or len(label) > _LONGEST_WORDS:
        return written
    said = normalise_label(name)
    if said == label or said.endswith(f" {label}") or label.endswith(f" {said}"):
        return written
    return f"the {label} {written}"
