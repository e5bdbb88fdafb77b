# SPDX-License-Identifier: Apache-2.0
"""The calibrated degree of one context, from its own outcomes and those of contexts like it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from fcp_ros.grounding.calibration.pooled_map import Floats, sum_groups

WITHIN_PRIOR = 10.0  # Weight of the prior on the spread within a context, in outcomes
BETWEEN_PRIOR = 5.0  # Weight of the prior on the spread between contexts, in outcomes
RANGE = 4.0
"""The estimate stays within this factor of the setting. However right a model was so far, a few
failures of a thing that breaks must lower its degree: only then does the planner try another."""

EDGE = 0.05
"""Degrees are clipped to this distance from 0 and 1, where a symmetric error can't be right."""
TOLD = 0.5
"""The part of an oracle's own uncertainty that still counts when it was seen how far contexts are
from their degrees: an oracle that misjudges its uncertainty does bounded harm."""


MISJUDGED = 0.02
"""The probability that a thing is not what its degree says: any rate of success is as likely.

So a degree that outcomes contradict again and again loses its say (epsilon-contaminated prior:
Berger and Berliner 1986): after 30 failures it is below 0.1. With 0.005 one that was worth 16 was
0.12 then; over the worlds of `benchmark.grounding` this costs 0.0001 of squared error."""
KNOTS = 8  # Degrees, from the mean outcome to 0 or 1, at which it is computed
UNDOUBTED = 1e-3  # The probability of being misjudged below which nothing is doubted
DOUBTED = 0.01  # No degree is taken to be nearer to 0 or 1 when it is asked what contradicts it
WIDER = 3.0
"""Weight of a context's own outcomes that leave the square of what `cap` keeps. With 10, a thing of
0.97 that failed three times of three kept 0.27, where its own outcomes said 0.18: in the physics
world (docs/physics.md) a sixth of the kinds never fits between the fingers."""


def compute_posterior(
    prior: float,
    weight: float,
    total: float,
    strength: float,
    cap: float,
    centre: float | None = None,
    broken: float = 0.0,
) -> float:
    """Compute the calibrated degree.

    `weight` and `total` sum up the weights of the outcomes and their weighted qualities.
    `strength`: number of outcomes that the prior, or `centre`, the recalibrated one, is worth, > 0.
    `cap`: the largest distance from `prior` without outcomes of this context; they widen it.
    `broken`: the share of failures, in [0, 1), that is due to things that never work.
    """
    middle = prior if centre is None else centre
    posterior = middle
    if weight > 0.0:
        mean = min(max(total / weight, 0.0), 1.0)
        if broken <= 0.0:
            posterior = _learn_either_way(middle, mean, weight, strength)
        elif _is_seen_to_work(mean, weight, broken):
            working = raise_working(middle, broken)
            posterior = _learn_either_way(working, mean, weight, strength)
        else:
            knots = _compute_broken_knots(mean, weight, strength, broken)
            posterior = _interpolate(middle, knots)
    widest = 1.0 - math.pow(1.0 - cap, 1.0 + weight / WIDER)
    shift = min(max(posterior - prior, -widest), widest)
    return min(max(prior + shift, 0.0), 1.0)


def _learn_either_way(middle: float, mean: float, weight: float, strength: float) -> float:
    """Compute the posterior of a degree."""
    if middle >= mean:
        return _learn(middle, mean, weight, strength)
    return 1.0 - _learn(1.0 - middle, 1.0 - mean, weight, strength)


def _learn(middle: float, mean: float, weight: float, strength: float) -> float:
    """Compute the posterior of a degree that is not below the mean of the outcomes."""
    knots = _compute_knots(mean, weight, strength)
    if len(knots) == 2 or mean >= 1.0:
        return middle + weight / (strength + weight) * (mean - middle)
    return _interpolate((middle - mean) / (1.0 - mean), knots)


def _interpolate(share: float, knots: tuple[float, ...]) -> float:
    """Interpolate between knots at equal distances; `share`: of the way, in [0, 1]."""
    place = share * (len(knots) - 1)
    low = min(int(place), len(knots) - 2)
    return knots[low] + (place - low) * (knots[low + 1] - knots[low])


