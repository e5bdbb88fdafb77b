# SPDX-License-Identifier: Apache-2.0
"""Qualitative numeric problems (QNPs): variables, conditions, abstract actions.

A QNP has boolean variables, and numeric ones of which only "zero or greater" is known. An action
sets or clears booleans and increases or decreases numbers by unknown amounts: a decreased number
may become zero or stay greater than zero. Bonet and Geffner, "Qualitative Numeric Planning:
Reductions and Complexity", JAIR 2020.

A qualitative state (qstate) is an int: bit i is the value of the i-th variable, booleans first. For
a number, 1 means greater than zero.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import suggest_name

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FrozenMapping(Mapping[K, V], Generic[K, V]):
    """A mapping that never changes; equal to any mapping with the same entries.

    Iteration follows the order of the entries it was made from. Changed copies cost linear time:
    for large tables, `foundation` has others.
    """

    __slots__ = ("_entries", "_hash")

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        """Copy the entries. `entries`: the contents; None for an empty mapping."""
        self._entries = dict(entries or {})
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._entries.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenMapping({self._entries!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Not the hash: those of strings differ from process to process.
        return FrozenMapping, (self._entries,)


QState: TypeAlias = int
"""Values of all variables as bits; see the head of this file."""

Condition: TypeAlias = Mapping[str, bool]
"""Variables and their values: a boolean is true or false, a number greater than zero or zero."""

QnpPolicy: TypeAlias = Mapping[QState, tuple[str, ...]]
"""Names of the actions that may be taken in a qstate; any one of several."""

MOST_VARIABLES = 60
MOST_ACTIONS = 10_000


class QnpError(InputError):
    """A QNP, or a part of one, that can't be used; the message says what to do."""


class QualitativeChange(Enum):
    """A change of a variable: SET and CLEAR are for booleans, the others for numbers."""

    SET = "set"
    CLEAR = "clear"
    INCREASE = "increase"
    DECREASE = "decrease"

    @property
    def is_numeric(self) -> bool:
        return self in (QualitativeChange.INCREASE, QualitativeChange.DECREASE)

    @property
    def raises(self) -> bool:
        """True if the variable's value is true, or greater than zero, afterwards for certain."""
        return self in (QualitativeChange.SET, QualitativeChange.INCREASE)


@dataclass(frozen=True, slots=True)
class AbstractAction:
    """An action of a QNP."""

    name: str  # of the action, without blanks
    when: Condition  # what must hold; a number that is decreased must be greater than zero
    effects: Mapping[str, QualitativeChange]

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", FrozenMapping(self.when))
        object.__setattr__(self, "effects", FrozenMapping(self.effects))


