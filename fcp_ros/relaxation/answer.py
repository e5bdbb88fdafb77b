# SPDX-License-Identifier: Apache-2.0
"""From the search for a relaxation to the answer: status, chain, what was refused, a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.foundation.wording import list_names
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.result import (
    PlanningResult,
    PlanStatus,
    Relaxation,
    RelaxationKind,
)
from fcp_ros.relaxation.choices.requirements import GoalChange, RequirementChoice
from fcp_ros.relaxation.choices.stream import ChoiceStream
from fcp_ros.relaxation.lattice import Attempt, Found, Node
from fcp_ros.relaxation.worlds import WorldStream

MOST_REFUSED = 32
"""Refused changes that are told."""


class RelaxationAnswer:
    """Makes the answer of one request.

    Args:
        instance: the initial state.
        options: of the request.
        strict: the failure of the goal as stated.
        streams: the choices for each requirement.
    """

    def __init__(
        self,
        instance: Instance,
        options: PlanningOptions,
        strict: PlanningResult,
        streams: Sequence[ChoiceStream | WorldStream],
    ) -> None:
        self._instance = instance
        self._options = options
        self._strict = strict
        self._streams = streams

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
        chain = tuple(
            Relaxation(c.kind.value, c.original, c.replacement, c.degree, self._explain(c))
            for c in self._list_changes(node)
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
        return self._ask(result)

    @property
    def _decides_membership(self) -> bool:
        return self._options.optimise is Optimise.MEMBERSHIP

    def _ask(self, result: PlanningResult) -> PlanningResult:
        """Ask for a confirmation where the options want one."""
        assert result.plan is not None
        membership = result.plan.membership
        if membership >= self._options.confirm_below - EPSILON or not result.status.solved:
            return result
        changes = list_names((describe_change(one) for one in result.relaxations), 3)
        question = f"The goal cannot be met as stated. Shall I do it with {changes}?"
        return replace(
            result,
            status=PlanStatus.NEEDS_CLARIFICATION,
            confirmation=question,
            message=f"{question} {result.message}",
        )

    def _explain(self, change: GoalChange) -> str:
        """Explain a change in a sentence."""
        because = f" ({change.because})" if change.because else ""
        degree = f"{change.degree:.2f}"
        why = self._strict.message.rstrip(".")
        if change.kind is RelaxationKind.SUBSTITUTION:
            if self._is_absent(change.original):
                cause = f'Nothing here is a "{change.original}"'
            else:
                cause = f'No "{change.original}" will do ({why})'
            return (
                f"{cause}; {change.replacement} is a suitable substitute to degree "
                f"{degree}{because}."
            )
        if change.kind is RelaxationKind.DROP:
            return f"{change.original} is given up, which leaves {degree}{because}."
        if change.kind is RelaxationKind.FEWER:
            return f"Only {change.replacement} can be had: {change.original} ({degree}){because}."
        if change.kind is RelaxationKind.SPLIT:
            return (
                f"{change.original} is reached on the way, not in the end, to degree "
                f"{degree}{because}."
            )
        return f"{change.original} becomes {change.replacement} to degree {degree}{because}."

    def _is_absent(self, label: str) -> bool:
        instance = self._instance
        if instance.has(label):
            return False
        return not any(is_a(instance, element, label) for element in instance.all_elements())

    # --- no plan

    def _fail(self, found: Found) -> PlanningResult:
        strict, stopped = self._strict, found.interrupted
        best = None if found.attempt is None else found.attempt.result
        if stopped is not None and stopped.status is PlanStatus.CANCELLED:
            return replace(strict, status=stopped.status, message=stopped.sentence)
        below = found.below is not None and any(found.below) and best is not None
        message, membership = strict.message, strict.best_membership
        if below and best is not None and found.below is not None:
            changes = list_names(map(str, self._list_changes(found.below)), 3)
            message = f"{message} With {changes}: {best.message}"
            membership = max(membership, best.best_membership)
            strict = replace(strict, candidates=best.candidates)
        proven = found.complete or found.bound < strict.alpha - EPSILON
        if not proven and stopped is not None:
            message = f"{message} {stopped.sentence}"
            return replace(
                strict, status=stopped.status, message=message, best_membership=membership
            )
        status = PlanStatus.UNSOLVABLE_AT_ALPHA if below else strict.status
        if not found.complete and status is PlanStatus.UNSOLVABLE_PROVEN:
            status = PlanStatus.UNSOLVABLE_INCOMPLETELY
        return replace(strict, status=status, message=message, best_membership=membership)

    # --- changes

    def _list_changes(self, node: Node) -> Iterator[GoalChange]:
        for choice in self._list_choices(node):
            yield from choice.changes

    def _list_choices(self, node: Node) -> Iterator[RequirementChoice]:
        for stream, number in zip(self._streams, node, strict=True):
            choice = stream.find(number) if number else None
            if choice is not None:
                yield choice

    def _list_refused(self, node: Node | None) -> Iterator[Relaxation]:
        """Yield the changes that were looked at and not taken, requirement by requirement."""
        taken = set(map(str, self._list_changes(node))) if node is not None else set()
        seen: set[tuple[str, str, str]] = set()
        for position, stream in enumerate(self._streams):
            own = 0 if node is None else node[position]
            for number, choice in enumerate(stream.found):
                if number == own or len(choice.changes) != 1:
                    continue
                (change,) = choice.changes
                key = (change.kind.value, change.original, change.replacement)
                if str(change) in taken or key in seen:
                    continue
                seen.add(key)
                reason = "It did not lead to a plan."
                if number > own > 0:
                    reason = "Another change leads to a plan that is at least as good."
                elif own == 0:
                    reason = "It was not needed."
                yield Relaxation(*key, change.degree, reason)
            for one in stream.refused:
                key = (one.kind, one.original, one.replacement)
                if key not in seen:
                    seen.add(key)
                    yield one


def describe_change(relaxation: Relaxation) -> str:
    """Describe a change within a question."""
    if relaxation.kind == RelaxationKind.DROP.value:
        return f"{relaxation.original} left out"
    return f"{relaxation.replacement} in place of {relaxation.original}"
