# SPDX-License-Identifier: Apache-2.0
"""A world in which actions fail by chance."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fcp_ros.alignment.simulator import GroundAction, Observation, Simulator


class ClumsyWorld:
    """A world in which each action fails by chance now and then (a `Simulator`).

    Args:
        world: what happens otherwise.
        share: probability that an action fails by chance.
        seed: of chance.
    """

    def __init__(self, world: Simulator, share: float, seed: int) -> None:
        self._world, self._share, self._draw = world, share, random.Random(seed)

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions, up to the first one that fails."""
        seen = self._world.run(actions)
        for done in range(seen.done):
            if self._draw.random() < self._share:
                return Observation(done, False, "by chance")
        return seen