@lru_cache(maxsize=65_536)
def _compute_knots(mean: float, weight: float, strength: float) -> tuple[float, ...]:
    """Compute the posteriors of degrees from the mean of the outcomes up to 1; linear in between.

    The plain one would fall again where a degree is so high that it is doubted altogether, and the
    order of two degrees would be lost. So from its peak on it stays as high. Two knots: no degree
    is doubted.
    """
    share = weight / (strength + weight)
    if compute_doubt(1.0, mean, weight, strength) < UNDOUBTED:
        return mean, 1.0 - share * (1.0 - mean)
    flat = (weight * mean + 1.0) / (weight + 2.0)
    knots = [mean]
    for number in range(1, KNOTS + 1):
        degree = mean + (1.0 - mean) * number / KNOTS
        doubt = compute_doubt(degree, mean, weight, strength)
        believed = degree + share * (mean - degree)
        mixed = (1.0 - doubt) * believed + doubt * flat
        knots.append(max(knots[-1], min(mixed, degree)))
    return tuple(knots)


# --- things that never work ---
#
# Some things fail always, whatever their degree: too wide for the gripper, locked. They are not
# what a degree that is a little too high looks like, and no Beta distribution has them beside
# things that mostly work. So of the failures that a degree d leaves room for, 1 - d, a share
# `broken` is due to things that never work (zero-inflated beta-binomial): a thing is one of them
# with probability broken * (1 - d), else its rate has a Beta distribution with so much higher a
# mean that the mean of both is d. Without outcomes nothing moves.

NEVER = 0.02  # Rate of success of what never works: a success by mistake
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Values of the share that are weighed against each other."""
NONE_BROKEN = 0.9
"""The probability that the share is 0; the others are equally likely. With 2/3 what is learnt of 30
things from 100 outcomes gets better by a tenth, and what is learnt from 10 worse by a fiftieth."""
STRENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Strengths that are weighed against each other beside it, divided by the least one."""
BROKEN_KNOTS = 16  # Steps of degrees from 0 to 1 at which the posterior is computed


def raise_working(degree: float, broken: float) -> float:
    """Compute the mean degree of the things that do work."""
    never = broken * (1.0 - degree)
    return max((degree - never * NEVER) / (1.0 - never), 0.0)


def _is_seen_to_work(mean: float, weight: float, broken: float) -> bool:
    """Return True if these outcomes can't be those of a thing that never works."""
    as_any = _measure_outcomes(1.0, 1.0, mean, weight)
    odds = _measure_never(mean, weight) - as_any - math.log(MISJUDGED)
    return odds + math.log(broken / (1.0 - broken)) < math.log(UNDOUBTED)


def _measure_never(mean: float, weight: float) -> float:
    """Compute the log-likelihood of the outcomes of a thing that never works."""
    return weight * (mean * math.log(NEVER) + (1.0 - mean) * math.log1p(-NEVER))


@lru_cache(maxsize=65_536)
def _compute_broken_knots(
    mean: float, weight: float, strength: float, broken: float
) -> tuple[float, ...]:
    """Compute the posteriors of degrees from 0 to 1; the order of degrees is kept."""
    never, as_any = _measure_never(mean, weight), _measure_outcomes(1.0, 1.0, mean, weight)
    found = [0.0]
    for number in range(BROKEN_KNOTS + 1):
        degree = number / BROKEN_KNOTS
        working, chance = raise_working(degree, broken), broken * (1.0 - degree)
        inner = min(max(working, DOUBTED), 1.0 - DOUBTED)
        seen = _measure_outcomes(strength * inner, strength * (1.0 - inner), mean, weight)
        works = np.logaddexp(seen + math.log(1.0 - MISJUDGED), as_any + math.log(MISJUDGED))
        odds = chance / (1.0 - chance) * math.exp(min(never - works, 700.0))
        share = odds / (1.0 + odds)
        learnt = _learn_either_way(working, mean, weight, strength)
        found.append(max(found[-1], share * NEVER + (1.0 - share) * learnt))
    return tuple(found[1:])


