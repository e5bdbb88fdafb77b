# SPDX-License-Identifier: Apache-2.0
"""Alpha policies: which membership a plan must reach to be acceptable (DESIGN section 4)."""

from dataclasses import dataclass
from enum import Enum

from fcp_ros.fuzzy.tnorm import check_degree


class AlphaPreset(str, Enum):
    """How much depends on the task; each preset has a base alpha (`AlphaPreset.alpha`)."""

    CASUAL = "casual"
    TYPICAL = "typical"
    IMPORTANT = "important"
    CRITICAL = "critical"

    @property
    def alpha(self) -> float:
        """The base alpha of the preset."""
        return _PRESET_ALPHA[self]


_PRESET_ALPHA = {
    AlphaPreset.CASUAL: 0.5,
    AlphaPreset.TYPICAL: 0.7,
    AlphaPreset.IMPORTANT: 0.85,
    AlphaPreset.CRITICAL: 0.95,
}


@dataclass(frozen=True)
class AlphaPolicy:
    """From a preset (or a value) to the alpha of one request.

    ``alpha(n) = lower + criticality * (1 - lower)`` with
    ``lower = base * length_factor ** max(0, n - free_length)`` where the policy is adaptive, and
    ``lower = base`` where it is fixed.

    Attributes:
        base: a preset, or the base alpha itself, in [0, 1].
        criticality: how far the alpha is lifted from there towards 1, in [0, 1].
        length_factor: what each graded step beyond `free_length` multiplies the base by, in (0, 1].
            Under Lukasiewicz losses add up, so a fixed alpha rules out long plans however good
            each step is; an adaptive policy allows for it, and says so.
        free_length: number of graded steps that lower nothing, >= 0.
        adaptive: whether the alpha depends on the plan's length.
    """

    base: AlphaPreset | float = AlphaPreset.TYPICAL
    criticality: float = 0.0
    length_factor: float = 0.97
    free_length: int = 3
    adaptive: bool = False

    def __post_init__(self) -> None:
        """Refuse values outside their ranges with a `ValueError` that names the field."""
        if not isinstance(self.base, AlphaPreset):
            check_degree(self.base, "alpha")
        check_degree(self.criticality, "criticality")
        if check_degree(self.length_factor, "length_factor") == 0.0:
            raise ValueError("length_factor is 0, which would accept any plan; give one above 0")
        if self.free_length < 0:
            raise ValueError(f"free_length is {self.free_length}; give a number of steps >= 0")

    @property
    def base_alpha(self) -> float:
        """The base as a number."""
        return self.base.alpha if isinstance(self.base, AlphaPreset) else float(self.base)

    def alpha(self, length: int = 0) -> float:
        """The alpha that a plan with `length` graded steps must reach, in [0, 1].

        Raises:
            ValueError: the length is negative.
        """
        if length < 0:
            raise ValueError(f"a plan's length is {length}; give a number of steps >= 0")
        extra = max(0, length - self.free_length) if self.adaptive else 0
        lower = self.base_alpha * self.length_factor**extra
        return lower + self.criticality * (1.0 - lower)

    def describe(self) -> str:
        """One sentence that goes with each plan: where its alpha came from."""
        origin = f"preset {self.base.value}" if isinstance(self.base, AlphaPreset) else "given"
        text = f"alpha {self.alpha():.3g} ({origin}"
        if self.criticality > 0.0:
            text += f", criticality {self.criticality:.3g}"
        if self.adaptive:
            return text + (
                f"; adaptive: the base is multiplied by {self.length_factor:.3g} for each graded "
                f"step after {self.free_length})"
            )
        return text + ("; fixed)")


def alpha_policy(text: str | float, **settings: float | int | bool) -> AlphaPolicy:
    """The policy for what a user gave as alpha: the name of a preset, or a number.

    Args:
        text: ``"important"``, ``"0.6"`` or ``0.6``.
        settings: the other fields of `AlphaPolicy`.

    Raises:
        ValueError: neither a preset nor a number from 0 to 1.
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
    return AlphaPolicy(base, **settings)  # type: ignore[arg-type]
