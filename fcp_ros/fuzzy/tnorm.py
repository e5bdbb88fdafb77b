# SPDX-License-Identifier: Apache-2.0
"""T-norms: how the degrees of the steps of a plan compose into the degree of the plan.

A t-norm is a commutative, associative, monotone operation on [0, 1] with unit 1. Each one here also
gives its residuum and the *least requirement*, which is the inverse that backward reasoning needs.
The two differ: the residuum is the greatest x with ``a (x) x <= b`` (DESIGN section 4).

Each also gives its *loss*, the scale on which a search adds up: an additive generator where the
t-norm has one (Klement, Mesiar, Pap: Triangular Norms, 2000, section 3), else 1 - degree, of which
the largest counts.
"""

import abc
import math
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

EPSILON = 1e-9
"""Tolerance of every comparison of a membership with an alpha or with a requirement."""


WORST_LOSS = 60.0
"""Losses that would be infinite are cut off here; exp(-60) is far below any tolerance."""


class Composition(Enum):
    """How the losses of the steps make the loss of the plan."""

    SUM = "sum"
    MAXIMUM = "maximum"


class TNorm(abc.ABC):
    """One t-norm. Degrees are floats in [0, 1]; use `check_degree` where they enter the system."""

    name: str
    composition = Composition.SUM

    @abc.abstractmethod
    def loss(self, degree: float) -> float:
        """The loss of a step of that degree, in [0, WORST_LOSS]; 0 for a crisp step."""

    @abc.abstractmethod
    def degree_of(self, loss: float) -> float:
        """The degree that a loss stands for: the inverse of `loss`, 0 for losses beyond it."""

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

    def loss_budget(self, alpha: float) -> float:
        """The largest loss with which a plan still reaches `alpha`; infinite for alpha 0."""
        return self.loss(alpha) if alpha > 0.0 else math.inf

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

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`: ``min(1, 1 - a + b)``."""
        return 1.0 if a <= b else (1.0 - a) + b

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: ``required + 1 - degree`` when something is required."""
        return required + (1.0 - degree) if required > 0.0 else 0.0


class Product(TNorm):
    """``a * b``: the losses ``-log a`` add up."""

    name = "product"

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`: ``-log degree``."""
        return min(WORST_LOSS, -math.log(degree)) if degree > 0.0 else WORST_LOSS

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        return math.exp(-loss) if loss < WORST_LOSS else 0.0

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

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`: 1 when a <= b, else b."""
        return 1.0 if a <= b else b

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: `required`; infinite for a step that is not that good."""
        if required <= 0.0:
            return 0.0
        return required if degree + EPSILON >= required else math.inf


class Hamacher(TNorm):
    """``a b / (p + (1 - p) (a + b - a b))`` with p >= 0 (Hamacher 1978).

    p = 1 is the product, p = 2 Einstein's product. The losses ``log((p + (1 - p) a) / a)`` add up,
    and for p = 0 the losses ``(1 - a) / a``. Larger p is stricter.

    Args:
        parameter: p.

    Raises:
        ValueError: it is negative or not finite.
    """

    def __init__(self, parameter: float = 0.0) -> None:
        if not (math.isfinite(parameter) and parameter >= 0.0):
            raise ValueError(f"the parameter of hamacher is {parameter!r}; give a number >= 0")
        self.parameter = float(parameter)
        self.name = "hamacher" if parameter == 0.0 else f"hamacher({self.parameter!r})"

    def loss(self, degree: float) -> float:
        """See `TNorm.loss`."""
        if degree <= 0.0:
            return WORST_LOSS
        if self.parameter == 0.0:
            return min(WORST_LOSS, (1.0 - degree) / degree)
        return min(WORST_LOSS, math.log1p(self.parameter * (1.0 - degree) / degree))

    def degree_of(self, loss: float) -> float:
        """See `TNorm.degree_of`."""
        if loss >= WORST_LOSS:
            return 0.0
        if self.parameter == 0.0:
            return 1.0 / (1.0 + loss)
        return self.parameter / (math.expm1(loss) + self.parameter)

    def compose(self, a: float, b: float) -> float:
        """See `TNorm.compose`."""
        if a <= 0.0 or b <= 0.0:
            return 0.0
        together = a * b
        return together / (self.parameter + (1.0 - self.parameter) * (a + b - together))

    def compose_all(self, degrees: Iterable[float]) -> float:
        """See `TNorm.compose_all`."""
        result = 1.0
        for degree in sorted(degrees):
            result = self.compose(result, degree)
        return result

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`."""
        return 1.0 if a <= b else self.least_requirement(b, a)

    def least_requirement(self, required: float, degree: float) -> float:
        """See `TNorm.least_requirement`: x with ``compose(x, degree) = required``."""
        if required <= 0.0:
            return 0.0
        p = self.parameter
        rest = degree - required * (1.0 - p) * (1.0 - degree)
        return required * (p + (1.0 - p) * degree) / rest if rest > 0.0 else math.inf

    def __repr__(self) -> str:
        return f"Hamacher({self.parameter:g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hamacher) and self.parameter == other.parameter

    def __hash__(self) -> int:
        return hash((Hamacher, self.parameter))


TNORMS: Mapping[str, TNorm] = MappingProxyType(
    {tnorm.name: tnorm for tnorm in (Lukasiewicz(), Product(), Goedel(), Hamacher())}
)
"""T-norms by the name under which domains, parameters and messages refer to them."""

_HAMACHER = re.compile(r"hamacher\((?P<parameter>[0-9.eE+]+)\)\Z")


def tnorm_by_name(name: str) -> TNorm:
    """The t-norm called `name`: one of `TNORMS`, or "hamacher(p)" with a number p >= 0.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    found = TNORMS.get(name)
    if found is not None:
        return found
    family = _HAMACHER.match(name)
    if family is not None:
        try:
            return Hamacher(float(family["parameter"]))
        except ValueError:
            pass
    raise ValueError(
        f"unknown t-norm {name!r}; choose one of: {', '.join(sorted(TNORMS))}, or hamacher(p) with "
        "a number p >= 0"
    )


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
