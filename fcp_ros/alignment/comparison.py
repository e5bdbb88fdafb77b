# SPDX-License-Identifier: Apache-2.0
"""One request for alignment, from the files on: read, pair, try, translate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.declared import declare_synonyms
from fcp_ros.alignment.engine import align
from fcp_ros.alignment.likeness import NameLikeness
from fcp_ros.alignment.options import AlignmentOptions
from fcp_ros.alignment.other_world import OtherWorld, find_goal_fault, translate_goal
from fcp_ros.alignment.pairing import AlignmentTask, pair_domains
from fcp_ros.domain.pddl.reader import PddlTexts
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch

Check = Callable[[], None]
Guard = Callable[[Check], AbstractContextManager[None]]
"""Makes a context whose code ends when a check raises, even where it does not ask."""


@dataclass(frozen=True)
class Comparison:
    """The answer to a request.

    Attributes:
        own, other: names of both domains.
    """

    result: AlignmentResult
    task: AlignmentTask | None = None  # what was compared; None if the time was over before
    own: str = ""
    other: str = ""
    # the goal in the words of the other domain; "" without a plan, or if it can't be written there
    goal: str = ""

    def to_plain(self) -> dict[str, Any]:
        """Return the answer as plain data for JSON."""
        return {**self.result.to_plain(), "goal": self.goal}


def compare_vocabularies(
    read_own: Callable[[Check], PddlTexts],  # reads the domain and problem that state the goal
    open_other: Callable[[Check], OtherWorld],  # opens the world that plans are tried in
    options: AlignmentOptions,
    likeness: NameLikeness,
    declared: Iterable[str] = (),  # further candidates, such as `(on-table ?b) = (on ?b table)`
    *,
    cancelled: CancelCallback = never_cancel,  # asked every few milliseconds; True ends the request
    start: RequestStart | None = None,  # of the request; now by default
    guard: Guard = lambda _check: nullcontext(),  # ends reading that does not ask
) -> Comparison:
    """Find out which names of two vocabularies are one, within the limits from the first byte on.

    Raises InputError if the files can't be used, or compared; the message says why.
    """
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    try:
        with guard(watch.check):
            own = read_own(watch.check)
            world = open_other(watch.check)
            task = declare_synonyms(pair_domains(own, world.texts), declared)
            task = replace(task, notes=(*task.notes, *world.notes))
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        return Comparison(AlignmentResult(status, reason.sentence))
    simulator = world.simulator
    result = align(task, simulator, options, likeness, cancelled=cancelled, start=watch.start)
    goal, note = _translate_goal(result, task, world)
    if note:
        result = replace(result, notes=(*result.notes, note))
    return Comparison(result, task, own.domain.name, world.texts.domain.name, goal)


def _translate_goal(
    result: AlignmentResult, task: AlignmentTask, world: OtherWorld
) -> tuple[str, str]:
    """Return the goal in the words of the other domain, if it is one there, or else a note."""
    if result.plan is None:
        return "", ""
    synonyms = [one.proposal.synonym for one in result.mapping]
    goal = translate_goal(task, synonyms, world)
    fault = find_goal_fault(goal, world, result.plan) if goal else ""
    if fault:
        return "", f"The goal would be {goal}, but that can't be used: {fault}"
    return goal, ""
