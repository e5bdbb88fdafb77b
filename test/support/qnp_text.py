# SPDX-License-Identifier: Apache-2.0
"""The common text format of QNPs, which qnp2fond and the published solvers read.

The lines are: the name; the variables, each with 1 for a number or 0 for a boolean; the initial
condition; the goal; the number of actions; and for each action its name, precondition and effects.
A line of pairs begins with their number. A pair in a condition says that a boolean is true (1) or
false (0), or a number greater than zero (1) or zero (0); in effects, 1 sets or increases and 0
clears or decreases::

    blocks-clear
    2 n 1 holding 0
    2 n 1 holding 0
    1 n 0
    1
    pick-above-x
    2 n 1 holding 0
    2 n 0 holding 1

Blank lines are skipped. A number that an action decreases, and its precondition doesn't name, must
be greater than zero: published problems leave that out. Variables are written with the booleans
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import (
    MOST_ACTIONS,
    AbstractAction,
    Condition,
    Qnp,
    QnpError,
    QualitativeChange,
    check_action,
    check_condition,
    check_name,
    check_variables,
)

MOST_LETTERS = 4_000_000
"""Longest text that is read."""


@dataclass(slots=True)
class _Lines:
    """The lines of a text that aren't blank, with their numbers, and a place among them."""

    lines: list[tuple[int, str]]
    place: int = 0

    @property
    def number(self) -> int:
        """Number of the line that was read last."""
        return self.lines[self.place - 1][0] if self.place else 1

    def take(self, what: str) -> str:
        """Return the next line.

        Args:
            what: the contents that it should have.
        """
        if self.place == len(self.lines):
            raise QnpError(f"the text ends where {what} should follow")
        self.place += 1
        return self.lines[self.place - 1][1]

    def take_name(self, what: str) -> str:
        """Return the next line as a name."""
        name = self.take(f"the name of {what}")
        check_name(what, name)
        return name

    def take_count(self, what: str) -> int:
        """Return the next line as a number."""
        words = self.take(f"the number of {what}").split()
        if len(words) != 1:
            raise QnpError(
                f"one number, that of the {what}, should stand here, not {_quote(words)}"
            )
        return _read_count(words[0], what)

    def take_pairs(self, what: str) -> dict[str, bool]:
        """Return the next line as pairs of a name and 0 or 1."""
        words = self.take(what).split()
        count = _read_count(words[0], f"pairs of {what}")
        if len(words) != 1 + 2 * count:
            raise QnpError(
                f"{what}: {count} pair{'' if count == 1 else 's'} of a name and 0 or 1 should "
                f"follow the {words[0]}, but {len(words) - 1} words do: correct the number or the "
                "pairs"
            )
        pairs: dict[str, bool] = {}
        for name, value in zip(words[1::2], words[2::2], strict=True):
            if value not in ("0", "1"):
                raise QnpError(f"{what}: {name!r} is followed by {value[:40]!r}: write 0 or 1")
            if name in pairs:
                raise QnpError(f"{what}: {name!r} stands there twice: keep one")
            pairs[name] = value == "1"
        return pairs


def read_qnp(text: str) -> Qnp:
    """Read a QNP.

    Args:
        text: the text.

    Returns:
        The QNP; its booleans and its numbers are in the order of the text.

    Raises:
        QnpError: The text isn't a QNP; the message begins with the line.
    """
    if len(text) > MOST_LETTERS:
        raise QnpError(f"the text has {len(text)} letters: at most {MOST_LETTERS} are read")
    numbered = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    lines = _Lines([(number, line) for number, line in numbered if line])
    try:
        return _read_parts(lines)
    except QnpError as error:
        raise QnpError(f"line {lines.number}: {error}") from None


def _read_parts(lines: _Lines) -> Qnp:
    name = lines.take_name("the QNP")
    kinds = lines.take_pairs("the variables")
    booleans = tuple(one for one, numeric in kinds.items() if not numeric)
    numerics = tuple(one for one, numeric in kinds.items() if numeric)
    check_variables(booleans, numerics)
    known = set(kinds)
    initial = lines.take_pairs("the initial condition")
    check_condition("the initial condition", initial, known)
    goal = lines.take_pairs("the goal")
    check_condition("the goal", goal, known)
    count = lines.take_count("actions")
    if count > MOST_ACTIONS:
        raise QnpError(f"{count} actions are too many: at most {MOST_ACTIONS}")
    actions: dict[str, AbstractAction] = {}
    for number in range(1, count + 1):
        action = _read_action(lines, f"action {number} of {count}", known, set(numerics))
        check_action(action, set(booleans), set(numerics))
        if action.name in actions:
            raise QnpError(f"two actions are called {action.name!r}: rename one")
        actions[action.name] = action
    if lines.place < len(lines.lines):
        line = lines.take("")
        raise QnpError(
            f"{line[:40]!r} follows the last action: correct the number of actions, {count}, or "
            "delete the rest"
        )
    return Qnp(name, booleans, numerics, initial, goal, tuple(actions.values()))


def _read_action(lines: _Lines, place: str, known: set[str], numerics: set[str]) -> AbstractAction:
    name = lines.take_name(place)
    when = lines.take_pairs(f"the precondition of {name}")
    check_condition(f"action {name!r}", when, known)
    effects = {
        variable: _choose_change(variable in numerics, raises)
        for variable, raises in lines.take_pairs(f"the effects of {name}").items()
    }
    for variable, change in effects.items():
        if change is QualitativeChange.DECREASE:
            when.setdefault(variable, True)
    return AbstractAction(name, when, effects)


def _choose_change(is_numeric: bool, raises: bool) -> QualitativeChange:
    if is_numeric:
        return QualitativeChange.INCREASE if raises else QualitativeChange.DECREASE
    return QualitativeChange.SET if raises else QualitativeChange.CLEAR


def _read_count(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise QnpError(f"the number of {what} should stand here, not {word[:40]!r}")
    return int(word)


def _quote(words: list[str]) -> str:
    text = " ".join(words)
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def write_qnp(qnp: Qnp) -> str:
    """Write a QNP; reading the text gives an equal one."""
    kinds = {name: name in qnp.numerics for name in qnp.variables}
    lines = [
        qnp.name,
        _write_pairs(kinds),
        _write_condition(qnp, qnp.initial),
        _write_condition(qnp, qnp.goal),
        str(len(qnp.actions)),
    ]
    for action in qnp.actions:
        changes = {name: change.raises for name, change in action.effects.items()}
        lines += [action.name, _write_condition(qnp, action.when), _write_condition(qnp, changes)]
    return "\n".join(lines) + "\n"


def _write_condition(qnp: Qnp, condition: Condition) -> str:
    return _write_pairs({name: condition[name] for name in qnp.variables if name in condition})


def _write_pairs(pairs: Mapping[str, bool]) -> str:
    return " ".join([str(len(pairs)), *(f"{name} {int(value)}" for name, value in pairs.items())])
