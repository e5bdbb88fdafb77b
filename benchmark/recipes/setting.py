# SPDX-License-Identifier: Apache-2.0
"""What a run of the benchmark has in common: half, size, data and the rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmark.recipes.food_words import FoodWords
from benchmark.recipes.rivals import Rival, do_nothing, make_crisp, make_ours, retrieve
from benchmark.recipes.tasks import Task, make_tasks, read_pairs, read_recipes
from fcp_ros.recipes import Kitchen

QUICK_TASKS = 8  # Tasks of a bin in a quick run
QUICK_BINS = (1, 3)


@dataclass(frozen=True)
class Setting:
    """The choices of a run."""

    quick: bool = False
    held_out: bool = False

    @cached_property
    def words(self) -> FoodWords:
        return FoodWords()

    @cached_property
    def kitchen(self) -> Kitchen:
        """One for all: it remembers what was judged."""
        return Kitchen()

    @cached_property
    def pairs(self) -> Mapping[str, Sequence[str]]:
        return read_pairs()

    @cached_property
    def tasks(self) -> Mapping[int, Sequence[Task]]:
        """Tasks by the number of missing ingredients."""
        made = make_tasks(read_recipes(not self.held_out), self.pairs, self.words)
        if not self.quick:
            return made
        return {number: made[number][:QUICK_TASKS] for number in QUICK_BINS}

    @cached_property
    def rivals(self) -> Sequence[Rival]:
        """Ours first."""
        return (
            Rival("ours", make_ours(self.kitchen)),
            Rival("SubDB-Retrieve", retrieve(self.words, self.pairs)),
            Rival("crisp thresholds", make_crisp(self.kitchen)),
            Rival("nothing done", do_nothing(self.words)),
        )
