# SPDX-License-Identifier: Apache-2.0
"""The Hamacher family: t-norms between the Hamacher product (p = 0) and stricter ones.

All of it is reckoned in odds against a degree, ``x = (1 - a) / a``: they compose by
``x + y + p x y``, in which nothing cancels, so that results are exact to a few units in the last
place however small the degrees are.
"""

import math
import sys
from collections.abc import Iterable

from fcp_ros.fuzzy.tnorm import NEGLIGIBLE, TNorm


class Hamacher(TNorm):
    """``a b / (p + (1 - p) (a + b - a b))`` with p >= 0 (Hamacher 1978).

    p = 1 is the product, p = 2 Einstein's product. Larger p is stricter.

    Args:
        parameter: p.

    Raises:
        ValueError: it is negative or not finite.
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

    def residuum(self, a: float, b: float) -> float:
        """See `TNorm.residuum`."""
        return 1.0 if a <= b else self.least_requirement(b, a)

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
