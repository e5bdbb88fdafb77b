# SPDX-License-Identifier: Apache-2.0
"""From a goal's text to a result: parse, check, plan as stated, and relax only if that fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError
from fcp_ros.foundation.wording import list_names
from fcp_ros.fuzzy import EPSILON
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import MembershipMemory, find_failure_status
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import Optimise, Phase, PlanningOptions, Progress
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, Relaxation
from fcp_ros.planning.model.watch import Interrupted, RequestStart
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningRequest, PlanningSession
from fcp_ros.relaxation.acceptance import explain_below_alpha
from fcp_ros.relaxation.engine import GoalRelaxation, describe_effort
from fcp_ros.relaxation.lattice import Attempt, Found, Node
from fcp_ros.relaxation.requirements import GoalChange
from fcp_ros.relaxation.stream import ChoiceStream
from fcp_ros.relaxation.wording import ChangeWords, RequirementChange, find_blockers
from fcp_ros.relaxation.worlds import PlanningWorld, WorldStream, remove_asking

MOST_REFUSED = 32
"""Refused changes that are told."""


class RelaxationAnswer:
    """Makes the answer of one request; `strict` is the failure of the goal as stated."""

    def __init__(
        self,
        options: PlanningOptions,
        strict: PlanningResult,
        streams: Sequence[ChoiceStream | WorldStream],
        words: ChangeWords,
    ) -> None:
        self._options = options
        self._strict = strict
        self._streams = streams
        self._words = words

    def conclude(self, found: Found) -> PlanningResult:
        if found.node is not None and found.attempt is not None:
            result = self._accept(found, found.node, found.attempt)
        else:
            result = self._fail(found)
        node = found.node or found.below
        refused = tuple(self._list_refused(node))[:MOST_REFUSED]
        return replace(result, explored=found.explored, refused_relaxations=refused)

    # --- a plan

    def _accept(self, found: Found, node: Node, attempt: Attempt) -> PlanningResult:
        result = attempt.result
        assert result is not None
        assert result.plan is not None
        blockers = find_blockers(found.conflicts)
        chain = tuple(
            _make_relaxation(one.change, self._words.explain(one, blockers))
            for one in self._list_changes(node)
        )
        reasons = " ".join(one.reason for one in chain)
        message = f"{reasons} {result.message}".strip()
        proven = not self._decides_membership or (
            found.complete or attempt.membership >= found.bound - EPSILON
        )
        if not proven:
            open_ = "it was not settled whether another relaxation is better"
            stopped = f" {found.interrupted.sentence}" if found.interrupted is not None else ""
            message = f"{message.rstrip('.')}; {open_}.{stopped}"
            result = replace(result, status=PlanStatus.SOLVED_SATISFICING, optimal_in=())
        cancelled = found.interrupted
        if cancelled is not None and cancelled.status is PlanStatus.CANCELLED:
            result = replace(result, status=PlanStatus.CANCELLED)
        result = replace(result, relaxations=chain, message=message)
        return self._ask(result, node)

    @property
    def _decides_membership(self) -> bool:
        return self._options.optimise is Optimise.MEMBERSHIP

    def _ask(self, result: PlanningResult, node: Node) -> PlanningResult:
        """Ask for a confirmation where the options want one.

        A poor substitute is asked about, however small a part of the goal it is.
        """
        assert result.plan is not None
        degrees = [one.change.degree for one in self._list_changes(node)]
        least = min([result.plan.membership, *degrees])
        if least >= (self._options.confirm_below or 0.0) - EPSILON or not result.status.solved:
            return result
        changes = self._name_changes(node)
        question = f"The goal cannot be met as stated. Shall I do it with {changes}?"
        return replace(
            result,
            status=PlanStatus.NEEDS_CLARIFICATION,
            confirmation=question,
            message=f"{question} {result.message}",
        )

    # --- no plan

    def _fail(self, found: Found) -> PlanningResult:
        strict, stopped = self._strict, found.interrupted
        best = None if found.attempt is None else found.attempt.result
        if stopped is not None and stopped.status is PlanStatus.CANCELLED:
            return replace(strict, status=stopped.status, message=stopped.sentence)
        below = found.below is not None and any(found.below) and best is not None
        message, membership = strict.message, strict.best_membership
        if below and best is not None and found.below is not None:
            message = f"{message} With {self._name_changes(found.below)}: {best.message}"
            membership = max(membership, best.best_membership)
            strict = replace(strict, candidates=best.candidates)
        proven = found.complete or found.bound < strict.alpha - EPSILON
        if not proven and stopped is not None:
            message = f"{message} {stopped.sentence}"
            return replace(
                strict, status=stopped.status, message=message, best_membership=membership
            )
        status = PlanStatus.UNSOLVABLE_AT_ALPHA if below else strict.status
        if not proven or (not found.complete and status is PlanStatus.UNSOLVABLE_PROVEN):
            status = PlanStatus.UNSOLVABLE_INCOMPLETELY
            message = f"{message} It was not settled whether another relaxation leads to a plan."
        return replace(strict, status=status, message=message, best_membership=membership)

    # --- changes

    def _name_changes(self, node: Node) -> str:
        return list_names(map(self._words.name, self._list_changes(node)), 3)

    def _list_changes(self, node: Node) -> Iterator[RequirementChange]:
        for position, (stream, number) in enumerate(zip(self._streams, node, strict=True)):
            choice = stream.find(number) if number else None
            for change in choice.changes if choice is not None else ():
                yield RequirementChange(position, change)

    def _list_refused(self, node: Node | None) -> Iterator[Relaxation]:
        """Yield the changes that were looked at and not taken, requirement by requirement."""
        taken = self._list_changes(node) if node is not None else ()
        seen = {_identify(one.change) for one in taken}
        for one, reason in self._list_untaken(node):
            key = _identify(one.change)
            if key not in seen:
                seen.add(key)
                yield _make_relaxation(one.change, f"{self._name(one)}: {reason}")

    def _list_untaken(self, node: Node | None) -> Iterator[tuple[RequirementChange, str]]:
        """Yield changes that a node does without, with the reason as a clause."""
        for position, stream in enumerate(self._streams):
            own = 0 if node is None else node[position]
            for number, choice in enumerate(stream.found):
                if number != own and len(choice.changes) == 1:
                    reason = _explain_refusal(number, own)
                    yield RequirementChange(position, choice.changes[0]), reason
            for refused in stream.refused:
                yield RequirementChange(position, refused.change), refused.reason

    def _name(self, one: RequirementChange) -> str:
        name = self._words.name(one)
        return name[:1].upper() + name[1:] if name.startswith(("any ", "help ")) else name


def _explain_refusal(number: int, own: int) -> str:
    """Explain why the choice with a number was not taken, but `own`."""
    if own == 0:
        return "it was not needed."
    if number > own:
        return "another change leads to a plan that is at least as good."
    return "it did not lead to a plan."


def _identify(change: GoalChange) -> tuple[str, str, str]:
    return change.kind.value, change.original, change.replacement


def _make_relaxation(change: GoalChange, reason: str) -> Relaxation:
    return Relaxation(change.kind.value, change.original, change.replacement, change.degree, reason)


# --- from a text to a result


_LOG = logging.getLogger(__name__)

_RELAXABLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA)


def plan_goal(
    request: PlanningRequest,
    # what somebody said that it is for, such as "calling a doctor"; substitutes are judged for
    # that, too
    purpose: str = "",
) -> PlanningResult:
    """Plan a goal as a user wrote it.

    Returns:
        the result; nothing is raised. A goal that can't be read is INVALID_REQUEST, and the message
        points at the character. A relaxed result lists its changes with their reasons.
    """
    options, text = request.options, str(request.goal)
    request = replace(
        request,
        memberships=MembershipMemory(request.memberships),
        start=request.start or RequestStart.now(),
    )
    request.progress(Progress(Phase.PARSE))
    try:
        goal = request.read_goal()
    except ExpressionError as error:
        return PlanningResult(
            PlanStatus.INVALID_REQUEST, str(error), goal=text, alpha=options.alpha
        )
    session = request.session
    if (session is not None and session.domain is not request.domain) or find_problems(options):
        return plan(replace(request, goal=goal))
    asked = _GoalRequest(request, goal, purpose)
    try:
        here = asked.open_world()
        strict = asked.plan(goal, options, here, is_as_stated=True)
        if strict.status is PlanStatus.UNSOLVABLE_AT_ALPHA:
            strict = asked.explain_below_alpha(here, strict)
            if strict.plan is not None:
                return strict
    except Interrupted as reason:
        return PlanningResult(reason.status, reason.sentence, goal=text, alpha=options.alpha)
    relaxes = options.allow_relaxation and not request.domain.relaxing.allows_nothing
    if strict.status not in _RELAXABLE or not relaxes:
        return strict
    return asked.relax(here, strict)


@dataclass(frozen=True)
class _GoalRequest:
    """The request, which is the same for the goal as stated and for its relaxations."""

    request: PlanningRequest
    goal: Expression  # checked
    purpose: str

    def open_world(self) -> PlanningWorld:
        """Make the world as it is, without the rules that ask a person; may be `Interrupted`."""
        request = self.request
        check = request.watch(Phase.PARSE).check
        whole = request.session or PlanningSession(request.domain, check=check)
        own = whole.restrict(remove_asking, check)
        return PlanningWorld(request.instance, own, self.make_proofs(own, request.instance))

    def make_proofs(self, session: PlanningSession, state: Instance) -> GoalProofs:
        """Make the proofs about goals in a world."""
        return GoalProofs(replace(self.request, instance=state), session)

    def plan(
        self,
        wanted: Expression,
        options: PlanningOptions,
        world: PlanningWorld,
        is_as_stated: bool = False,
    ) -> PlanningResult:
        """Plan a goal in a world, within the limits of the request.

        Policies suggest plans for the goal as stated only, and only there steps decide between
        memberships that are nearly equal: relaxed goals are compared by their best plans.
        """
        if not is_as_stated:
            options = replace(options, indifference=0.0)
        return plan(
            replace(
                self.request,
                domain=world.domain,
                instance=world.instance,
                goal=wanted,
                options=options,
                session=world.session,
                explain_conflict=is_as_stated,
                take_suggestions=is_as_stated,
            )
        )

    def explain_below_alpha(self, here: PlanningWorld, strict: PlanningResult) -> PlanningResult:
        """Propose a plan that is only long, or say what keeps all plans below alpha."""
        looked = explain_below_alpha(
            strict,
            self.request.options,
            lambda options: self.plan(self.goal, options, here),
            here.domain,
            here.instance,
        )
        if looked.plan is None:
            return looked
        return describe_effort(looked, strict.expansions, strict.timings, here.proofs.elapsed)

    def relax(self, here: PlanningWorld, strict: PlanningResult) -> PlanningResult:
        """Relax the goal after its failure as stated; every failure is a status with a sentence."""
        relaxing = _Relaxing(self, here)
        result = replace(
            relaxing.answer(strict), expansions=strict.expansions, timings=strict.timings
        )
        elapsed = here.proofs.elapsed
        return describe_effort(result, relaxing.expansions, relaxing.timings, elapsed)


class _Relaxing:
    """The relaxation of one goal, and the effort that it took so far."""

    def __init__(self, request: _GoalRequest, here: PlanningWorld) -> None:
        self._request = request
        self._here = here
        self.expansions = 0
        self.timings: Mapping[str, float] = {}

    def answer(self, strict: PlanningResult) -> PlanningResult:
        """Relax the goal after its failure as stated."""
        try:
            return self._relax(strict)
        except Interrupted as reason:
            text = f"{strict.message} {reason.sentence}"
            return replace(strict, status=reason.status, message=text)
        except GroundingError as error:
            text = f"{strict.message} It could not be relaxed: {error.sentence}"
            return replace(strict, status=find_failure_status(error), message=text)
        except MemoryError:
            text = f"{strict.message} The process ran out of memory."
            return replace(strict, status=PlanStatus.MEMOUT, message=text)
        except Exception as error:
            _LOG.exception("relaxing failed")
            text = f"Relaxing failed ({type(error).__name__}: {error}): please report this."
            message = f"{strict.message} {text}"
            return replace(strict, status=PlanStatus.INTERNAL_ERROR, message=message)

    def _relax(self, strict: PlanningResult) -> PlanningResult:
        asked, options = self._request, self._request.request.options
        relaxation = GoalRelaxation(
            asked.request.domain,
            self._here,
            asked.goal,
            options,
            asked.make_proofs,
            asked.plan,
            asked.purpose,
        )
        self.timings = relaxation.timings
        strict = replace(strict, message=relaxation.words.tell_failure(strict))
        found = relaxation.search(strict)
        streams, words = relaxation.streams, relaxation.words
        result = RelaxationAnswer(options, strict, streams, words).conclude(found)
        if result.plan is None and result.status in _RELAXABLE:
            result = _add_missing(result, *relaxation.find_missing())
        if result.plan is not None and found.node is not None:
            shifts = tuple(relaxation.find_shifts(found.node))
            result = replace(result, plan=replace(result.plan, shifts=shifts))
        self.expansions = relaxation.expansions
        return result


def _add_missing(result: PlanningResult, would_take: str, unknown: str) -> PlanningResult:
    message = " ".join(one for one in (result.message, would_take, unknown) if one)
    return replace(result, would_take=would_take, message=message)
