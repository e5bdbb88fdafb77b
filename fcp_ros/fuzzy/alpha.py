# SPDX-License-Identifier: Apache-2.0
"""Alpha policies: the membership that an acceptable plan must reach.

A caller makes one policy a request (`alpha_policy`) and asks it for the cut of a plan
(`AlphaPolicy.cut`), which comes with the sentence that is reported with the plan.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from fcp_ros.fuzzy.tnorm import EPSILON, check_degree


class AlphaPreset(str, Enum):
    """The importance of a task; each preset has a base alpha (`AlphaPreset.alpha`)."""

    CASUAL = "casual"
    TYPICAL = "typical"
    IMPORTANT = "important"
    CRITICAL = "critical"

    @property
    def alpha(self) -> float:
        return _PRESET_ALPHA[self]


_PRESET_ALPHA = {
    AlphaPreset.CASUAL: 0.5,
    AlphaPreset.TYPICAL: 0.7,
    AlphaPreset.IMPORTANT: 0.85,
    AlphaPreset.CRITICAL: 0.95,
}


@dataclass(frozen=True, slots=True)
class AlphaCut:
    """An alpha, and one sentence that says where it came from."""

    alpha: float
    explanation: str


@dataclass(frozen=True)
class AlphaPolicy:
    """From a preset (or a value) to the alpha of one request.

    ``alpha(n) = lower + criticality * (1 - lower)`` with
    ``lower = base * length_factor ** max(0, n - free_length)``, where n is 0 if the policy
    is fixed, and the number of graded steps of the plan found if it is adaptive. So alpha never
    rises with n.

    How a search uses an adaptive policy: n is taken from the plan with the *best membership*, and
    the alpha that it gives holds for the whole request. (If each plan were held to the alpha of
    its own length, needless graded steps would make a bad plan acceptable.) So: search for the best
    membership without a budget; n is the number of graded steps of that plan, and alpha =
    ``alpha_for(n)``. If the plan doesn't reach it, no plan does (UNSOLVABLE_AT_ALPHA; the proof is
    that of the best membership). Only then search for least cost or duration within
    ``tnorm.loss_budget(alpha)``. A plan that reaches ``alpha_for(0)`` is acceptable before the best
    one is known.
    """

    base: AlphaPreset | float = AlphaPreset.TYPICAL  # a preset, or the base alpha itself, in [0, 1]
    criticality: float = 0.0  # how far the alpha is lifted from there towards 1, in [0, 1]
    # what each graded step beyond `free_length` multiplies the base by, in (0, 1]. Under
    # Lukasiewicz losses add up, so one alpha for all rules out long plans however good each step
    # is; a policy that knows the length allows for it, and says so.
    length_factor: float = 0.97
    free_length: int = 3  # number of graded steps that lower nothing, >= 0
    adaptive: bool = False  # whether the alpha depends on the plan that is found

    def __post_init__(self) -> None:
        if not isinstance(self.base, AlphaPreset):
            check_degree(self.base, "alpha")
        check_degree(self.criticality, "criticality")
        if check_degree(self.length_factor, "length_factor") == 0.0:
            raise ValueError("length_factor is 0, which would accept any plan; give one above 0")
        _check_length(self.free_length, "free_length")

    @property
    def base_alpha(self) -> float:
        return self.base.alpha if isinstance(self.base, AlphaPreset) else float(self.base)

    def alpha_for(self, plan_length: int) -> float:
        """The alpha of a request whose best plan has `plan_length` graded steps, in [0, 1]."""
        lower = self.base_alpha * self.length_factor ** self._extra(plan_length)
        return lower + self.criticality * (1.0 - lower)

    def cut(self, plan_length: int) -> AlphaCut:
        """`alpha_for`, with the sentence that is reported with the plan."""
        origin = f"preset {self.base.value}" if isinstance(self.base, AlphaPreset) else "given"
        parts = [f"{origin} {self.base_alpha:.3g}" if origin != "given" else origin]
        if extra := self._extra(plan_length):
            parts.append(
                f"times {self.length_factor:.3g} for each of {extra} graded steps of the plan "
                f"found beyond {self.free_length}"
            )
        if self.criticality > 0.0:
            parts.append(f"lifted towards 1 by criticality {self.criticality:.3g}")
        kind = "adaptive" if self.adaptive else "fixed"
        alpha = self.alpha_for(plan_length)
        return AlphaCut(alpha, f"Alpha is {alpha:.3g}: {', '.join(parts)} ({kind}).")

    def _extra(self, plan_length: int) -> int:
        """Number of graded steps that lower the alpha."""
        _check_length(plan_length, "the plan's length")
        return max(0, plan_length - self.free_length) if self.adaptive else 0


def count_graded_steps(degrees: Iterable[float]) -> int:
    """The length of a plan as alpha policies count it: its steps that are not crisp."""
    return sum(degree < 1.0 - EPSILON for degree in degrees)


def alpha_policy(
    text: str | float,
    *,
    criticality: float = 0.0,
    length_factor: float = 0.97,
    free_length: int = 3,
    adaptive: bool = False,
) -> AlphaPolicy:
    """The policy for what a user gave as alpha: the name of a preset, or a number.

    Raises ValueError for anything else, or another value out of its range.
    """
    base: AlphaPreset | float
    if isinstance(text, str) and text.strip().lower() in {preset.value for preset in AlphaPreset}:
        base = AlphaPreset(text.strip().lower())
    else:
        try:
            base = float(text)
        except (TypeError, ValueError):
            names = ", ".join(preset.value for preset in AlphaPreset)
            raise ValueError(f"alpha is {text!r}; give a number from 0 to 1, or {names}") from None
    return AlphaPolicy(base, criticality, length_factor, free_length, adaptive)


def _check_length(length: int, what: str) -> None:
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise ValueError(f"{what} is {length!r}; give a number of steps >= 0")


def reaches(membership: float, alpha: float) -> bool:
    """Return True if `membership` passes the alpha-cut, with the tolerance `EPSILON`."""
    return membership + EPSILON >= alpha
