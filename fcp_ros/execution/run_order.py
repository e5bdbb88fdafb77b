# SPDX-License-Identifier: Apache-2.0
"""The order of the steps of a plan: what each waits for, and who is busy with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fcp_ros.planning.model.plan import Schedule
from fcp_ros.planning.step_order import PartialOrder


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The order in which the steps of a plan are sent; steps go by their position in the plan."""

    # of each step: the steps that must have succeeded before it is sent
    befores: tuple[frozenset[int], ...]
    # of each step: its agents, who do one step at a time; () where nobody has said
    agents: tuple[tuple[str, ...], ...]
    # all steps; of those that could be sent to one executor, the first one here is
    ranking: tuple[int, ...]

    @classmethod
    def chain(cls, count: int, agents: Sequence[tuple[str, ...]] = ()) -> RunOrder:
        return cls(
            PartialOrder.of(count, pairwise(range(count))).predecessors,
            tuple(agents) or ((),) * count,
            tuple(range(count)),
        )

    @classmethod
    def of(cls, count: int, schedule: Schedule | None) -> RunOrder:
        """Make the order of a plan of `count` steps; without a schedule, they are a chain.

        Of steps that could begin, the one goes first that must start first for the makespan.
        Raises OrderError if the schedule puts a step after itself, or after one that is not there.
        """
        if schedule is None:
            return cls.chain(count)
        latest = schedule.latest_starts
        return cls(
            PartialOrder.of(count, schedule.order).predecessors,
            schedule.agents,
            tuple(sorted(range(count), key=lambda index: (latest[index], index))),
        )
