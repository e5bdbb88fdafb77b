# SPDX-License-Identifier: Apache-2.0
"""Recipes as they are written down: JSON (schema.org/Recipe, RecipeNLG, our own form), plain text.

What comes out are lines; `reading` makes a recipe of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.foundation.bounded_file import MEBIBYTE, read_text
from fcp_ros.recipes.recipe import RecipeCode, RecipeError

MOST_LINES = 400
"""Lines of the longest recipe; the longest of RecipeNLG has some 100."""
MOST_CHARACTERS = 4_000
"""Characters of the longest line."""
_LARGEST = 4 * MEBIBYTE
_DEEPEST = 6  # sections of directions in sections
_TITLES = ("title", "name", "headline")
_INGREDIENTS = ("recipeIngredient", "ingredients", "ingredient")
_DIRECTIONS = ("recipeInstructions", "directions", "steps", "instructions")
_HEADING = re.compile(
    r"^\W*(?P<what>ingredients?|directions?|instructions?|method|preparation|steps)\b\W*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|\(?\d{1,3}[.):](?!\d))\s+")
_ITEM = re.compile(r"^\s*[-*+\u2022]\s+\S")
_NUMBERED = re.compile(r"^\s*\(?\d{1,3}[.):](?!\d)\s+\S")
_RULE = re.compile(r"^\W*$")


@dataclass(frozen=True, slots=True)
class RecipeLines:
    """The lines of a recipe."""

    title: str
    ingredients: tuple[str, ...]
    directions: tuple[str, ...]
    left_over: tuple[str, ...] = ()  # lines of neither


def read_recipe_file(path: Path) -> RecipeLines:
    """Read a file of JSON or plain text.

    Raises:
        FileError: it can't be read.
        RecipeError: there is no recipe in it, or one that is too long.
    """
    return parse_recipe_text(read_text(path, _LARGEST))


def parse_recipe_text(text: str) -> RecipeLines:
    """Take a recipe apart that is JSON or plain text; RecipeError where that is none."""
    if not text.lstrip().startswith(("{", "[")):
        return _parse_plain(text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecipeError(RecipeCode.NOT_A_RECIPE, f"This is no JSON: {error}.") from error
    return parse_recipe(data)


def parse_recipe(data: Any) -> RecipeLines:
    """Take plain data apart; RecipeError where that is no recipe."""
    found = next(_find_recipes(data), None)
    if found is None:
        raise RecipeError(
            RecipeCode.NOT_A_RECIPE,
            f"There is no recipe in this: give {' or '.join(_INGREDIENTS[:2])}, and "
            f"{' or '.join(_DIRECTIONS[:2])}.",
        )
    title = next((str(found[key]).strip() for key in _TITLES if found.get(key)), "Untitled")
    ingredients = tuple(_list_lines(_get(found, _INGREDIENTS)))
    directions = tuple(_list_lines(_get(found, _DIRECTIONS)))
    return _check(RecipeLines(title, ingredients, directions))


def _get(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((data[key] for key in keys if key in data), None)


def _find_recipes(data: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Find mappings with the keys of a recipe; schema.org puts them into lists and graphs."""
    if isinstance(data, Mapping):
        if any(key in data for key in (*_INGREDIENTS, *_DIRECTIONS)):
            yield data
        elif depth < _DEEPEST:
            for value in data.values():
                yield from _find_recipes(value, depth + 1)
    elif isinstance(data, list) and depth < _DEEPEST:
        for value in data:
            yield from _find_recipes(value, depth + 1)


def _list_lines(value: Any, depth: int = 0) -> Iterator[str]:
    """List the lines of a text, a list, a list in a text (RecipeNLG), steps and sections."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                yield from _list_lines(json.loads(value), depth + 1)
                return
            except (ValueError, RecursionError):
                pass
        yield from (line for line in map(_strip, value.splitlines()) if line)
    elif isinstance(value, Mapping):
        for key in ("line", "text", "itemListElement", "name"):
            if value.get(key):
                yield from _list_lines(value[key], depth + 1)
                return
    elif isinstance(value, list):
        if depth > _DEEPEST:
            sentence = f"Sections lie in one another {depth} deep: write the steps in one list."
            raise RecipeError(RecipeCode.CYCLIC, sentence)
        for one in value:
            yield from _list_lines(one, depth + 1)
    elif value is not None:
        yield str(value)


def _strip(line: str) -> str:
    return " ".join(_BULLET.sub("", line).split())


def _parse_plain(text: str) -> RecipeLines:
    """Take a text with the headings "Ingredients" and "Directions" apart.

    Without headings the items of a list are ingredients, and numbered lines directions.
    """
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise _too_long(len(lines))
    parts: dict[str, list[str]] = {"title": [], "ingredients": [], "directions": []}
    part = "title"
    has_headings = any(map(_HEADING.match, lines))
    for line in lines:
        heading = _HEADING.match(line)
        if not has_headings and _NUMBERED.match(line):
            part = "directions"
        elif not has_headings and _ITEM.match(line):
            part = "ingredients"
        if heading is not None:
            part = "ingredients" if heading["what"].lower().startswith("ingr") else "directions"
        elif not _RULE.match(line):
            parts[part].append(_strip(line))
    if part == "title":
        raise RecipeError(
            RecipeCode.NOT_A_RECIPE,
            'There is no recipe in this text: write "Ingredients" and "Directions" on lines of '
            'their own above them, or begin ingredients with "-" and steps with "1.", "2.", ...',
        )
    title, *rest = parts["title"] or ["Untitled"]
    title = title.lstrip("# ")
    lists = (tuple(parts["ingredients"]), tuple(parts["directions"]))
    return _check(RecipeLines(title, *lists, left_over=tuple(rest)))


def _check(lines: RecipeLines) -> RecipeLines:
    """Return the lines if they can be a recipe; RecipeError if not."""
    count = len(lines.ingredients) + len(lines.directions)
    if count > MOST_LINES:
        raise _too_long(count)
    if not lines.ingredients:
        sentence = "The recipe lists no ingredients: add them."
        raise RecipeError(RecipeCode.NO_INGREDIENTS, sentence)
    if not lines.directions:
        sentence = "The recipe has no directions: add them, one step a line."
        raise RecipeError(RecipeCode.NO_DIRECTIONS, sentence)
    longest = max(map(len, (*lines.ingredients, *lines.directions)))
    if longest > MOST_CHARACTERS:
        sentence = f"A line has {longest} characters (at most {MOST_CHARACTERS}): divide it."
        raise RecipeError(RecipeCode.TOO_LONG, sentence)
    return lines


def _too_long(count: int) -> RecipeError:
    sentence = f"The recipe has {count} lines (at most {MOST_LINES}): give one recipe at a time."
    return RecipeError(RecipeCode.TOO_LONG, sentence)
