# SPDX-License-Identifier: Apache-2.0
"""T-norms: the composition of the degrees of steps into the degree of a plan.

A t-norm is a commutative, associative, monotone operation on [0, 1] with unit 1. Each one here also
gives the *least requirement*, which is the inverse that backward reasoning needs. It is not the
residuum, the greatest x with ``a (x) x <= b`` (docs/design.md).

Each also gives its *loss*, the scale on which a search adds up: an additive generator where the
t-norm has one (Klement, Mesiar, Pap: Triangular Norms, 2000, section 3), else 1 - degree, of which
the largest counts. A search sees nothing but losses and how they compose.
"""

import abc
import math
import re
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

EPSILON = 1e-9
"""Tolerance of every comparison of a membership with an alpha or with a requirement."""

NEGLIGIBLE = EPSILON
"""Where the loss of degree 0 would be infinite, a degree below this one counts as this one: no
comparison can tell the two apart."""


class Composition(Enum):
    """The way in which the losses of the steps make the loss of the plan."""

    SUM = "sum"
    MAXIMUM = "maximum"


def check_degree(value: float, what: str = "degree") -> float:
    """Return `value` as a float if it is a number in [0, 1]; else raise ValueError."""
    if type(value) is float and 0.0 <= value <= 1.0:  # the usual case, a dozen times a question
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} is {value!r}; give a number from 0 to 1")
    return float(value)


