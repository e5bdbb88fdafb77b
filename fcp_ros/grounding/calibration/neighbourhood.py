# SPDX-License-Identifier: Apache-2.0
"""The influence of similar contexts on the degree of a context: a hierarchy of groups.

Two contexts of one predicate are similar in one of these ways:

- *twins*: all arguments are of equal category (texts are equal); only attributes differ, such as
  the name: grasping mug_1 and grasping mug_2;
- they *share* one argument: the i-th has the same category or text, some other one hasn't:
  drinking from a mug and storing pens in a mug.

The members of a group have residuals y = observed quality - recalibrated degree. The estimate n of
a group is their mean, shrunk towards 0 by the strength of the prior. It moves a context's prior by

    lambda * n,    lambda = (kappa * believed + sum W n y) / (kappa + sum W n^2),

where the sums run over the contexts with outcomes of their own: a stacking weight (Wolpert,
Stacked Generalization, 1992), that is, the degree to which the estimates of groups proved right so
far. Invariant: a context's own outcomes are left out of what its groups say about it, here and in
`Neighbourhood.shift`. Twins are trusted a little from the start; a shared argument isn't until it
has proved right by more than a standard error. So contexts that aren't alike lose their influence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from fcp_ros.grounding.calibration.pooled_map import Floats, sum_groups

KAPPA = 3.0
"""Weight of the prior belief about lambda."""
MOST = 0.8
"""The upper bound of lambda."""

Labels = tuple[tuple[str, str], ...]
"""The parameter and the category or text of each argument."""

Place = tuple[int, int, tuple[int, ...]]
"""The number of a context, its group of twins, and the group that shares each argument."""


@lru_cache(maxsize=65_536)
def read_labels(context_key: str) -> Labels:
    """Read the categories of a context key; () if the text is no context key."""
    try:
        arguments = json.loads(context_key)["arguments"]
        return tuple((str(a["parameter"]), str(a.get("category") or a["text"])) for a in arguments)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()


@dataclass(slots=True)
class ContextGroups:
    """The contexts of a predicate by what they share, numbered in order of appearance.

    Attributes:
        places: number, twins and sharers of each context key.
        twins: for each context the number of its group of twins.
        sharers: for each argument and context the number of the group with the same argument;
            0 means none.
    """

    places: dict[str, Place] = field(default_factory=dict)
    twins: list[int] = field(default_factory=list)
    sharers: list[list[int]] = field(default_factory=list)
    _twin_numbers: dict[Labels, int] = field(default_factory=dict)
    _sharer_numbers: dict[tuple[int, tuple[str, str]], int] = field(default_factory=dict)

    def add(self, context_key: str) -> int:
        """Return the number of a context, a new one if it is unknown."""
        known = self.places.get(context_key)
        if known is not None:
            return known[0]
        number = len(self.twins)
        labels = read_labels(context_key)
        # A text that is no context key gets a group of its own, without neighbours.
        twin_key = labels or (("", context_key),)
        self.twins.append(self._twin_numbers.setdefault(twin_key, len(self._twin_numbers)))
        # Invariant: every list in `sharers` has one entry a context, also for missing arguments.
        while len(self.sharers) < len(labels):
            self.sharers.append([0] * number)
        for place, groups in enumerate(self.sharers):
            if place < len(labels):
                key = (place, labels[place])
                groups.append(self._sharer_numbers.setdefault(key, len(self._sharer_numbers) + 1))
            else:
                groups.append(0)
        sharers = tuple(groups[number] for groups in self.sharers)
        self.places[context_key] = number, self.twins[number], sharers
        return number

    def find(self, context_key: str) -> Place:
        """Find number, twins and sharers of a context; -1 if a number or group doesn't exist."""
        known = self.places.get(context_key)
        if known is not None:
            return known
        labels = read_labels(context_key)
        sharers = tuple(self._sharer_numbers.get(key, 0) for key in enumerate(labels))
        return -1, self._twin_numbers.get(labels, -1), sharers

    @property
    def sharer_count(self) -> int:
        """Number of groups that share an argument, including the empty one."""
        return len(self._sharer_numbers) + 1


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The estimates of groups, ready to be looked up.

    Attributes:
        strength: number of outcomes that a prior is worth.
        trust: lambda for twins, then for each argument.
        own: for each context (weight, weighted residual).
        twins: the same for each group of twins.
        sharers: for each argument the same for each group; group 0 is empty.
    """

    strength: float
    trust: tuple[float, ...]
    own: list[tuple[float, float]]
    twins: list[tuple[float, float]]
    sharers: tuple[list[tuple[float, float]], ...]

    def compute_shift(self, groups: ContextGroups, context_key: str) -> float:
        """Compute the shift of a context's prior by similar contexts."""
        number, twins, sharers = groups.find(context_key)
        nothing = (0.0, 0.0)
        own = self.own[number] if number >= 0 else nothing
        kin = self.twins[twins] if twins >= 0 else nothing
        total = self.trust[0] * self._estimate_group(kin, own) if kin[0] else 0.0
        for trust, said, group in zip(self.trust[1:], self.sharers, sharers, strict=False):
            if trust and group:
                total += trust * self._estimate_group(said[group], kin)
        return total

    def _estimate_group(self, group: tuple[float, float], without: tuple[float, float]) -> float:
        weight = max(group[0] - without[0], 0.0)
        return (group[1] - without[1]) / (self.strength + weight) if weight > 1e-9 else 0.0


