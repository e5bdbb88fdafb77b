# SPDX-License-Identifier: Apache-2.0
"""Who rewrites recipes in the benchmark: ours, and what it is held against."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark.recipes.food_words import FoodWords, find_minutes
from benchmark.recipes.tasks import Recipe, Task, candidates
from fcp_ros.grounding.judgement import JudgementRequest, Membership
from fcp_ros.planning.model.memberships import MembershipSource
from fcp_ros.recipes import CookingOptions, Kitchen, RecipeError, cook

Document = Mapping[str, Any]
Cook = Callable[[Task], Document | None]
"""Rewrites a recipe; None where it says that it can't."""

CRISP = 0.5
"""The degree from which a substitute counts as suitable where degrees are cut to yes and no."""


@dataclass(frozen=True)
class Rival:
    """A row of the tables."""

    name: str
    cook: Cook


def as_document(recipe: Recipe, words: FoodWords) -> Document:
    """A recipe in the checker's form, by plain words: what each line and step names."""
    listed = [words.find(line) for line in recipe.ingredients]
    return {
        "title": recipe.title,
        "ingredients": [
            {"name": found[0].food if found else line, "quantity": None, "unit": "", "line": line}
            for line, found in zip(recipe.ingredients, listed, strict=True)
        ],
        "steps": [_as_step(text, words) for text in recipe.directions],
        "changes": [],
        "not_understood": [],
    }


def _as_step(text: str, words: FoodWords) -> dict[str, Any]:
    said = find_minutes(text)
    return {
        "text": text,
        "uses": [mention.food for mention in words.find(text)],
        "gives": None,
        "tools": sorted(words.tools(text)),
        "minutes": sum(high for _, high in said) if said else None,
        "celsius": None,
    }


def do_nothing(words: FoodWords) -> Cook:
    """The recipe as it was: what BLEU on whole recipes has to be held against."""
    return lambda task: as_document(task.recipe, words)


def retrieve(words: FoodWords, pairs: Mapping[str, Sequence[str]]) -> Cook:
    """SubDB-Retrieve: the most frequent pair that keeps the constraints, and the name exchanged."""

    def cook(task: Task) -> Document | None:
        lines = [*task.recipe.ingredients]
        steps = [*task.recipe.directions]
        changes = []
        for food in task.missing:
            allowed = [
                one
                for one in candidates(pairs, words, food)
                if one not in task.missing and not words.forbids(one, task.without, task.diet)
            ]
            if not allowed:
                return None
            names = (food, *words.data["ingredients"][food].get("also", ()))
            lines = [_exchange(line, names, allowed[0]) for line in lines]
            steps = [_exchange(step, names, allowed[0]) for step in steps]
            changes.append(
                {"missing": food, "substitutes": allowed[:1], "degree": None, "reason": "frequency"}
            )
        edited = replace(task.recipe, ingredients=tuple(lines), directions=tuple(steps))
        return {**as_document(edited, words), "changes": changes}

    return cook


def _exchange(text: str, names: Sequence[str], new: str) -> str:
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    return re.sub(rf"\b(?:{'|'.join(longest)})(?:e?s)?\b", new, text, flags=re.IGNORECASE)


def make_ours(kitchen: Kitchen, options: CookingOptions | None = None) -> Cook:
    """Our own, by the function for users."""

    def ours(task: Task) -> Document | None:
        try:
            cooked = cook(
                task.recipe.as_json(),
                missing=task.missing,
                without=task.without,
                diet=task.diet,
                tools_absent=task.tools_absent,
                minutes=task.minutes,
                options=options,
                kitchen=kitchen,
            )
        except RecipeError:
            return None
        return cooked.to_json()

    return ours


class CrispMemberships:
    """A source whose degrees are cut to 0 and 1: what the paper argues against."""

    def __init__(self, source: MembershipSource) -> None:
        self._source = source

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        return [
            replace(one, degree=1.0 if one.degree >= CRISP else 0.0)
            for one in self._source.judge(requests)
        ]


def make_crisp(kitchen: Kitchen) -> Cook:
    """Ours with crisp thresholds instead of degrees."""
    source = CrispMemberships(kitchen.memberships)
    return make_ours(Kitchen(kitchen.knowledge, source, kitchen.domain))
