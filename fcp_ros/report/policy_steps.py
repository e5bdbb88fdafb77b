# SPDX-License-Identifier: Apache-2.0
"""The steps of a plan that a policy made, by its abstract actions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from fcp_ros.planning.model.suggestion import PolicyTrace


@dataclass(frozen=True)
class FeatureChange:
    """The value of a feature before and after some steps, in words."""

    name: str
    before: str
    after: str

    @property
    def is_change(self) -> bool:
        """True if the value is another one afterwards."""
        return self.before != self.after


@dataclass(frozen=True)
class StepGroup:
    """The steps of one abstract action.

    Attributes:
        number: of the abstract action, from 1.
        action: its name.
        steps: how many.
        changes: all features.
    """

    number: int
    action: str
    steps: int
    changes: tuple[FeatureChange, ...]

    @property
    def condition(self) -> str:
        """All features before it: "loaded, left = 3"."""
        return ", ".join(_write_value(one.name, one.before) for one in self.changes)


def group_steps(trace: PolicyTrace) -> dict[int, StepGroup]:
    """Return the abstract actions by the number of steps that come before them."""
    groups, done = {}, 0
    visited = itertools.pairwise((*(move.values for move in trace.moves), trace.final))
    for place, (move, (before, after)) in enumerate(zip(trace.moves, visited, strict=True)):
        changes = tuple(
            FeatureChange(feature.name, *map(feature.write_value, pair))
            for feature, *pair in zip(trace.features, before, after, strict=True)
        )
        groups[done] = StepGroup(place + 1, move.action, move.steps - done, changes)
        done = move.steps
    return groups


def _write_value(name: str, value: str) -> str:
    return {"yes": name, "no": f"not {name}"}.get(value, f"{name} = {value}")
