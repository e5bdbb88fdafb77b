# SPDX-License-Identifier: Apache-2.0
"""The wish behind a goal of ``achieve_goal``, from its first plan to the last replan.

Each plan is for the wish as it was stated: a relaxation is a plan's, never the wish's. So a goal
that had to be relaxed is strict again as soon as what was missing is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from fcp_ros.msg import Interpretation, PlanRequest, PlanResult, Question
from fcp_ros.planning.model.optimality import choose_status
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import Measure, PlanStatus

Change = tuple[str, str, str]
"""A relaxation: kind, original, replacement."""
_BELOW_ALPHA: Change = ("", "", "")
"""What is confirmed of a plan for the goal as stated."""


class StandingWish:
    """The request that the planner gets, and what was settled about it.

    An instruction is read once, and plans are made for the goal that it was read as; its words go
    with that, since they say what for, and that somebody is to be asked. It is read again only if
    that goal makes no sense any more, such as when a thing that it names is gone.

    Args:
        request: of the goal.

    Attributes:
        request: for the planner.
    """

    def __init__(self, request: PlanRequest) -> None:
        self.request = deepcopy(request)
        self._interpretation = Interpretation()
        self._is_fresh = True  # the newest result is for the instruction itself
        self._confirmed: set[Change] = set()

    def note_reading(self, result: PlanResult) -> None:
        """Keep the goal that an instruction was read as; give it to results that lack it."""
        reading = result.interpretation
        self._is_fresh = reading.status != Interpretation.NONE
        if reading.status == Interpretation.READ and reading.readings:
            self._interpretation = reading
            self.request.goal = reading.readings[0].goal
        elif reading.status == Interpretation.NONE:
            result.interpretation = self._interpretation

    def choose_reading(self, result: PlanResult, choice: int) -> None:
        """Keep the reading that was chosen for an ambiguous instruction."""
        reading = deepcopy(result.interpretation)
        chosen = reading.readings[choice]
        others = [one for one in reading.readings if one is not chosen]
        reading.status = Interpretation.READ
        reading.message = f"Understood after asking: {chosen.paraphrase}"
        reading.readings = [chosen, *others]
        reading.question, reading.choices = "", []
        self._interpretation = reading
        self.request.goal = chosen.goal

    def read_again(self, result: PlanResult) -> bool:
        """Go back to the instruction if the goal that it was read as makes no sense any more.

        Returns:
            True if the planner is to be asked again, with the instruction.
        """
        refused = result.status.code == PlanStatus.INVALID_REQUEST.value
        was_read = self._interpretation.status == Interpretation.READ
        if self._is_fresh or not (refused and was_read):
            return False
        self.request.goal = ""
        self._interpretation = Interpretation()
        return True

    def is_confirmed(self, result: PlanResult) -> bool:
        """Return True if all relaxations of a result have been confirmed."""
        return self._confirmed.issuperset(_list_changes(result))

    def confirm(self, result: PlanResult) -> None:
        """Remember that the relaxations of a result were confirmed, which makes it a solution."""
        self._confirmed.update(_list_changes(result))
        optimise = Optimise(self.request.optimise or Optimise.MEMBERSHIP)
        proven = tuple(map(Measure, result.optimal_in))
        result.status.code = choose_status(proven, optimise, is_crisp=False).value
        reasons = (one.reason for one in result.relaxations)
        result.status.message = " ".join((*reasons, "Confirmed."))
        result.question = Question()


def _list_changes(result: PlanResult) -> Iterator[Change]:
    """List what a yes is about; without a relaxation, that the plan is below alpha."""
    if not result.relaxations:
        yield _BELOW_ALPHA
    for one in result.relaxations:
        yield one.kind, one.original, one.replacement
