# SPDX-License-Identifier: Apache-2.0
"""Which steps must stay in their order for the resources: no order may leave a resource's bounds.

Steps that only take from a resource (or only give) can't do harm in another order than the one that
was verified: nothing goes lower than at the end. Where some take and some give, and what all of
them take would be too much at once (or what they give), each taker stays where it was among the
givers: then every order passes through the levels that the sequence has where it turns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from fcp_ros.domain.model import Domain, Resource
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.schedule.causal_order import Pair


def reservoir_pairs(
    domain: Domain, steps: Sequence[GroundStep], levels: Mapping[str, float]
) -> set[Pair]:
    """The pairs of steps that must stay in their order (not closed under transitivity).

    Arguments:
        domain: its resources.
        steps: a sequence that keeps their bounds.
        levels: what there is of each resource at first; the domain's initial values by default.
    """
    pairs: set[Pair] = set()
    for name, resource in domain.resources.items():
        uses = [step.rule.uses.get(name, 0.0) for step in steps]
        level = levels.get(name, resource.initial)
        if not _is_within(resource, level):
            # Outside from the start: which step brings it back is no matter of order alone.
            users = [number for number, use in enumerate(uses) if use != 0.0]
            pairs.update(itertools.pairwise(users))
        elif _may_leave(resource, level, uses):
            pairs.update(_between_runs(uses))
    return pairs


def _is_within(resource: Resource, level: float) -> bool:
    return resource.minimum - EPSILON <= level <= resource.maximum + EPSILON


def _may_leave(resource: Resource, level: float, uses: Sequence[float]) -> bool:
    """Whether some order of the uses leaves the bounds: all takers first, or all givers first."""
    taken = sum(use for use in uses if use > 0.0)
    given = -sum(use for use in uses if use < 0.0)
    if not taken or not given:
        return False
    return not (_is_within(resource, level - taken) and _is_within(resource, level + given))


def _between_runs(uses: Sequence[float]) -> Iterator[Pair]:
    """Every step of a run of takers before every step of the next run of givers, and so on."""
    runs: list[list[int]] = []
    for number, use in enumerate(uses):
        if use == 0.0:
            continue
        if not runs or (uses[runs[-1][0]] > 0.0) != (use > 0.0):
            runs.append([])
        runs[-1].append(number)
    for run, following in itertools.pairwise(runs):
        yield from ((before, after) for before in run for after in following)
