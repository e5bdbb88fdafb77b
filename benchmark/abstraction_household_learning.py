# SPDX-License-Identifier: Apache-2.0
"""Learning a policy for all houses on four small ones, for abstraction_household.py."""

from __future__ import annotations

import time
from collections.abc import Generator
from importlib.util import find_spec

from abstraction_houses import draw_house
from nodes_figures import Judged

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.states.goal_atoms import list_goal_atoms
from fcp_ros.domain.model import Domain

TRAINING = ((9, 41, 2, 3), (9, 15, 2, 3), (9, 4, 2, 3), (9, 68, 2, 3))
"""Things, seed, rooms and places of the houses.

Together they have what a policy must not confuse: dirty cups in a closed cupboard, beside a clean
item, and two in one place; closed cupboards without one; a dishwasher that is open from the start.
"""
MOST_SECONDS = 60.0


def measure_learning(domain: Domain) -> Generator[Judged, None, GeneralPolicy | None]:
    """Learn; return the policy, or None if none was found."""
    what = f"learning on {len(TRAINING)} houses of at most {max(TRAINING)[0]} things"
    if find_spec("fcp_ros.abstraction.proposers.symbolic") is None:
        yield Judged(what, "no learner in this version", "FOUND", False)
        return None
    from fcp_ros.abstraction.debugging.loop import generalize
    from fcp_ros.abstraction.proposers.symbolic.symbolic_proposer import SymbolicProposer
    from fcp_ros.abstraction.sampling.training_task import TrainingTask

    houses = [draw_house(domain, *drawn) for drawn in TRAINING]
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
    yield Judged(
        what,
        f"{result.status.value} in {seconds:.1f} s{size}",
        f"FOUND in {MOST_SECONDS:.0f} s",
        result.policy is not None and seconds <= MOST_SECONDS,
    )
    return result.policy
