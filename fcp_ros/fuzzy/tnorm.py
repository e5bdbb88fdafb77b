# SPDX-License-Identifier: Apache-2.0
"""T-norms: how the degrees of the steps of a plan compose into the degree of the plan.

A t-norm is a commutative, associative, monotone operation on [0, 1] with unit 1. Each one here also
gives its residuum and the *least requirement*, which is the inverse that backward reasoning needs.
The two differ: the residuum is the greatest x with ``a (x) x <= b`` (DESIGN section 4).
"""

import abc
import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

EPSILON = 1e-9
"""Tolerance of every comparison of a membership with an alpha or with a requirement."""


class TNorm(abc.ABC):
    """One t-norm. Degrees are floats in [0, 1]; use `check_degree` where they enter the system."""

    name: str

    @abc.abstractmethod
    def compose(self, a: float, b: float) -> float:
        """The degree of doing both: ``a (x) b``."""

    @abc.abstractmethod
    def compose_all(self, degrees: Iterable[float]) -> float:
        """The composition of all `degrees`, in any order with the same rounding; 1 for none."""

    @abc.abstractmethod
    def residuum(self, a: float, b: float) -> float:
        """``a => b``: the greatest x in [0, 1] with ``a (x) x <= b``."""

    @abc.abstractmethod
    def least_requirement(self, required: float, degree: float) -> float:
        """The least x with ``x (x) degree >= required``: what must be there before the step.

        Args:
            required: what must be there after the step, >= 0; above 1 it is already infeasible.
            degree: the step's degree in [0, 1].

        Returns:
            0 when nothing is required. A value above 1 (maybe `math.inf`) means *infeasible*; it is
            deliberately not clipped to 1.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class Lukasiewicz(TNorm):
    """``max(0, a + b - 1)``: losses ``1 - a`` add up, so alpha is a budget of ``1 - alpha``."""

    name = "lukasiewicz"

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`; exact for a crisp step (degree 1)."""
        low, high = (a, b) if a <= b else (b, a)
        # 1 - high is exact for high >= 0.5, and below that the result is 0 anyway.
        return max(0.0, low - (1.0 - high))

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`; rounded once, however many degrees there are."""
        ordered = sorted(degrees)
        if not ordered:
            return 1.0
        losses = [1.0 - degree for degree in ordered[1:]]
        return max(0.0, math.fsum([ordered[0], *(-loss for loss in losses)]))

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`: ``min(1, 1 - a + b)``."""
        return 1.0 if a <= b else (1.0 - a) + b

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: ``required + 1 - degree`` when something is required."""
        return required + (1.0 - degree) if required > 0.0 else 0.0


class Product(TNorm):
    """``a * b``: the losses ``-log a`` add up."""

    name = "product"

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`."""
        return a * b

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        return math.prod(sorted(degrees), start=1.0)

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`: ``min(1, b / a)``."""
        return 1.0 if a <= b else b / a

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: ``required / degree``; infinite for a step of degree 0."""
        if required <= 0.0:
            return 0.0
        return required / degree if degree > 0.0 else math.inf


class Goedel(TNorm):
    """``min(a, b)``: the plan is as good as its worst step."""

    name = "goedel"

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`."""
        return a if a <= b else b

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        return min(degrees, default=1.0)

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`: 1 when a <= b, else b."""
        return 1.0 if a <= b else b

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: `required`; infinite for a step that is not that good."""
        if required <= 0.0:
            return 0.0
        return required if degree + EPSILON >= required else math.inf


TNORMS: Mapping[str, TNorm] = MappingProxyType(
    {tnorm.name: tnorm for tnorm in (Lukasiewicz(), Product(), Goedel())}
)
"""Every t-norm by the name under which domains, parameters and messages refer to it."""


def tnorm_by_name(name: str) -> TNorm:
    """The t-norm called `name`.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    found = TNORMS.get(name)
    if found is None:
        raise ValueError(f"unknown t-norm {name!r}; choose one of: {', '.join(sorted(TNORMS))}")
    return found


def check_degree(value: float, what: str = "degree") -> float:
    """`value` as a float when it lies in [0, 1].

    Args:
        value: the number to check.
        what: how the error message calls it, for example ``"alpha"``.

    Raises:
        ValueError: it is no number, not finite or outside [0, 1].
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} is {value!r}; give a number from 0 to 1")
    return float(value)
