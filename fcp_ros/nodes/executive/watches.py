# SPDX-License-Identifier: Apache-2.0
"""The executive's watches: over servers, the scene graph, and names that effects arrive under."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rclpy.publisher import Publisher

from fcp_ros.alignment.name_book import NameAnswer, NameBook, NoSuchPair, StepView
from fcp_ros.alignment.synonyms import Synonym, SynonymEvidence
from fcp_ros.cset import Fact
from fcp_ros.domain.model import Domain
from fcp_ros.execution.events import SceneFound, SceneLost
from fcp_ros.msg import Question
from fcp_ros.nodes.conversions.synonyms import proposals_to_ros
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery
from fcp_ros.nodes.executive.server_clients import ACTION, PlannerClient, StepClients
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefused
from fcp_ros.nodes.scene_access.follower import WorldState
from fcp_ros.nodes.scene_access.owner import SceneOwner
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import holds
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.relation_options import ON_REQUEST
from fcp_ros.srv import SettleName


class HindranceLook:
    """Looks for what hinders goals, for the diagnostics: seldom while it finds nothing.

    A look asks discovery and the kernel about the server of each action: three quarters of what an
    idle executive computed when it was made with every message of ``/diagnostics``. Goals don't
    rest on it: whoever sends a step looks then.

    Args:
        look: Returns errors and the names of missing servers.
        period: Time until the next look after one that found nothing (s).
    """

    def __init__(
        self,
        look: Callable[[], tuple[list[str], list[str]]],
        period: float = 5.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._period = period
        self._now = now
        self._next = now()

    def find(self) -> tuple[list[str], list[str]]:
        """Find errors and missing servers; what is wrong is looked at again each time."""
        now = self._now()
        if now < self._next:
            return [], []
        errors, missing = self._look()
        self._next = now if errors or missing else now + self._period
        return errors, missing


def find_hindrances(
    clients: StepClients, planner: PlannerClient, delivery: OutcomeDelivery
) -> tuple[list[str], list[str]]:
    """Find what keeps goals from being worked on, and the servers that are not there."""
    doubled, executors = clients.list_problems()
    missing = [] if planner.is_there else [ACTION]
    missing += [] if delivery.is_served else ["record_outcomes (the grounder)"]
    return doubled, missing + executors


@dataclass(frozen=True)
class SceneNews:
    """Event: the scene graph was lost, or is kept again; `SceneWatch.look` tells which."""


class SceneWatch:
    """Tells each goal, in its thread, when the scene graph is lost and when it is back.

    `threads`: gets a `SceneNews` for the goal at each change. `owner`: knows if the scene graph is
    kept up to date.
    """

    def __init__(self, threads: GoalThreads, owner: SceneOwner) -> None:
        self._threads = threads
        self._owner = owner
        self._is_lost: dict[bytes, bool] = {}  # goal that watches -> what it was told last

    def begin(self, context: GoalContext) -> None:
        """Begin to watch; what is wrong already is told by the first `look`."""
        self._arm(context, is_lost=False)

    def look(self, context: GoalContext) -> SceneLost | SceneFound | None:
        problem = self._owner.find_problem()
        if bool(problem) == self._is_lost[context.key]:
            return None
        self._arm(context, is_lost=bool(problem))
        return SceneLost(problem) if problem else SceneFound()

    def end(self, context: GoalContext) -> None:
        self._is_lost.pop(context.key, None)
        self._owner.unwatch(context.key.hex())

    def await_owner(
        self, context: GoalContext, seconds: float, report: Callable[[str], None]
    ) -> str:
        """Wait until the scene graph is kept up to date.

        `context`: the goal; the wait ends at once when it is cancelled. `report`: gets the reason
        for the wait. Returns a sentence why it is still stale; "" if it is not.
        """
        problem = self._owner.find_problem()
        if not problem or context.is_cancelled:
            return problem
        is_watching = context.key in self._is_lost
        report(problem)
        self._arm(context, is_lost=True)
        try:
            for _ in self._threads.wait_events(context, seconds):
                problem = self._owner.find_problem()
                if not problem or context.is_cancelled:
                    return problem
            return self._owner.find_problem()
        finally:
            if is_watching:  # for a plan of which steps are still being done
                self._arm(context, is_lost=False)
            else:
                self.end(context)

    def _arm(self, context: GoalContext, *, is_lost: bool) -> None:
        self._is_lost[context.key] = is_lost
        self._owner.watch(
            context.key.hex(),
            not is_lost,
            lambda: self._threads.post_to(context, SceneNews(), "scene news"),
        )


# --- names of perception that a plan's effects arrive under: noticed, published, settled


DERIVED = frozenset(ON_REQUEST) | {"on", "inside", "in_room", "connected", "attached"}
"""Relations of scene graphs that are derived, or read in a way of their own: no unknown names."""

ANSWERS = {
    SettleName.Request.KEEP: NameAnswer.KEEP,
    SettleName.Request.REFUSE: NameAnswer.REFUSE,
    SettleName.Request.FORGET: NameAnswer.FORGET,
}
"""Number of an answer in a request -> the answer."""


class NameWatch:
    """Notices effects that arrive under another name, and keeps what is said about them.

    `begin` and `end` belong to the threads of goals, `settle` may be called from any.
    """

    def __init__(
        self,
        domain: Domain,
        book: NameBook,
        publisher: Publisher,
        now: Callable[[], Any],  # returns the ROS time as a message
        say: Callable[[str], object],  # writes a sentence to the node's log
    ) -> None:
        self._known = DERIVED | {relation.name for relation in domain.schema.relations}
        self._book = book
        self._publisher = publisher
        self._now = now
        self._say = say
        self._before: SceneGraph | None = None
        self._noticed: dict[Synonym, None] = {}

    @property
    def waiting(self) -> tuple[Synonym, ...]:
        """The pairs that wait for an answer, the likeliest first."""
        return tuple(one.proposal.synonym for one in self._book.open)

    @property
    def pairs(self) -> tuple[SynonymEvidence, ...]:
        return self._book.pairs

    @property
    def note(self) -> str:
        """A sentence about the file of the pairs; "" if all is well."""
        return self._book.note

    def begin(self, state: WorldState | None) -> None:
        """Take the world as it is when a step begins; None: nothing is learned from its end."""
        self._before = None if state is None else state.graph

    def end(
        self, step: PlanStep, find_expected: Callable[[], frozenset[Fact]], state: WorldState
    ) -> tuple[Synonym, ...]:
        """Learn from the end of a step.

        `find_expected`: returns the facts that it should have made true. Returns the pairs of names
        that it speaks for and that wait for an answer.
        """
        before, self._before = self._before, None
        if before is None:
            return ()
        expected = find_expected()
        missing = frozenset(fact for fact in expected if not holds(fact, state.instance))
        view = StepView(str(step), expected, missing, before, state.graph, self._known)
        found = self._book.learn(view)
        self._noticed.update(dict.fromkeys(found))
        if found:
            names = ", ".join(map(str, found))
            self._say(
                f"Perception may use other names: {names}. Answer with the service settle_name "
                "(KEEP or REFUSE)."
            )
            self.publish()
        return found

    def take_questions(self) -> Iterator[tuple[Question, Synonym]]:
        """Yield a question for each pair noticed since the last call, the likeliest first."""
        noticed, self._noticed = self._noticed, {}
        for pair in self._book.open:
            synonym = pair.proposal.synonym
            if synonym in noticed:
                reason = pair.proposal.reasons[0]
                text = f"{reason[:1].upper()}{reason[1:]}. Do both mean the same, {synonym}?"
                yield Question(kind=Question.NAMES, text=text, choices=["yes", "no"]), synonym

    def settle(self, source: str, target: str, answer: int, places: list[int]) -> str:
        """Take an answer; return a sentence about what follows.

        Raises RequestRefused if there is no such answer or pair.
        """
        if answer not in ANSWERS:
            sentence = f"There is no answer {answer}: give KEEP (0), REFUSE (1) or FORGET (2)."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        try:
            synonym = self._book.settle(source, target, ANSWERS[answer], places)
        except NoSuchPair as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
        self.publish()
        consequence = {
            NameAnswer.KEEP: "is used from now on",
            NameAnswer.REFUSE: "is not proposed again",
            NameAnswer.FORGET: "is forgotten",
        }[ANSWERS[answer]]
        return f"{synonym} {consequence}."

    def publish(self) -> None:
        self._publisher.publish(proposals_to_ros(self.pairs, self._now()))

    def close(self) -> None:
        self._book.close()
