# SPDX-License-Identifier: Apache-2.0
"""The wish behind a goal of ``achieve_goal``, from its first plan to the last replan.

Each plan is for the wish as it was stated: a relaxation is a plan's, never the wish's. So a goal
that had to be relaxed is strict again as soon as what was missing is there.
"""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass

from unique_identifier_msgs.msg import UUID

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.execution.goal_conflicts import Literals, add_literals
from fcp_ros.execution.kept_goals import (
    KeepSettings,
    Restorations,
    find_kept,
    find_unkeepable,
    is_kept,
)
from fcp_ros.msg import Interpretation, PlanRequest, PlanResult, Question
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.common import duration_to_ros, id_from_ros, id_to_ros
from fcp_ros.nodes.conversions.plan import absent_to_ros
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.executive.reports import GoalReport
from fcp_ros.planning.model.request import AbsentExecutor, Optimise
from fcp_ros.planning.model.result import Measure, PlanStatus, choose_status

# --- questions to whoever sent a goal: asked by feedback ---


@dataclass(frozen=True)
class QuestionAnswered:
    """Event: somebody answered the question with this id by the choice of this number."""

    id: str
    choice: int


class OpenQuestions:
    """The questions that goals wait with: at most one of each.

    `answer` is for rclpy's threads, `ask` for those of goals.
    """

    def __init__(self, threads: GoalThreads) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        # by their ids; under the lock
        self._open: dict[str, tuple[Question, GoalContext]] = {}

    def answer(self, id_message: UUID, choice: int) -> str:
        """Hand an answer to the goal that waits for it.

        Returns a sentence why the answer can't be taken; "" if it was.
        """
        id_ = id_from_ros(id_message)
        with self._lock:
            if id_ not in self._open:
                return "Nobody waits for an answer to this question: it was answered, or is over."
            question, context = self._open[id_]
            if not 0 <= choice < len(question.choices):
                last = len(question.choices) - 1
                return f"There is no choice {choice}: give a number from 0 to {last}."
            del self._open[id_]  # the first answer counts
        self._threads.post_to(context, QuestionAnswered(id_, choice))
        return ""

    def ask(
        self, context: GoalContext, question: Question, timeout: float, report: GoalReport
    ) -> int | None:
        """Ask a question, and wait for the answer.

        Returns the number of the choice; None without an answer.

        Args:
            context: the goal; the wait ends when it is cancelled.
            question: the question; its id and time-out are set here.
            report: tells everybody about the question.
        """
        if context.is_cancelled:  # the event that told of it may have been taken already
            return None
        id_ = str(uuid.uuid4())
        question.id = id_to_ros(id_)
        question.timeout = duration_to_ros(timeout)
        with self._lock:
            self._open[id_] = question, context
        report.on_question(question)
        try:
            for event in self._threads.wait_events(context, timeout):
                if isinstance(event, QuestionAnswered) and event.id == id_:
                    return event.choice
                if context.is_cancelled:
                    return None
        finally:
            with self._lock:
                self._open.pop(id_, None)
            report.on_question(Question())
        return None


# --- the wish behind a goal of ``achieve_goal`` ---

Change = tuple[str, str, str]
"""A relaxation: kind, original, replacement."""
_BELOW_ALPHA: Change = ("", "", "")
"""What is confirmed of a plan for the goal as stated."""


