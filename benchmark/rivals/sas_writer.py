# SPDX-License-Identifier: Apache-2.0
"""Flat tasks as Fast Downward reads translated ones, so that it can search what we compiled.

The format (version 3) has no condition "variable != value". A variable of two values has the other
one instead; for any other, one more variable says whether it has that value, and each effect on the
first has its like on the second. Operators are named by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fcp_ros.planning.flat.task import FlatTask, Ints, count_operators

Fact = tuple[int, int]


def write_sas(task: FlatTask) -> str:
    """Write a flat task whose costs are whole numbers; losses are left out.

    Raises:
        ValueError: it has what the format can't say: blocks, resources, fractions of costs.
    """
    if len(task.rest_start) > 1 or task.use.shape[1]:
        raise ValueError("blocks and resources can't be written for Fast Downward")
    if not np.array_equal(task.cost, np.round(task.cost)):
        raise ValueError("costs must be whole numbers")
    return "\n".join(_Writer(task).lines()) + "\n"


def number_of(line: str) -> int:
    """Return the number of the operator in a line of Fast Downward's plan."""
    return int(line.strip("() \n"))


class _Writer:
    """Writes one task."""

    def __init__(self, task: FlatTask) -> None:
        self._task = task
        self._shadows: dict[Fact, int] = {}
        negative = task.cond_neg == 1
        unequal = [*_facts(task.not_var, task.not_val)]
        unequal += _facts(task.cond_var[negative], task.cond_val[negative])
        for fact in dict.fromkeys(unequal):
            if task.domain[fact[0]] != 2:
                self._shadows[fact] = len(task.domain) + len(self._shadows)
        self._of_variable: dict[int, list[tuple[int, int]]] = {}
        for (variable, value), shadow in self._shadows.items():
            self._of_variable.setdefault(variable, []).append((value, shadow))

    def lines(self) -> Iterator[str]:
        """Yield the sections in their order."""
        task = self._task
        yield from ("begin_version", "3", "end_version", "begin_metric", "1", "end_metric")
        sizes = [max(2, int(size)) for size in task.domain] + [2] * len(self._shadows)
        yield str(len(sizes))
        for number, size in enumerate(sizes):
            yield from ("begin_variable", f"var{number}", "-1", str(size))
            yield from (f"Atom v{number}({value})" for value in range(size))
            yield "end_variable"
        yield "0"
        yield "begin_state"
        yield from map(str, task.initial)
        yield from (str(int(task.initial[var] != value)) for var, value in self._shadows)
        yield "end_state"
        yield from _section("goal", _facts(task.goal_var, task.goal_val))
        operators = [list(self._operator(number)) for number in range(count_operators(task))]
        written = [rows for rows in operators if rows]
        yield str(len(written))
        for rows in written:
            yield from rows
        yield "0"

    def _operator(self, operator: int) -> Iterator[str]:
        """Yield the rows of an operator; none if its conditions contradict each other."""
        task = self._task
        pres = slice(task.pre_start[operator], task.pre_start[operator + 1])
        nots = slice(task.not_start[operator], task.not_start[operator + 1])
        needed = [*_facts(task.pre_var[pres], task.pre_val[pres])]
        needed += map(self._unlike, _facts(task.not_var[nots], task.not_val[nots]))
        waiting = dict(needed)
        if any(waiting[variable] != value for variable, value in needed):
            return
        effects = []
        for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
            when = [str(word) for fact in self._conditions(effect) for word in fact]
            count = str(len(when) // 2)
            for variable, value in self._changes(effect):
                before = waiting.pop(variable, -1)
                effects.append(" ".join((count, *when, f"{variable} {before} {value}")))
        yield from ("begin_operator", str(operator), str(len(waiting)))
        yield from (f"{variable} {value}" for variable, value in sorted(waiting.items()))
        yield from (str(len(effects)), *effects, str(int(task.cost[operator])), "end_operator")

    def _changes(self, effect: int) -> Iterator[Fact]:
        """Yield an effect's assignment, then those that keep the other variables in step."""
        variable, value = int(self._task.eff_var[effect]), int(self._task.eff_val[effect])
        yield variable, value
        for other, shadow in self._of_variable.get(variable, ()):
            yield shadow, int(value != other)

    def _conditions(self, effect: int) -> Iterator[Fact]:
        task = self._task
        part = slice(task.cond_start[effect], task.cond_start[effect + 1])
        facts = _facts(task.cond_var[part], task.cond_val[part])
        for fact, negative in zip(facts, task.cond_neg[part], strict=True):
            yield self._unlike(fact) if negative else fact

    def _unlike(self, fact: Fact) -> Fact:
        """Return the fact that says that another one does not hold."""
        shadow = self._shadows.get(fact)
        return (fact[0], 1 - fact[1]) if shadow is None else (shadow, 1)


def _facts(variables: Ints, values: Ints) -> Iterator[Fact]:
    yield from zip(variables.tolist(), values.tolist(), strict=True)


def _section(name: str, facts: Iterable[Fact]) -> Iterator[str]:
    rows = [f"{variable} {value}" for variable, value in facts]
    yield from (f"begin_{name}", str(len(rows)), *rows, f"end_{name}")
