# SPDX-License-Identifier: Apache-2.0
"""How a planning request ended; one word for one thing (DESIGN section 4)."""

from enum import Enum


class PlanStatus(Enum):
    """The status of a planning result. The integer values are those of the ROS interface."""

    SOLVED_OPTIMALLY = 1
    """A verified plan, and a proof that no plan has a higher membership."""
    SOLVED_SATISFICING = 2
    """A verified plan that reaches alpha; whether a better one exists was not settled."""
    UNSOLVABLE_PROVEN = 3
    """No sequence of actions reaches the goal to a degree above 0, whatever alpha is."""
    UNSOLVABLE_AT_ALPHA = 4
    """Executable plans exist, and it is proven that none of them reaches alpha."""
    UNSOLVABLE_INCOMPLETELY = 5
    """No plan was found within the expansion limit; nothing is proven."""
    TIMEOUT = 6
    """The time limit passed before a plan that reaches alpha was found."""
    MEMOUT = 7
    """The node limit or the memory was used up before a plan that reaches alpha was found."""
    CANCELLED = 8
    """The caller cancelled."""
    UNSUPPORTED = 9
    """The request needs something that this planner does not do; the message says what."""
    INVALID_REQUEST = 10
    """The request contradicts itself or the domain; the message says what to change."""
    INTERNAL_ERROR = 11
    """The planner made a mistake: the verifier refused its plan. Nothing was handed out."""

    @property
    def solved(self) -> bool:
        """Whether the result carries a plan that may be executed."""
        return self in (PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING)