@dataclass(frozen=True, slots=True)
class BrokenShare:
    """The estimates for each context, from the outcomes of all others, float64[c]."""

    share: Floats  # of failures that is due to things that never work
    some: Floats  # the probability that it isn't 0
    strength: Floats  # number of outcomes that a degree is worth if so


def estimate_broken(believed: float, weight: Floats, expected: Floats, mean: Floats) -> BrokenShare:
    """Estimate the share of failures that is due to things that never work.

    By Bayes' rule over it and over the strength, from the outcomes of contexts, float64[c]. What a
    thing's own outcomes say is left out of its own estimate: they would count twice.
    """
    from scipy.special import gammaln  # slow to import, and not needed without outcomes

    shares = np.array(SHARES)[:, None, None]
    strengths = believed / RANGE * np.array(STRENGTHS)[:, None]
    never = shares * (1.0 - expected)
    working = np.clip((expected - never * NEVER) / (1.0 - never), DOUBTED, 1.0 - DOUBTED)
    a, b = strengths * working, strengths * (1.0 - working)
    good, bad = weight * mean, weight * (1.0 - mean)
    works = gammaln(a + good) - gammaln(a) + gammaln(b + bad) - gammaln(b)
    works += gammaln(strengths) - gammaln(strengths + weight)
    fails = good * math.log(NEVER) + bad * math.log1p(-NEVER)
    each = np.logaddexp(np.log1p(-never) + works, np.log(np.maximum(never, 1e-300)) + fails)
    each *= weight > 1.0  # One outcome is as likely whatever the share.
    log = each.sum(axis=2, keepdims=True) - each
    # What is believed of the strength counts for something, here as well.
    log -= 0.5 * np.log(strengths / believed) ** 2
    prior = np.full(len(SHARES), (1.0 - NONE_BROKEN) / (len(SHARES) - 1))
    prior[0] = NONE_BROKEN
    chance = prior[:, None, None] * np.exp(log - log.max(axis=(0, 1)))
    chance /= chance.sum(axis=(0, 1))
    some = chance[1:].sum(axis=0)
    total = np.maximum(some.sum(axis=0), 1e-300)
    strength = np.exp((some * np.log(strengths)).sum(axis=0) / total)
    share = (shares * chance).sum(axis=(0, 1))
    return BrokenShare(share, some.sum(axis=0), np.clip(strength, None, believed * RANGE))


def compute_doubt(middle: float, mean: float, weight: float, strength: float) -> float:
    """Compute the probability that a thing is not what its degree says, by Bayes' rule.

    Both explanations are Beta distributions of its rate: one of this mean and strength, a flat one.
    """
    inner = min(max(middle, DOUBTED), 1.0 - DOUBTED)
    as_judged = _measure_outcomes(strength * inner, strength * (1.0 - inner), mean, weight)
    as_any = _measure_outcomes(1.0, 1.0, mean, weight)
    ratio = as_judged - as_any + math.log((1.0 - MISJUDGED) / MISJUDGED)
    return 1.0 / (1.0 + math.exp(min(ratio, 700.0)))


def _measure_outcomes(a: float, b: float, mean: float, weight: float) -> float:
    """Compute the log-likelihood of outcomes whose rate has this Beta distribution."""
    good = weight * mean
    return _log_beta(a + good, b + weight - good) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def convert_uncertainty(degree: float, uncertainty: float, believed: float) -> float:
    """Convert the expected error of a degree into the number of outcomes that it is worth.

    A Beta distribution of strength s and mean d has the variance d (1 - d) / (s + 1). The result
    stays within a factor of `RANGE` of the setting `believed`.
    """
    inner = min(max(degree, EDGE), 1.0 - EDGE)
    least, most = believed / RANGE, believed * RANGE
    variance = inner * (1.0 - inner)
    if uncertainty**2 * (most + 1.0) <= variance:
        return most
    return max(variance / uncertainty**2 - 1.0, least)