def fit_neighbourhood(
    groups: ContextGroups, weight: Floats, residual: Floats, strength: float, believed: float
) -> Neighbourhood:
    """Fit the estimates of the groups, and the trust in them.

    Args:
        groups: the contexts.
        weight: of the outcomes of each context, with the design effect, float64[c].
        residual: its mean quality minus its recalibrated prior.
        strength: number of outcomes that a prior is worth.
        believed: lambda of twins before any evidence, in [0, 1].
    """
    twin = np.asarray(groups.twins)
    own = weight, weight * residual
    kin = tuple(sum_groups(twin, values) for values in own)
    open_, trusts, said = residual, [], []
    for numbers in groups.sharers:
        group = np.asarray(numbers)
        both = tuple(sum_groups(group, v, groups.sharer_count) for v in own)
        for values in both:
            values[0] = 0.0
        says = _estimate_groups(
            both[0][group] - kin[0][twin], both[1][group] - kin[1][twin], strength
        )
        says = np.where(group > 0, says, 0.0)
        trust, error = _compute_trust(weight, says, open_, 0.0)
        trusts.append(min(max(trust - error, 0.0), MOST))
        open_ = open_ - trusts[-1] * says
        said.append(_zip_lists(both))
    says = _estimate_groups(kin[0][twin] - weight, kin[1][twin] - weight * residual, strength)
    trust, _ = _compute_trust(weight, says, open_, believed)
    return Neighbourhood(
        strength,
        (min(max(trust, 0.0), MOST), *trusts),
        _zip_lists(own),
        _zip_lists(kin),
        tuple(said),
    )


def _estimate_groups(weight: Floats, total: Floats, strength: float) -> Floats:
    return np.where(weight > 1e-9, total / (strength + np.maximum(weight, 0.0)), 0.0)


def _compute_trust(
    weight: Floats, says: Floats, residual: Floats, believed: float
) -> tuple[float, float]:
    """Compute lambda and its standard error."""
    known = KAPPA + float(np.sum(weight * says**2))
    trust = (KAPPA * believed + float(np.sum(weight * says * residual))) / known
    error = float(np.sqrt(np.sum((weight * says * (residual - trust * says)) ** 2))) / known
    return trust, error


def _zip_lists(values: Iterable[Floats]) -> list[tuple[float, float]]:
    first, second = values
    return list(zip(first.tolist(), second.tolist(), strict=True))
