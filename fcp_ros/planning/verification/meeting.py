# SPDX-License-Identifier: Apache-2.0
"""The pullback of a meeting: do the halves of a bidirectional plan fit together on the C-set?

The forward half ends in a state, the backward half starts from a partial state. They fit where the
state agrees with the partial state on everything that it speaks of: their pullback along what they
share is then the partial state itself, and gluing them along it adds nothing. And the membership of
the forward half must reach what the backward half requires.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.fuzzy import reaches
from fcp_ros.planning.stepping.rules import holds

Claim = tuple[Fact, bool]
"""A fact, and whether it holds."""


@dataclass(frozen=True, slots=True)
class PlanMeeting:
    """Where the halves of a plan met.

    Attributes:
        index: number of steps of the forward half.
        wanted: the partial state: of each group of claims at least one is so.
        requirement: the membership that the forward half must have reached, in [0, 1].
    """

    index: int
    wanted: tuple[tuple[Claim, ...], ...]
    requirement: float


def misfits(meeting: PlanMeeting, state: Instance, membership: float) -> Iterator[str]:
    """Why the halves do not fit, one sentence each.

    Args:
        meeting: what is claimed.
        state: after the forward half.
        membership: after the forward half.
    """
    for claims in meeting.wanted:
        if not any(holds(fact, state) == claimed for fact, claimed in claims):
            words = " or ".join(f"{'' if claimed else 'not '}{fact}" for fact, claimed in claims)
            yield f"the halves do not fit after step {meeting.index}: {words} is not so"
    if not reaches(membership, meeting.requirement):
        yield (
            f"the membership {membership:.3g} after step {meeting.index} is below the requirement "
            f"{meeting.requirement:.3g} of the rest"
        )
