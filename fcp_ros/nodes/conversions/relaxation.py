# SPDX-License-Identifier: Apache-2.0
"""Relaxations of a goal: those taken, those refused, and the relaxed goals that were looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fcp_ros.msg import ExploredRelaxation as ExploredMessage
from fcp_ros.msg import Relaxation as RelaxationMessage
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.planning.model.result import (
    ExploredRelaxation,
    Relaxation,
    RelaxationOutcome,
)

MOST_EXPLORED = 500
"""Relaxed goals of one message; the chosen one and those before it are always among them."""


def relaxations_to_ros(relaxations: Iterable[Relaxation]) -> list[RelaxationMessage]:
    """Write relaxations that were taken, or refused."""
    return [
        RelaxationMessage(
            kind=one.kind,
            original=one.original,
            replacement=one.replacement,
            degree=one.degree,
            reason=one.reason,
        )
        for one in relaxations
    ]


def relaxations_from_ros(messages: Iterable[RelaxationMessage]) -> tuple[Relaxation, ...]:
    """Read relaxations that were taken, or refused."""
    return tuple(
        Relaxation(one.kind, one.original, one.replacement, one.degree, one.reason)
        for one in messages
    )


def lattice_to_ros(explored: Sequence[ExploredRelaxation]) -> list[ExploredMessage]:
    """Write relaxed goals that were looked at, `MOST_EXPLORED` of them at most."""
    return [
        ExploredMessage(
            number=one.number,
            parent=one.parent,
            changes=list(one.changes),
            bound=one.bound,
            membership=one.membership,
            outcome=one.outcome.value,
            reason=one.reason,
        )
        for one in limit_explored(explored)
    ]


def limit_explored(explored: Sequence[ExploredRelaxation]) -> list[ExploredRelaxation]:
    """Return the first relaxed goals, and in any case the solved ones with their ancestors."""
    if len(explored) <= MOST_EXPLORED:
        return list(explored)
    by_number = {one.number: one for one in explored}
    kept: set[int] = set()
    for one in explored:
        number = one.number if one.outcome is RelaxationOutcome.SOLVED else -1
        while number in by_number and number not in kept:
            kept.add(number)
            number = by_number[number].parent
    for one in explored:
        if len(kept) >= MOST_EXPLORED:
            break
        kept.add(one.number)
    return [one for one in explored if one.number in kept]


def lattice_from_ros(messages: Iterable[ExploredMessage]) -> tuple[ExploredRelaxation, ...]:
    """Read relaxed goals that were looked at.

    Raises:
        ConversionError: an outcome is unknown.
    """
    return tuple(map(_read_explored, messages))


def _read_explored(message: ExploredMessage) -> ExploredRelaxation:
    try:
        outcome = RelaxationOutcome(message.outcome)
    except ValueError as error:
        raise ConversionError(f"the outcome of a relaxed goal: {error}") from None
    return ExploredRelaxation(
        message.number,
        message.parent,
        tuple(message.changes),
        message.bound,
        message.membership,
        outcome,
        message.reason,
    )
