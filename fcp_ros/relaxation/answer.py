# SPDX-License-Identifier: Apache-2.0
"""From the search for a relaxation to the answer: status, chain, what was refused, a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.foundation.wording import list_names
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, Relaxation
from fcp_ros.relaxation.choices.requirements import GoalChange
from fcp_ros.relaxation.choices.stream import ChoiceStream
from fcp_ros.relaxation.lattice import Attempt, Found, Node
from fcp_ros.relaxation.wording import ChangeWords, RequirementChange, find_blockers
from fcp_ros.relaxation.worlds import WorldStream

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
        """Make the answer."""
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