class TNorm(abc.ABC):
    """One t-norm. Degrees are floats in [0, 1]; use `check_degree` where they enter the system.

    Losses are scaled such that `degree_of` is nowhere steeper than 1: losses that differ by no more
    than `EPSILON` stand for degrees that differ by no more than that.
    """

    name: str
    composition = Composition.SUM

    @abc.abstractmethod
    def loss(self, degree: float) -> float:
        """The loss of a step of that degree: finite, >= 0, and exactly 0 for a crisp step."""

    @abc.abstractmethod
    def degree_of(self, loss: float) -> float:
        """The degree that a loss stands for: the inverse of `loss`, and 0 from the loss of 0 on."""

    @abc.abstractmethod
    def compose(self, a: float, b: float) -> float:
        """The degree of doing both: ``a (x) b``."""

    @abc.abstractmethod
    def compose_all(self, degrees: Iterable[float]) -> float:
        """The composition of all `degrees`, in any order with the same rounding; 1 for none."""

    @abc.abstractmethod
    def least_requirement(self, required: float, degree: float) -> float:
        """The least x with ``x (x) degree >= required``: what must be there before a step.

        `required` after it, >= 0, may be above 1. A value above 1 (maybe `math.inf`) means
        *infeasible*; it is deliberately not clipped to 1.
        """

    def loss_budget(self, alpha: float) -> float:
        """The largest loss with which a plan still reaches `alpha`.

        Infinite where every plan does: `reaches` has the tolerance `EPSILON`.
        """
        return self.loss(alpha) if alpha > EPSILON else math.inf

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class Lukasiewicz(TNorm):
    """``max(0, a + b - 1)``: losses ``1 - a`` add up, so alpha is a budget of ``1 - alpha``."""

    name = "lukasiewicz"

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`: ``1 - degree``."""
        return 1.0 - degree

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        return max(0.0, 1.0 - loss)

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

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: ``required + 1 - degree`` when something is required."""
        return required + (1.0 - degree) if required > 0.0 else 0.0


class Product(TNorm):
    """``a * b``: the losses ``-log a`` add up."""

    name = "product"

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`: ``-log degree``."""
        return -math.log(max(degree, NEGLIGIBLE)) if degree < 1.0 else 0.0

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        return math.exp(-loss) if loss < self.loss(0.0) else 0.0

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`."""
        return a * b

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        return math.prod(sorted(degrees), start=1.0)

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: ``required / degree``; infinite for a step of degree 0."""
        if required <= 0.0:
            return 0.0
        return required / degree if degree > 0.0 else math.inf


class Goedel(TNorm):
    """``min(a, b)``: the plan is as good as its worst step."""

    name = "goedel"
    composition = Composition.MAXIMUM

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`: ``1 - degree``; the largest counts."""
        return 1.0 - degree

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        return max(0.0, 1.0 - loss)

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`."""
        return a if a <= b else b

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        return min(degrees, default=1.0)

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: `required`; infinite for a step that is not that good."""
        if required <= 0.0:
            return 0.0
        return required if degree + EPSILON >= required else math.inf


class Hamacher(TNorm):
    """The Hamacher family: ``a b / (p + (1 - p) (a + b - a b))`` with p >= 0 (Hamacher 1978).

    p = 0 is the Hamacher product, p = 1 the product, p = 2 Einstein's product. Larger p is
    stricter. All of it is computed in odds against a degree, ``x = (1 - a) / a``: they compose by
    ``x + y + p x y``, in which nothing cancels, so that results are exact to a few units in the
    last place however small the degrees are. Raises ValueError if p is negative or not finite.
    """

    def __init__(self, parameter: float = 0.0) -> None:
        if not (math.isfinite(parameter) and parameter >= 0.0):
            raise ValueError(f"the parameter of hamacher is {parameter!r}; give a number >= 0")
        self.parameter = float(parameter)
        shown = repr(self.parameter).removesuffix(".0")
        self.name = "hamacher" if parameter == 0.0 else f"hamacher({shown})"

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`: ``log(1 + p x) / min(1, p)``, and x for p = 0 (the limit)."""
        odds = _odds(max(degree, NEGLIGIBLE))
        if self.parameter == 0.0:
            return odds
        return math.log1p(self.parameter * odds) / min(1.0, self.parameter)

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        if loss >= self.loss(0.0):
            return 0.0
        if self.parameter == 0.0:
            return 1.0 / (1.0 + loss)
        return 1.0 / (1.0 + math.expm1(loss * min(1.0, self.parameter)) / self.parameter)

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`; exact for a crisp step, and monotone in spite of rounding."""
        low, high = (a, b) if a <= b else (b, a)
        if high >= 1.0:
            return low
        if low < sys.float_info.min:
            return 0.0
        x, y = _odds(low), _odds(high)
        return min(low, 1.0 / (1.0 + (x + y + self.parameter * x * y)))

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        result = 1.0
        for degree in sorted(degrees):
            result = self.compose(result, degree)
        return result

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: x with ``compose(x, degree) = required``."""
        if required <= 0.0:
            return 0.0
        if degree >= 1.0:
            return required
        # Only `degree - required` can cancel, and that is exact then.
        factor = self.parameter * (1.0 - degree) + degree
        below = (degree - required) / required + factor
        return factor / below if below > 0.0 else math.inf

    def __repr__(self) -> str:
        return f"Hamacher({self.parameter:g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hamacher) and self.parameter == other.parameter

    def __hash__(self) -> int:
        return hash((Hamacher, self.parameter))


def _odds(degree: float) -> float:
    """The odds against a degree in (0, 1]."""
    return (1.0 - degree) / degree


TNORMS: Mapping[str, TNorm] = MappingProxyType(
    {tnorm.name: tnorm for tnorm in (Lukasiewicz(), Product(), Goedel(), Hamacher())}
)
"""The t-norms without a parameter; "hamacher" is the Hamacher product."""

TNORM_CHOICES = f"{', '.join(sorted(TNORMS))}, or hamacher(p) with a number p >= 0"
"""The choices of a user, in words."""

_HAMACHER = re.compile(r"hamacher\((?P<parameter>[0-9.]+(?:[eE][+-]?[0-9]+)?)\)")


def tnorm_by_name(name: str) -> TNorm:
    """Return the t-norm called `name`: one of `TNORMS`, or "hamacher(p)" with a number p >= 0."""
    found = TNORMS.get(name)
    if found is not None:
        return found
    family = _HAMACHER.fullmatch(name)
    if family is not None:
        try:
            return Hamacher(float(family["parameter"]))
        except ValueError:
            pass
    raise ValueError(f"unknown t-norm {name!r}; choose one of: {TNORM_CHOICES}")