@dataclass(frozen=True, slots=True)
class Qnp:
    """A qualitative numeric problem.

    Raises:
        QnpError: A name is unknown, used twice or has blanks, a change doesn't fit its variable, a
            decreased number isn't required to be greater than zero, or there are too many parts.
    """

    name: str  # of the problem, without blanks
    booleans: tuple[str, ...]  # names of the boolean variables
    numerics: tuple[str, ...]  # names of the numeric variables
    initial: Condition  # the initial values; a variable without one may have either
    goal: Condition
    actions: tuple[AbstractAction, ...]

    def __post_init__(self) -> None:
        """Freeze the conditions and check everything."""
        object.__setattr__(self, "initial", FrozenMapping(self.initial))
        object.__setattr__(self, "goal", FrozenMapping(self.goal))
        check_variables(self.booleans, self.numerics)
        check_name("the QNP", self.name)
        known = set(self.variables)
        check_condition("the initial condition", self.initial, known)
        check_condition("the goal", self.goal, known)
        if len(self.actions) > MOST_ACTIONS:
            raise QnpError(f"{len(self.actions)} actions are too many: at most {MOST_ACTIONS}")
        names: set[str] = set()
        for action in self.actions:
            if action.name in names:
                raise QnpError(f"two actions are called {action.name!r}: rename one")
            names.add(action.name)
            check_action(action, set(self.booleans), set(self.numerics))

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables in the order of their bits in a qstate."""
        return self.booleans + self.numerics

    def is_goal(self, state: QState) -> bool:
        bits = enumerate(self.variables)
        return all(
            bool(state >> bit & 1) == self.goal[name] for bit, name in bits if name in self.goal
        )

    def action(self, name: str) -> AbstractAction:
        """Return the action of that name. Raises QnpError if there is none."""
        for action in self.actions:
            if action.name == name:
                return action
        known = (action.name for action in self.actions)
        raise QnpError(f"no action {name!r} in QNP {self.name!r}: {suggest_name(name, known)}")


def encode_state(qnp: Qnp, values: Condition) -> QState:
    """Return the qstate in which the variables have these values.

    Raises QnpError if a variable is unknown or has no value.
    """
    check_condition("the qstate", values, set(qnp.variables))
    missing = [name for name in qnp.variables if name not in values]
    if missing:
        raise QnpError(f"the qstate gives no value of {', '.join(missing)}")
    return sum(1 << bit for bit, name in enumerate(qnp.variables) if values[name])


def encode_values(values: Sequence[int]) -> QState:
    qstate, bit = 0, 1
    for value in values:  # at each step of a policy: faster than a sum
        if value > 0:
            qstate |= bit
        bit <<= 1
    return qstate


def decode_state(qnp: Qnp, state: QState) -> Condition:
    """Return the value of every variable in a qstate."""
    values = {name: bool(state >> bit & 1) for bit, name in enumerate(qnp.variables)}
    return FrozenMapping(values)


def describe_state(qnp: Qnp, state: QState) -> str:
    """Write a qstate, for example ``not holding, n>0, m=0``."""
    return describe_condition(qnp, decode_state(qnp, state))


def describe_condition(qnp: Qnp, condition: Condition) -> str:
    """Write a condition in the order of the variables; "anything" for an empty one."""
    words = []
    for name in qnp.variables:
        if name in condition:
            value = condition[name]
            if name in qnp.numerics:
                words.append(f"{name}{'>' if value else '='}0")
            else:
                words.append(name if value else f"not {name}")
    return ", ".join(words) or "anything"


# --- checks, which the reader of files calls with the line at hand


def check_name(what: str, name: str) -> None:
    """Refuse a name that the text format couldn't hold.

    Raises QnpError if it is empty, has blanks, or is long.
    """
    if not name or name.split() != [name] or not name.isprintable():
        raise QnpError(f"{what} is called {name[:80]!r}: a name needs a letter and has no blanks")
    if len(name) > 1000:
        raise QnpError(f"{what} has a name of {len(name)} letters: at most 1000")


def check_variables(booleans: tuple[str, ...], numerics: tuple[str, ...]) -> None:
    """Refuse variables with bad or equal names, or too many. Raises QnpError (see above)."""
    names = booleans + numerics
    if len(names) > MOST_VARIABLES:
        raise QnpError(
            f"{len(names)} variables are too many: at most {MOST_VARIABLES}; "
            "leave out those that no action needs"
        )
    for number, name in enumerate(names):
        check_name("a variable", name)
        if name in names[:number]:
            raise QnpError(f"two variables are called {name!r}: rename one")


def check_condition(where: str, condition: Condition, known: set[str]) -> None:
    """Refuse a condition over unknown variables. Raises QnpError if a variable is unknown."""
    for name in condition:
        if name not in known:
            raise QnpError(
                f"{where} names an unknown variable {name!r}: {suggest_name(name, known)}"
            )


def check_action(action: AbstractAction, booleans: set[str], numerics: set[str]) -> None:
    """Refuse an action that doesn't fit the variables.

    Raises QnpError if a name is bad or unknown, a change doesn't fit the kind of its variable, or a
    number is decreased that may be zero.
    """
    check_name("an action", action.name)
    where = f"action {action.name!r}"
    known = booleans | numerics
    check_condition(where, action.when, known)
    for name, change in action.effects.items():
        if name not in known:
            raise QnpError(
                f"{where} changes an unknown variable {name!r}: {suggest_name(name, known)}"
            )
        if change.is_numeric != (name in numerics):
            kind = "a number" if name in numerics else "a boolean"
            fitting = "increased or decreased" if name in numerics else "set or cleared"
            raise QnpError(
                f"{where} can't {change.value} {name!r}, which is {kind}: it can be {fitting}"
            )
        if change is QualitativeChange.DECREASE and action.when.get(name) is not True:
            raise QnpError(
                f"{where} decreases {name!r}, which may be zero then: require {name}>0 in its "
                f"precondition (`{name} 1`)"
            )
