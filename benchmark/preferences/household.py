# SPDX-License-Identifier: Apache-2.0
"""Goals with preferences, or with more parts than a battery lasts for, in generated houses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.planning.household import Household, Kind, Receptacle

LIGHT, HEAVY = 1, 9
"""Range of the weights before they are scaled."""


@dataclass(frozen=True)
class Wish:
    """An item that should stand somewhere: preferred with a weight in [0, 1]."""

    item: str
    place: Receptacle
    weight: float

    @property
    def condition(self) -> str:
        """The wish in the words of the domain."""
        relation = "inside" if self.place.kind is Kind.CONTAINER else "on"
        return f"{relation}({self.item}, {self.place.name})"


def make_wishes(
    house: Household, number: int, seed: int = 1, total: float = 0.99
) -> tuple[Wish, ...]:
    """Make wishes of which half conflict: pairs that want one item in two places.

    Args:
        house: the items of its goal are not wished for.
        number: of wishes.
        seed: the same seed gives the same wishes.
        total: of their weights.
    """
    generator = random.Random(f"wishes/{number}/{seed}")
    pairs = number // 4
    taken = {item for item, _ in house.goal}
    free = [item for item in house.items if item.name not in taken]
    items = generator.sample(free, number - pairs)
    drawn: list[tuple[str, Receptacle, int]] = []
    for index, item in enumerate(items):
        others = [place for place in house.receptacles if place.name != item.place]
        for place in generator.sample(others, 2 if index < pairs else 1):
            drawn.append((item.name, place, generator.randint(LIGHT, HEAVY)))
    scale = total / sum(weight for _, _, weight in drawn)
    return tuple(Wish(item, place, round(scale * weight, 4)) for item, place, weight in drawn)


def least_loss(wishes: tuple[Wish, ...]) -> float:
    """The loss of the best plan: of each pair that wants the same item, the lighter wish."""
    heaviest: dict[str, float] = {}
    for wish in wishes:
        heaviest[wish.item] = max(wish.weight, heaviest.get(wish.item, 0.0))
    return sum(wish.weight for wish in wishes) - sum(heaviest.values())


def write_goal(house: Household, wishes: tuple[Wish, ...]) -> str:
    """The goal of a house, and its wishes as preferences."""
    return " and ".join((house.goal_text(), *_write_preferences(wishes)))


def _write_preferences(wishes: tuple[Wish, ...]) -> Iterator[str]:
    for number, wish in enumerate(wishes):
        yield f"prefer {wish.weight:.4f} as wish_{number}: {wish.condition}"


def with_battery(domain: str, amount: float) -> str:
    """The text of the benchmark's domain, in which each step takes 1 of a battery."""
    executor = "    executor:"
    assert executor in domain
    used = domain.replace(executor, f"    uses: {{battery: 1}}\n{executor}")
    bounds = f"initial: {amount:g}, minimum: 0, maximum: {amount:g}"
    return f"{used}\nresources:\n  battery: {{{bounds}}}\n"
