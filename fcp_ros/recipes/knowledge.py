# SPDX-License-Identifier: Apache-2.0
"""Crisp facts about food, tools and substitutes (``config/recipes/knowledge.yaml``).

`read_knowledge` checks the whole file: every name that an entry uses exists, nothing is a kind or
part of itself, and no two foods share a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import describe_unknown_name, list_names
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.package_files import config_folder
from fcp_ros.recipes.knowledge_entries import (
    Category,
    Foodstuff,
    KnowledgeFile,
    KnownFact,
    Portion,
    RolePurpose,
    Substitution,
)

KNOWLEDGE_FILE = Path("recipes") / "knowledge.yaml"
_CUPS = {"tsp": 1 / 48, "tbsp": 1 / 16, "cup": 1.0, "ml": 1 / 236.6, "l": 1000 / 236.6}
"""Volumes in US cups."""


class KnowledgeError(InputError):
    """A knowledge file can't be used."""


class FoodKnowledge:
    """The facts of a file, by name; names of foods are those of recipes ("olive oil")."""

    def __init__(self, facts: KnowledgeFile) -> None:
        self.facts = facts
        self._kinds = _close({**_parents(facts.categories), **_parents(facts.ingredients)})
        parts = {name: one.parts for name, one in facts.ingredients.items()}
        # What is a kind of pesto has in it what pesto has.
        self._contents = _close(
            {name: (*self._kinds[name], *parts.get(name, ())) for name in self._kinds}
        )
        self._names = {
            word: name for name, one in facts.ingredients.items() for word in (name, *one.also)
        }

    @cached_property
    def longest_name(self) -> int:
        """Words of the longest name of a food."""
        return max(len(word.split()) for word in self._names)

    def find(self, words: str) -> str | None:
        """Return the ingredient that these words name exactly, in singular or plural.

        Hyphens and accents don't count: "crème fraîche" is creme fraiche.
        """
        return next((self._names[form] for form in _list_forms(words) if form in self._names), None)

    def kinds_of(self, name: str) -> frozenset[str]:
        """Return the ingredient or category itself and all that it is a kind of."""
        return self._kinds.get(name, frozenset({name}))

    def contents_of(self, name: str) -> frozenset[str]:
        """Return everything that is in a food: itself, its parts and theirs, with all kinds."""
        return self._contents.get(name, frozenset({name}))

    def roles_of(self, name: str) -> frozenset[str]:
        """Return what a food can do in a dish."""
        return frozenset(role for kind in self.kinds_of(name) for role in self._entry(kind).roles)

    def allergens_of(self, name: str) -> frozenset[str]:
        """Return the allergens in a food, those of its parts, too."""
        return frozenset(
            one for part in self.contents_of(name) for one in self._entry(part).allergens
        )

    def explain_exclusion(self, name: str, without: Iterable[str] = (), diet: str = "") -> str:
        """Say why a food can't be used, "" if it can.

        Args:
            name: ingredient.
            without: ingredients, categories or allergens that must not be in it.
            diet: a diet of the file, "" for none.
        """
        contents, allergens = self.contents_of(name), self.allergens_of(name)
        for one in without:
            if one in contents or one in allergens:
                return f"{name} has {one} in it" if one != name else f"{name} is ruled out"
        rules = self.facts.diets.get(diet)
        if rules is not None:
            for one in (*rules.excludes, *rules.allergens):
                if one in contents or one in allergens:
                    return f"{name} is not {rules.label}: {one}"
        return ""

    def substitutes_of(self, name: str) -> Iterator[Substitution]:
        """List the substitutes of an ingredient, those for its kinds last; never with itself."""
        kinds = self.kinds_of(name)
        mine = [
            one
            for one in self.facts.substitutes
            if one.instead_of in kinds and all(amount.ingredient != name for amount in one.use)
        ]
        yield from sorted(mine, key=lambda one: one.instead_of != name)

    def grams_of(self, name: str, unit: str) -> float | None:
        """Return the weight of one unit of a food (g); None where the unit doesn't convert."""
        if unit in ("g", "kg"):
            return 1.0 if unit == "g" else 1000.0
        for kind in (name, *sorted(self.kinds_of(name) - {name})):
            weights = self.facts.ingredients[kind].grams if kind in self.facts.ingredients else {}
            if unit in weights:
                return weights[unit]
            for known, grams in weights.items():
                if unit in _CUPS and known in _CUPS:
                    return grams * _CUPS[unit] / _CUPS[known]
        return None

    def _entry(self, name: str) -> Foodstuff | Category:
        return self.facts.ingredients.get(name) or self.facts.categories[name]


