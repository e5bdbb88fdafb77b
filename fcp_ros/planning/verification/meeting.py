# SPDX-License-Identifier: Apache-2.0
"""The meeting of a bidirectional plan: its halves must fit together on the C-set.

The forward half ends in a state, the backward half starts from a partial state. They fit if the
state agrees with every claim of the partial state. And the membership of the forward half must
reach what the backward half requires.
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
    """The point where the halves of a plan met.

    Attributes:
        index: number of steps of the forward half.
        wanted: the partial state: of each group of claims at least one is true.
        requirement: the membership that the forward half must reach, in [0, 1].
    """

    index: int
    wanted: tuple[tuple[Claim, ...], ...]
    requirement: float


def find_misfits(meeting: PlanMeeting, state: Instance, membership: float) -> Iterator[str]:
    """Yield the reasons why the halves do not fit, one clause each.

    Args:
        meeting: the claims.
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
