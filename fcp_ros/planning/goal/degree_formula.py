# SPDX-License-Identifier: Apache-2.0
"""What an alternative of a goal is worth: a formula over graded atoms, judged or not yet.

Every node is monotone in what is below it, and leaves are degrees or their complements. So with
unknown leaves at 1 the value is an upper bound, with unknown leaves at 0 a lower one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.memberships import GradedAtom

KnownDegree = Callable[[GradedAtom], float | None]
"""Degree of a graded atom in [0, 1]; None as long as it is not judged."""


@dataclass(frozen=True, slots=True)
class Degree:
    """The degree of a graded atom, or 1 minus it."""

    atom: GradedAtom
    complement: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """The parts composed by the t-norm."""

    tnorm: TNorm
    parts: tuple[Worth, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The parts composed by the t-conorm, the dual of the t-norm."""

    tnorm: TNorm
    parts: tuple[Worth, ...]


@dataclass(frozen=True, slots=True)
class LeastOf:
    """The smallest of the parts."""

    parts: tuple[Worth, ...]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """1 - weight * (1 - x)."""

    weight: float
    body: Worth


@dataclass(frozen=True, slots=True)
class Share:
    """weight * x."""

    weight: float
    body: Worth


Worth = float | Degree | AllOf | AnyOf | LeastOf | Shortfall | Share
"""A number stands for itself."""


def worth_of(worth: Worth, known: KnownDegree, unknown: float) -> float:
    """The value of a formula in [0, 1], with `unknown` for every leaf that is not known."""
    if isinstance(worth, (float, int)):
        return float(worth)
    if isinstance(worth, Degree):
        degree = known(worth.atom)
        if degree is None:
            return unknown
        return 1.0 - degree if worth.complement else degree
    if isinstance(worth, AllOf):
        return _all_of(worth.tnorm, [worth_of(part, known, unknown) for part in worth.parts])
    if isinstance(worth, AnyOf):
        return _any_of(worth.tnorm, [worth_of(part, known, unknown) for part in worth.parts])
    if isinstance(worth, LeastOf):
        return min(worth_of(part, known, unknown) for part in worth.parts)
    inside = worth_of(worth.body, known, unknown)
    if isinstance(worth, Shortfall):
        return 1.0 - worth.weight * (1.0 - inside)
    return worth.weight * inside


def highest(worth: Worth) -> float:
    """What a formula is worth at most, whatever its leaves are."""
    return worth if isinstance(worth, float) else worth_of(worth, _nothing_known, 1.0)


def lowest(worth: Worth) -> float:
    """What a formula is worth at least, whatever its leaves are."""
    return worth if isinstance(worth, float) else worth_of(worth, _nothing_known, 0.0)


def surely_at_least(one: Worth, other: Worth) -> bool:
    """Whether `one` is worth no less than `other`, whatever their leaves are.

    Sound, not complete: where it can't tell, the answer is no.
    """
    if isinstance(one, float) and isinstance(other, float):
        return one >= other
    if one == other or lowest(one) >= highest(other):
        return True
    if isinstance(one, Shortfall):
        if isinstance(other, Shortfall) and one.weight <= other.weight:
            return surely_at_least(one.body, other.body)
        return surely_at_least(one.body, other)
    if isinstance(other, Share):
        if isinstance(one, Share) and one.weight >= other.weight:
            return surely_at_least(one.body, other.body)
        return surely_at_least(one, other.body)
    if isinstance(other, (AllOf, LeastOf)):
        # A composition is worth no more than any selection of its parts.
        if isinstance(one, type(other)):
            return not Counter(one.parts) - Counter(other.parts)
        return any(surely_at_least(one, part) for part in other.parts)
    if isinstance(one, AnyOf):
        if isinstance(other, AnyOf):
            return not Counter(other.parts) - Counter(one.parts)
        return any(surely_at_least(part, other) for part in one.parts)
    return False


# --- constructors: numbers are worked out at once


def all_of(tnorm: TNorm, one: Worth, other: Worth) -> Worth:
    """Both, composed by the t-norm."""
    if isinstance(one, float) and isinstance(other, float):
        return tnorm.compose(one, other)
    if one == 1.0:
        return other
    return one if other == 1.0 else AllOf(tnorm, (*_parts(AllOf, one), *_parts(AllOf, other)))


def any_of(tnorm: TNorm, one: Worth, other: Worth) -> Worth:
    """Both, composed by the t-conorm."""
    if isinstance(one, float) and isinstance(other, float):
        return _any_of(tnorm, [one, other])
    if one == 0.0:
        return other
    return one if other == 0.0 else AnyOf(tnorm, (*_parts(AnyOf, one), *_parts(AnyOf, other)))


def least_of(one: Worth, other: Worth) -> Worth:
    """The smaller one."""
    if isinstance(one, float) and isinstance(other, float):
        return min(one, other)
    if one == 1.0:
        return other
    return one if other == 1.0 else LeastOf((*_parts(LeastOf, one), *_parts(LeastOf, other)))


def shortfall(weight: float, body: Worth) -> Worth:
    """1 - weight * (1 - x)."""
    if isinstance(body, float):
        return 1.0 - weight * (1.0 - body)
    return body if weight == 1.0 else Shortfall(weight, body)


def share(weight: float, body: Worth) -> Worth:
    """weight * x."""
    if isinstance(body, float):
        return weight * body
    return body if weight == 1.0 else Share(weight, body)


def _parts(kind: type[AllOf] | type[AnyOf] | type[LeastOf], worth: Worth) -> Iterator[Worth]:
    if isinstance(worth, kind):
        yield from worth.parts
    else:
        yield worth


def _all_of(tnorm: TNorm, values: list[float]) -> float:
    result = 1.0
    for value in values:
        result = tnorm.compose(result, value)
    return result


def _any_of(tnorm: TNorm, values: list[float]) -> float:
    """By the dual: 1 - T(1 - a, 1 - b)."""
    return 1.0 - _all_of(tnorm, [1.0 - value for value in values])


def _nothing_known(_atom: GradedAtom) -> None:
    return None
