# SPDX-License-Identifier: Apache-2.0
"""The moves between qstates: conditions and actions as bit masks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import (
    AbstractAction,
    Condition,
    Qnp,
    QnpError,
    QState,
    QualitativeChange,
)

MOST_DECREASED = 16
"""Numbers that one action may decrease: it has a successor for each subset that becomes zero."""


@dataclass(frozen=True, slots=True)
class BitCondition:
    """A condition on qstates."""

    care: int  # the variables that it names
    value: int

    def holds(self, state: QState) -> bool:
        """Return True if the condition holds in a qstate."""
        return state & self.care == self.value


@dataclass(frozen=True, slots=True)
class BitAction:
    """An action on qstates; all variables are masks."""

    name: str
    when: BitCondition
    raised: int  # variables that are one afterwards: set or increased
    cleared: int  # booleans that are false afterwards
    decreased: int  # numbers that may become zero
    increased: int  # numbers that become greater
    outcomes: tuple[int, ...]  # for each successor, the decreased numbers that become zero in it

    def successors(self, state: QState) -> tuple[QState, ...]:
        """Return the qstates that the action may lead to from one in which it applies."""
        stays = (state | self.raised) & ~self.cleared
        return tuple([stays & ~outcome for outcome in self.outcomes])


class EncodedQnp:
    """A QNP as bit masks."""

    def __init__(self, qnp: Qnp) -> None:
        """Encode a problem.

        Raises QnpError if an action decreases more than `MOST_DECREASED` numbers.
        """
        self.qnp = qnp
        bits = {name: 1 << bit for bit, name in enumerate(qnp.variables)}
        self.initial = _encode_condition(qnp.initial, bits)
        self.goal = _encode_condition(qnp.goal, bits)
        # its actions, in its order
        self.actions = tuple(_encode_action(action, bits) for action in qnp.actions)

    def list_initial(self) -> Iterator[QState]:
        """Yield every qstate in which the initial condition holds."""
        free = [1 << bit for bit in range(len(self.qnp.variables))]
        return (
            self.initial.value | more
            for more in _iterate_subsets([bit for bit in free if not bit & self.initial.care])
        )


def successors(qnp: Qnp, state: QState, action: str) -> tuple[QState, ...]:
    """Return the qstates that an action may lead to; none if it doesn't apply.

    Raises QnpError if there is no such action.
    """
    bits = {name: 1 << bit for bit, name in enumerate(qnp.variables)}
    encoded = _encode_action(qnp.action(action), bits)
    return encoded.successors(state) if encoded.when.holds(state) else ()


def _encode_condition(condition: Condition, bits: dict[str, int]) -> BitCondition:
    return BitCondition(
        sum(bits[name] for name in condition),
        sum(bits[name] for name, value in condition.items() if value),
    )


def _encode_action(action: AbstractAction, bits: dict[str, int]) -> BitAction:
    changed = {
        kind: [bits[name] for name, change in action.effects.items() if change is kind]
        for kind in QualitativeChange
    }
    decreased = changed[QualitativeChange.DECREASE]
    if len(decreased) > MOST_DECREASED:
        raise QnpError(
            f"action {action.name!r} decreases {len(decreased)} numbers: at most {MOST_DECREASED}; "
            "split it into several actions"
        )
    increased = sum(changed[QualitativeChange.INCREASE])
    return BitAction(
        name=action.name,
        when=_encode_condition(action.when, bits),
        raised=sum(changed[QualitativeChange.SET]) | increased,
        cleared=sum(changed[QualitativeChange.CLEAR]),
        decreased=sum(decreased),
        increased=increased,
        outcomes=tuple(_iterate_subsets(decreased)),
    )


def _iterate_subsets(bits: list[int]) -> Iterator[int]:
    """Yield the sum of every subset, the empty one first."""
    for number in range(1 << len(bits)):
        yield sum(bit for place, bit in enumerate(bits) if number >> place & 1)
