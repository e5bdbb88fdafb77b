# SPDX-License-Identifier: Apache-2.0
"""What a text says of food, tools and minutes, by the plain words of the knowledge file.

For the checker and the tasks of the benchmark. Nothing of `fcp_ros` is used here, so that a
mistake of its reader or loader can't hide itself: the YAML file is read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

KNOWLEDGE = Path(__file__).parents[2] / "config" / "recipes" / "knowledge.yaml"
VERBS = {"cream", "water", "season", "date", "sage", "mint"}
"""Names of food that begin an instruction as a verb, or are another word there."""
NO_FOOD = {"grease"}
"""Names of food that are a verb in directions."""
TOOLS_BEHIND = {"cloth", "knife", "press", "scoop", "pan", "dish", "sheet"}
"""Words behind the name of a food that make a tool of it: cheese cloth."""
_WORD = re.compile(r"[a-z0-9½¼¾']+(?:-[a-z]+)*")
_ACCENTS = str.maketrans("èéêñçáàâîïíóôöúüäåø", "eeencaaaiiiooouuaao")
_WORDS = {"half an": 0.5, "a few": 3.0, "a couple of": 2.0, "a": 1.0, "an": 1.0, "one": 1.0,
          "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "ten": 10.0}  # fmt: skip
_NUMBER = rf"(\d+(?:\.\d+)?(?:\s*½)?|\b(?:{'|'.join(_WORDS)}))"
_DURATION = re.compile(
    rf"{_NUMBER}\s*(?:(?:-|~|\u2013|to|or)\s*{_NUMBER}\s*)?(hours?|hrs?|h|minutes?|mins?\.?|days?|seconds?|secs?)(?![a-z])"
)
_MINUTES = {"h": 60.0, "m": 1.0, "d": 1440.0, "s": 1.0 / 60.0}


@dataclass(frozen=True)
class Mention:
    """A food that a text names: its words there, and the entry of the knowledge file."""

    words: tuple[str, ...]
    food: str
    free_of: frozenset[str] = frozenset()  # "gluten-free", "vegan": what the words before promise


class FoodWords:
    """The knowledge file as a dictionary of words."""

    def __init__(self, path: Path = KNOWLEDGE) -> None:
        self.data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.foods: dict[str, dict[str, Any]] = {
            **self.data["categories"],
            **self.data["ingredients"],
        }
        self._found: dict[str, list[Mention]] = {}
        self._contents: dict[str, frozenset[str]] = {}
        self._allergens: dict[str, frozenset[str]] = {}

    @cached_property
    def _names(self) -> dict[tuple[str, ...], str]:
        return {
            tuple(map(_singular, _split(word))): name
            for name, entry in self.data["ingredients"].items()
            for word in (name, *entry.get("also", ()))
        }

    def find(self, text: str) -> list[Mention]:
        """List the foods that a text names; the longest name counts ("coconut milk": no milk)."""
        if text not in self._found:
            self._found[text] = self._find(text)
        return self._found[text]

    def _find(self, text: str) -> list[Mention]:
        words = _split(text)
        plain = [_singular(word) for word in words]
        found, place = [], 0
        while place < len(plain):
            for length in range(min(6, len(plain) - place), 0, -1):
                food = self._names.get(tuple(plain[place : place + length]))
                if food is not None and not (place == 0 and length == 1 and plain[0] in VERBS):
                    before = words[max(0, place - 2) : place]
                    name = tuple(plain[place : place + length])
                    behind = plain[place + length : place + length + 1]
                    denied = {"without", "no"} & set(before) or NO_FOOD & set(name)
                    if not denied and not TOOLS_BEHIND & set(behind):
                        found.append(Mention(name, food, self._promises(before)))
                    place += length
                    break
            else:
                place += 1
        return found

    def _promises(self, words: Iterable[str]) -> frozenset[str]:
        rules = (self.data["diets"].get(word, {}) for word in words)
        return frozenset(
            one for rule in rules for key in ("excludes", "allergens") for one in rule.get(key, ())
        )

    def names(self, food: str) -> list[tuple[str, ...]]:
        """All names of a food, as words in singular."""
        return self._names_of.get(food, [])

    @cached_property
    def _names_of(self) -> dict[str, list[tuple[str, ...]]]:
        found: dict[str, list[tuple[str, ...]]] = {}
        for name, food in self._names.items():
            found.setdefault(food, []).append(name)
        return found

    def name(self, text: str) -> str | None:
        """The food that a whole name means: its last words that are one."""
        found = self.find(text)
        return found[-1].food if found else None

    def kinds(self, food: str) -> frozenset[str]:
        """The food and all that it is a kind of."""
        found, waiting = set(), [food]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting.extend(self.foods.get(one, {}).get("is_a", ()))
        return frozenset(found)

    def contents(self, food: str) -> frozenset[str]:
        """All that is in a food: kinds, parts, and theirs."""
        if food not in self._contents:
            found, waiting = set(), [food]
            while waiting:
                one = waiting.pop()
                if one not in found:
                    found.add(one)
                    entry = self.foods.get(one, {})
                    waiting += [*entry.get("is_a", ()), *entry.get("parts", ())]
            self._contents[food] = frozenset(found)
        return self._contents[food]

    def allergens(self, food: str) -> frozenset[str]:
        """The allergens in a food, of its parts, too."""
        if food not in self._allergens:
            contents = self.contents(food)
            self._allergens[food] = frozenset(
                allergen for one in contents for allergen in self.foods[one].get("allergens", ())
            )
        return self._allergens[food]

    def forbids(
        self,
        food: str,
        without: Iterable[str],
        diet: str,
        free_of: Iterable[str] = (),
    ) -> str:
        """The forbidden thing that is in a food and not in `free_of`, "" if there is none."""
        rules: Mapping[str, Any] = self.data["diets"].get(diet, {})
        shut = {*without, *rules.get("excludes", ()), *rules.get("allergens", ())}
        shut -= set(free_of)
        return min((shut & self.contents(food)) | (shut & self.allergens(food)), default="")

    def apart(self, diet: str) -> list[tuple[str, str]]:
        """Pairs that must not meet in one dish."""
        return [tuple(pair) for pair in self.data["diets"].get(diet, {}).get("apart", ())]

    def tools(self, text: str) -> set[str]:
        """The tools that a text names, or that its verbs need."""
        line = f" {' '.join(_split(text))} "
        return {
            tool
            for tool, entry in self.data["tools"].items()
            if any(
                f" {form} " in line
                for word in _tool_words(tool, entry)
                for form in (word, f"{word}s")
            )
        }

    def grams(self, food: str, unit: str) -> float | None:
        """Weight of a unit of a food (g)."""
        if unit in ("g", "ml", "kg", "l"):
            return 1.0 if unit in ("g", "ml") else 1000.0
        cups = {"tsp": 1 / 48, "tbsp": 1 / 16, "cup": 1.0}
        for kind in (food, *self.kinds(food)):
            weights = self.data["ingredients"].get(kind, {}).get("grams", {})
            if unit in weights:
                return float(weights[unit])
            for known, weight in weights.items():
                if unit in cups and known in cups:
                    return float(weight * cups[unit] / cups[known])
        return None


def find_minutes(text: str) -> list[tuple[float, float]]:
    """List the durations that a text names, shortest and longest (min)."""
    found = []
    for low, high, unit in _DURATION.findall(_fold(text)):
        each = _MINUTES[unit[0]]
        least = _number(low) * each
        found.append((least, _number(high) * each if high else least))
    return found


def total_minutes(texts: Iterable[str]) -> float:
    """Sum of the longest durations of directions (min)."""
    return sum(high for text in texts for _, high in find_minutes(text))


def _tool_words(tool: str, entry: Mapping[str, Any]) -> Iterator[str]:
    yield tool
    yield from entry.get("also", ())
    yield from entry.get("words", ())


def _fold(text: str) -> str:
    return text.casefold().translate(_ACCENTS)


def _split(text: str) -> list[str]:
    return _WORD.findall(re.sub(r"\]\([^)]*\)", " ", _fold(text)))


def _singular(word: str) -> str:
    for ending, single in (("ies", "y"), ("oes", "o"), ("ss", "ss"), ("us", "us"), ("s", "")):
        if len(word) > 3 and word.endswith(ending):
            return word.removesuffix(ending) + single
    return word


def _number(text: str) -> float:
    if text in _WORDS:
        return _WORDS[text]
    return float(text.rstrip("½ ")) + (0.5 if text.endswith("½") else 0.0)
