# SPDX-License-Identifier: Apache-2.0
"""Learning a policy for all houses on four small ones, for abstraction_household.py."""

from __future__ import annotations

import time
from collections.abc import Generator

from benchmark.abstraction.houses import draw_house
from benchmark.tables import Verdict
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.proposers.symbolic.symbolic_proposer import SymbolicProposer
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.goal_atoms import list_goal_atoms
from fcp_ros.domain.model import Domain

SIZES = (10, 20, 60, 150)
"""Things in the houses.

In the small ones a policy is learned; the larger ones show what it must not confuse: cups in closed
cupboards, clean cups beside dirty ones, closed cupboards without any.
"""
SEEDS = (5, 9, 13, 1)
"""Of the first house of a set. The policy of the first set is used."""
MOST_SECONDS = 60.0


def measure_learning(domain: Domain, quick: bool) -> Generator[Verdict, None, GeneralPolicy | None]:
    """Learn on one set of houses, or on several; return the first one's policy, or None."""
    policies = []
    for seed in SEEDS[: 1 if quick else None]:
        policy = yield from _learn(domain, seed)
        policies.append(policy)
    return policies[0]


def _learn(domain: Domain, seed: int) -> Generator[Verdict, None, GeneralPolicy | None]:
    houses = [draw_house(domain, things, seed + place) for place, things in enumerate(SIZES)]
    tasks = tuple(
        TrainingTask(h.name, domain, h.instance, list_goal_atoms(h.goal, h.instance, domain))
        for h in houses
    )
    begun = time.process_time()
    result = generalize(tasks, SymbolicProposer())
    seconds = time.process_time() - begun
    size = ""
    if result.policy is not None:
        qnp = result.policy.qnp
        size = f"; {len(qnp.variables)} features, {len(qnp.actions)} abstract actions"
    yield Verdict(
        f"learning on {len(SIZES)} houses of {SIZES[0]} to {SIZES[-1]} things, seeds from {seed}",
        f"{result.status.value} in {seconds:.1f} s{size}",
        f"FOUND in {MOST_SECONDS:.0f} s",
        result.policy is not None and seconds <= MOST_SECONDS,
    )
    return result.policy