def read_knowledge(path: Path | None = None) -> FoodKnowledge:
    """Read and check a knowledge file; the package's own if there is no path.

    Raises:
        KnowledgeError: the file can't be read or contradicts itself; the message names the entry.
    """
    path = config_folder() / KNOWLEDGE_FILE if path is None else path
    try:
        facts = KnowledgeFile.model_validate(load_yaml(read_text(path)))
    except (FileError, TextError) as error:
        raise KnowledgeError(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole file"
        raise KnowledgeError(f"{path}: {place}: {first['msg']}; mend this entry") from error
    for problem in _find_problems(facts):
        raise KnowledgeError(f"{path}: {problem}")
    return FoodKnowledge(facts)


def _find_problems(facts: KnowledgeFile) -> Iterator[str]:
    """List what is wrong with a file whose entries are well-formed each for itself."""
    foods = {**facts.categories, **facts.ingredients}
    yield from (
        f"{name} is a category and an ingredient; rename one"
        for name in facts.categories.keys() & facts.ingredients.keys()
    )
    known: dict[str, Iterable[str]] = {
        "source": facts.sources,
        "allergen": facts.allergens,
        "role": facts.roles,
        "ingredient or category": foods,
        "ingredient": facts.ingredients,
        "tool": facts.tools,
        "step change": facts.step_changes,
        "group of dishes": facts.dishes,
    }
    for where, what, name in _list_references(facts):
        if name not in known[what]:
            yield describe_unknown_name(what, name, known[what], where)
    yield from _find_shared_names(facts)
    yield from _find_cycles("kind", {**_parents(facts.categories), **_parents(facts.ingredients)})
    yield from _find_cycles("part", {key: one.parts for key, one in facts.ingredients.items()})


_FOOD, _STEP = "ingredient or category", "step change"
_REFERENCES: dict[str, dict[str, str]] = {
    "allergens": {},
    "roles": {"purposes": "group of dishes"},
    "categories": {"is_a": _FOOD, "allergens": "allergen", "roles": "role"},
    "ingredients": {"is_a": _FOOD, "parts": _FOOD, "allergens": "allergen", "roles": "role"},
    "diets": {"excludes": _FOOD, "apart": _FOOD, "allergens": "allergen"},
    "tools": {},
    "equipment": {"instead_of": "tool", "use": "tool"},
    "step_changes": {"tools": "tool"},
    "substitutes": {
        "instead_of": _FOOD, "use": "ingredient", "less": _FOOD, "roles": "role", "steps": _STEP
    },
}  # fmt: skip
"""The kinds of things that fields name, by section; facts name a source, too."""


def _list_references(facts: KnowledgeFile) -> Iterator[tuple[str, str, str]]:
    """List where a name is used, the kind of thing that it must be, and the name."""
    for section, fields in _REFERENCES.items():
        entries = getattr(facts, section)
        for key, entry in entries.items() if isinstance(entries, Mapping) else enumerate(entries):
            sourced = {"source": "source"} if isinstance(entry, KnownFact) else {}
            for field, what in {**fields, **sourced}.items():
                for name in _list_names(getattr(entry, field)):
                    yield f"{section}.{key}", what, name


def _list_names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Portion):
        yield value.ingredient
    elif isinstance(value, RolePurpose):
        yield from value.dishes
    else:
        for one in value:
            yield from _list_names(one)


def _find_shared_names(facts: KnowledgeFile) -> Iterator[str]:
    seen: dict[str, str] = {}
    for key, food in facts.ingredients.items():
        for word in (key, *food.also):
            if seen.setdefault(word, key) != key:
                yield f"{word!r} names {seen[word]} and {key}; drop it from one"


def _find_cycles(what: str, above: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    closed = _close(above, itself=False)
    names = sorted(name for name in above if name in closed[name])
    if names:
        yield f"these are a {what} of themselves: {list_names(names)}; drop one link"


def _parents(
    entries: Mapping[str, Category] | Mapping[str, Foodstuff],
) -> dict[str, tuple[str, ...]]:
    return {name: one.is_a for name, one in entries.items()}


def _close(above: Mapping[str, Iterable[str]], *, itself: bool = True) -> dict[str, frozenset[str]]:
    """Return for each name all that can be reached from it, whatever cycles there are."""
    closed = {}
    for name, direct in above.items():
        found, waiting = {name} if itself else set(), list(direct)
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting.extend(above.get(one, ()))
        closed[name] = frozenset(found)
    return closed


@lru_cache(maxsize=16_384)
def _list_forms(words: str) -> tuple[str, ...]:
    """List the names that words may stand for: plain, and what they may be the plural of."""
    letters = unicodedata.normalize("NFKD", words.casefold())
    text = " ".join("".join(one for one in letters if not unicodedata.combining(one)).split())
    forms = []
    for spelling in dict.fromkeys((text, text.replace("-", " "))):
        *before, last = spelling.split() or [""]
        forms += [" ".join([*before, one]) for one in (last, *list_singulars(last))]
    return tuple(forms)