class StandingWish:
    """The request that the planner gets, and what was settled about it.

    An instruction is read once, and plans are made for the goal that it was read as; its words go
    with that, since they say what for, and that somebody is to be asked. It is read again only if
    that goal makes no sense any more, such as when a thing that it names is gone. Of a goal that
    wants something kept, plans are made for that, and for nothing less: else it would never be met.
    """

    def __init__(self, request: PlanRequest) -> None:
        self.request = deepcopy(request)
        self._absent = list(request.absent)  # what whoever asks does without
        self._is_strict = bool(request.forbid_relaxation)
        self.kept = ""  # the goal, if it stays in force when it is met
        self._aim_at(request.goal, keeps=True)
        self._interpretation = Interpretation()
        self._is_fresh = True  # the newest result is for the instruction itself
        self._confirmed: set[Change] = set()
        self.is_hurried = False  # the deadline of the first plan can't be kept by that plan

    def _aim_at(self, goal: str, *, keeps: bool) -> None:
        """Plan for a goal from now on; or, if it `keeps` something, for what it wants kept.

        "Don't touch the vase" keeps nothing: who takes it must not have it put back.
        """
        condition = find_kept(goal) if keeps else ""
        self.kept = goal if condition else ""
        self.goal = self.request.goal = condition or goal
        if condition:
            self.request.forbid_relaxation = self._is_strict = True

    def do_without(
        self,
        absent: Collection[AbsentExecutor],
        busy: Collection[AbsentExecutor] = (),
        *,
        waits: bool = False,
    ) -> None:
        """Ask for a plan without these executors, for now.

        Those that are `busy` will be there again, which the plan `waits` for, or does without: less
        than the goal is no substitute for them.
        """
        gone = {*absent} if waits else {*absent, *busy}
        self.request.absent = [*self._absent, *absent_to_ros(gone)]
        self.request.forbid_relaxation = self._is_strict or waits or bool(busy)

    def count_on(self, underway: list[PlanStepMessage]) -> None:
        self.request.underway = underway

    def keep_too(self, reached: Literals) -> None:
        """Ask for a plan that keeps what other goals will have reached before it; or for any."""
        self.request.goal = add_literals(self.goal, reached) if reached else self.goal

    def hurry(self, left: float) -> None:
        """Ask for a plan that takes the time that is left at most (s)."""
        self.request.deadline = duration_to_ros(left)
        self.is_hurried = True

    def note_reading(self, result: PlanResult) -> None:
        """Keep the goal that an instruction was read as; give it to results that lack it."""
        if self.request.goal != self.goal:
            result.plan.goal = self.goal  # as asked
        reading = result.interpretation
        self._is_fresh = reading.status != Interpretation.NONE
        if reading.status == Interpretation.READ and reading.readings:
            self._interpretation = reading
            self._aim_at(reading.readings[0].goal, keeps=reading.readings[0].keeps)
        elif reading.status == Interpretation.NONE:
            result.interpretation = self._interpretation

    def choose_reading(self, result: PlanResult, choice: int) -> None:
        reading = deepcopy(result.interpretation)
        chosen = reading.readings[choice]
        others = [one for one in reading.readings if one is not chosen]
        reading.status = Interpretation.READ
        reading.message = f"Understood after asking: {chosen.paraphrase}"
        reading.readings = [chosen, *others]
        reading.question, reading.choices = "", []
        self._interpretation = reading
        self._aim_at(chosen.goal, keeps=chosen.keeps)

    def read_again(self, result: PlanResult) -> bool:
        """Go back to the instruction if the goal that it was read as makes no sense any more.

        Returns True if the planner is to be asked again, with the instruction.
        """
        refused = result.status.code == PlanStatus.INVALID_REQUEST.value
        was_read = self._interpretation.status == Interpretation.READ
        if self._is_fresh or not (refused and was_read):
            return False
        self._aim_at("", keeps=False)
        self._interpretation = Interpretation()
        return True

    def is_confirmed(self, result: PlanResult) -> bool:
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


# --- a goal from turn to turn: what it keeps is restored when it is undone ---

WORTH_ANOTHER_TURN = frozenset(
    {
        GoalError.PLANNING_FAILED,
        GoalError.REPLANS_EXHAUSTED,
        GoalError.NO_EXECUTOR,
        GoalError.TIMED_OUT,
        GoalError.EXECUTOR_LOST,
        GoalError.SCENE_LOST,
        GoalError.NAME_CONFLICT,
        GoalError.TOO_LATE,
    }
)
"""Ends of an attempt to restore what is kept after which another one, later, may succeed."""


class GoalKeeping:
    """A goal between its turns. All methods belong to the threads of goals."""

    def __init__(
        self,
        request: PlanRequest,
        domain: Domain,
        find_present: Callable[[], Instance | None],  # returns the state as it is seen
        settings: KeepSettings,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.wish = StandingWish(request)
        self.is_in_force = False  # it was met, and may have been undone since
        self._domain = domain
        self._find_present = find_present
        self._attempts = Restorations(settings)
        self._now = now
        self._problem = ""  # of the last attempt
        self._seen: tuple[str, Instance, bool] | None = None  # what was looked at last

    def find_unkeepable(self) -> str:
        """Say why what the goal wants kept can't be watched; "" if it can, or there is none."""
        present = self._find_present()
        if not self.wish.kept or present is None:
            return ""
        return find_unkeepable(self.wish.kept, self._domain, present)

    @property
    def is_met(self) -> bool:
        """True while all that is kept holds, as far as anything is seen."""
        present, kept = self._find_present(), self.wish.kept
        if present is None:
            return True
        if self._seen is None or self._seen[0] != kept or self._seen[1] is not present:
            self._seen = kept, present, is_kept(kept, self._domain, present)
        return self._seen[2]

    def find_excess(self) -> str:
        """Say that it had to be restored too often; "" if it may be tried again."""
        excess = self._attempts.find_excess(self._now())
        return f"{excess} {self._problem}".rstrip() if excess else ""

    def is_to_rest(self, code: int, message: str) -> bool:
        """Take note of the end of a turn; return True if the goal stays in force after it."""
        if not self.wish.kept:
            return False
        has_succeeded = code == int(GoalError.NONE)
        if not self.is_in_force:  # as long as it was never met, it ends as other goals do
            self.is_in_force = has_succeeded
            return has_succeeded
        self._attempts.note_end(self._now())
        self._problem = "" if has_succeeded else message
        return has_succeeded or code in WORTH_ANOTHER_TURN

    def find_turn(self) -> float:
        """Return when the goal has to be worked on again (s); infinity while it is met."""
        return math.inf if self.is_met else self._attempts.find_start(self._now())

    def describe(self) -> str:
        total = self._attempts.total
        often = f" It was worked on again {total} time{'' if total == 1 else 's'}." if total else ""
        if not self._problem:
            return f"It holds, and is kept.{often}"
        wait = max(0.0, self._attempts.find_start(self._now()) - self._now())
        return f"It is tried again in {wait:.0f} s: {self._problem}{often}"