def estimate_strength(
    believed: float, weight: Floats, expected: Floats, mean: Floats, scatter: Floats
) -> float:
    """Estimate the number of outcomes that a degree is worth, shrunk towards `believed`.

    By the contexts' distance to it, float64[c]; `scatter`: weighted sum of squared distances of the
    qualities from their mean.
    """
    binary = _divide(np.sum(weight * expected * (1.0 - expected)), np.sum(weight), 0.25)
    freedom = float(np.sum(np.maximum(weight - 1.0, 0.0)))
    within = (WITHIN_PRIOR * binary + float(np.sum(scatter))) / (WITHIN_PRIOR + freedom)
    within = max(within, 1e-4)
    between_believed = within / believed
    # Contexts with many outcomes count no more than others for the spread between contexts.
    share = 1.0 / (1.0 + weight / believed)
    surplus = np.sum(share * (weight * (mean - expected) ** 2 - within))
    between = (BETWEEN_PRIOR * between_believed + float(surplus)) / (
        BETWEEN_PRIOR + float(np.sum(share * weight))
    )
    strength = within / max(between, within / (believed * RANGE))
    return float(np.clip(strength, believed / RANGE, believed * RANGE))


def _divide(above: float, below: float, otherwise: float) -> float:
    return float(above / below) if below > 0.0 else otherwise


SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The rates at which outcomes lose weight."""

    half_life: float  # later outcomes after which an outcome counts half; 0 or infinity: never
    half_life_days: float = 0.0  # the same in days; 0 or infinity: never

    def decay_by_outcomes(self, weight: float) -> float:
        """Compute the factor left of an outcome after later ones of this total weight."""
        return math.pow(2.0, -weight * _to_rate(self.half_life))

    def decay_by_age(self, seconds: float) -> float:
        """Compute the factor left of an outcome this much older than the newest one."""
        if not self.half_life_days:  # the usual case, on the path of every judgement
            return 1.0
        return math.pow(2.0, -max(seconds, 0.0) / SECONDS_A_DAY * _to_rate(self.half_life_days))

    def weigh(self, weight: Floats, stamp: Floats) -> Floats:
        """Compute the weights left of a row of outcomes, the oldest first (stamps in s)."""
        if not len(weight):
            return weight
        later = np.cumsum(weight[::-1])[::-1] - weight
        days = (stamp.max() - stamp) / SECONDS_A_DAY
        halvings = later * _to_rate(self.half_life) + days * _to_rate(self.half_life_days)
        return np.asarray(weight * np.exp2(-halvings), dtype=np.float64)


def _to_rate(half_life: float) -> float:
    return 1.0 / half_life if 0.0 < half_life < math.inf else 0.0


@dataclass(slots=True)
class DecayedSum:
    """The outcomes of one context, summed up."""

    count: int = 0
    weight: float = 0.0  # sum of their weights, decayed to `stamp`
    total: float = 0.0  # sum of their weighted qualities, decayed likewise
    stamp: float = -math.inf  # of the newest outcome, s

    def add(self, quality: float, weight: float, stamp: float, forgetting: Forgetting) -> None:
        self.count += 1
        faded = forgetting.decay_by_outcomes(weight)
        if stamp >= self.stamp:
            if self.count > 1:
                faded *= forgetting.decay_by_age(stamp - self.stamp)
            self.stamp = stamp
        else:  # its report came late
            weight *= forgetting.decay_by_age(self.stamp - stamp)
        self.weight = self.weight * faded + weight
        self.total = self.total * faded + weight * quality


# --- the influence of similar contexts on the degree of a context ---

KAPPA = 3.0  # Weight of the prior belief about lambda
MOST = 0.8  # The upper bound of lambda
Labels = tuple[tuple[str, str], ...]  # The parameter and the category or text of each argument

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
    """The contexts of a predicate by what they share, numbered in order of appearance."""

    # number, twins and sharers of each context key
    places: dict[str, Place] = field(default_factory=dict)
    twins: list[int] = field(default_factory=list)
    # for each argument and context the number of the group with the same argument; 0 means none
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
    """The estimates of groups, ready to be looked up."""

    strength: float  # number of outcomes that a prior is worth
    trust: tuple[float, ...]  # lambda for twins, then for each argument
    own: list[tuple[float, float]]  # for each context (weight, weighted residual)
    twins: list[tuple[float, float]]
    # for each argument the same for each group; group 0 is empty
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

    Of each context, float64[c], the weight (design effect), and the residual: mean quality minus
    recalibrated prior. `believed`: lambda of twins before any evidence, in [0, 1].
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
