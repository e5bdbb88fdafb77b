# SPDX-License-Identifier: Apache-2.0
"""The package's facts, and a kitchen whose judge likes some substitutes better than others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fcp_ros.grounding import JudgementRequest, Membership
from fcp_ros.recipes import Kitchen
from fcp_ros.recipes.knowledge import FoodKnowledge, read_knowledge

PANCAKES = {
    "title": "Pancakes",
    "ingredients": [
        "2 cups all-purpose flour",
        "2 tsp baking powder",
        "2 eggs",
        "1 1/2 cups milk",
        "50 g butter, melted",
        "a pinch of salt",
    ],
    "directions": [
        "Melt the butter.",
        "Whisk the eggs, milk and butter in a bowl.",
        "Stir in the flour, baking powder and salt until a batter forms.",
        "Fry the batter in a buttered pan for 2 minutes on each side.",
    ],
}


class LikingJudge:
    """A source of memberships: a degree by the words of a way, 0.5 for the others."""

    def __init__(self, **degrees: float) -> None:
        self.degrees = {name.replace("_", " "): degree for name, degree in degrees.items()}

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        words = (request.arguments[0].words for request in requests)
        found = (self.degrees.get(one, 0.5) for one in words)
        return [Membership.of_degree(one, "table", "liking", "") for one in found]


@pytest.fixture(scope="session")
def knowledge() -> FoodKnowledge:
    return read_knowledge()


@pytest.fixture(scope="session")
def kitchen(knowledge: FoodKnowledge) -> Kitchen:
    return Kitchen(knowledge, LikingJudge(olive_oil=0.9, oat_milk=0.9, aquafaba=0.9))
