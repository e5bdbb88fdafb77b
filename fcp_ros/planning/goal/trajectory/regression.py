# SPDX-License-Identifier: Apache-2.0
"""Regression of a condition through an operator, and the cases in which a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fcp_ros.cset import Fact
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    AtLeast,
    Crisp,
    Formula,
    Instantiation,
    Settled,
    find_demand,
    make_both,
    make_complement,
    make_either,
    rebuild,
)
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.task.task import FactKey, GroundEffect, GroundOperator, Task

MAX_CASES = 2_000
"""A condition that changes in more cases than this with one operator is refused."""

Case = tuple[frozenset[int], frozenset[int]]
"""Facts that hold, and facts that do not."""


class ExclusiveFacts:
    """The facts that can't hold beside a fact: those of its functional legs that are not broken."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._by_key: dict[FactKey, list[int]] = {}
        for fact in range(len(task.facts)):
            for key in task.keys_of(fact):
                if key not in task.broken:
                    self._by_key.setdefault(key, []).append(fact)

    def find_excluded(self, facts: Iterable[int]) -> frozenset[int]:
        """Find the facts that are false where all the given ones hold."""
        given = frozenset(facts)
        keys = {key for fact in given for key in self._task.keys_of(fact)}
        return frozenset(f for key in keys for f in self._by_key.get(key, ())) - given


class OperatorRegression:
    """The truth after an operator, as a formula over the state before it."""

    def __init__(
        self, operator: GroundOperator, task: Task, ids: dict[Fact, int], exclusive: ExclusiveFacts
    ) -> None:
        self._ids = ids
        self._facts = task.facts
        self._operator = operator
        self._needed = frozenset(operator.pre)
        self._denied = exclusive.find_excluded(operator.pre).union(operator.absent)
        self._ousted = exclusive.find_excluded(operator.add)

    def simplify(self, formula: Formula) -> Formula:
        """Simplify a formula by the preconditions."""
        return _replace_facts(formula, self._now)

    def regress(self, formula: Formula) -> Formula:
        """Return the formula that holds before the operator where the given one holds after it."""
        return _replace_facts(formula, self._then)

    def _now(self, fact: Fact) -> Formula:
        number = self._ids.get(fact, -1)
        if number < 0 or number in self._denied:
            return FALSE
        return TRUE if number in self._needed else Crisp(fact)

    def _then(self, fact: Fact) -> Formula:
        number, operator = self._ids.get(fact, -1), self._operator
        if number < 0:
            return FALSE
        if number in operator.add:
            return TRUE
        if number in self._ousted:
            return FALSE
        adds = make_either(self._meet(e) for e in operator.effects if number in e.add)
        if number in operator.delete:
            return adds
        deletes = make_either(self._meet(e) for e in operator.effects if number in e.delete)
        return make_either((adds, make_both((self._now(fact), make_complement(deletes)))))

    def _meet(self, effect: GroundEffect) -> Formula:
        return make_both(
            (
                *(self._now(self._facts[fact]) for fact in effect.pre),
                *(make_complement(self._now(self._facts[fact])) for fact in effect.absent),
            )
        )


def _replace_facts(formula: Formula, replacement: Callable[[Fact], Formula]) -> Formula:
    if isinstance(formula, Crisp):
        return replacement(formula.fact)
    if isinstance(formula, Instantiation):
        return _replace_facts(formula.body, replacement)
    return rebuild(formula, lambda part: _replace_facts(part, replacement))


def list_cases(formula: Formula, ids: dict[Fact, int]) -> list[Case]:
    """List cases of which one applies where a formula holds: its disjunctive normal form."""
    least: list[Case] = []
    shorter: list[Case] = []
    length = 0
    for case in sorted(dict.fromkeys(_expand(formula, True, ids)), key=_count_literals):
        if _count_literals(case) > length:  # of the same length none is wider than another
            shorter, length = least.copy(), _count_literals(case)
        if not any(one[0] <= case[0] and one[1] <= case[1] for one in shorter):
            least.append(case)
    return least


def _count_literals(case: Case) -> int:
    return len(case[0]) + len(case[1])


def _expand(formula: Formula, wanted: bool, ids: dict[Fact, int]) -> list[Case]:
    if isinstance(formula, Settled):
        return [(frozenset(), frozenset())] if (formula.degree >= 1.0) is wanted else []
    if isinstance(formula, Crisp):
        number = ids.get(formula.fact)
        if number is None:
            return [] if wanted else [(frozenset(), frozenset())]
        fact = frozenset((number,))
        return [(fact, frozenset()) if wanted else (frozenset(), fact)]
    if isinstance(formula, AtLeast):
        return _expand(formula.write_out(), wanted, ids)
    number, parts, wanted = find_demand(formula, wanted)
    if number < len(parts):
        return _limit([case for part in parts for case in _expand(part, wanted, ids)])
    cases: list[Case] = [(frozenset(), frozenset())]
    for part in parts:
        joined = (
            (one[0] | other[0], one[1] | other[1])
            for one in cases
            for other in _expand(part, wanted, ids)
        )
        cases = _limit([case for case in joined if case[0].isdisjoint(case[1])])
    return cases


def _limit(cases: list[Case]) -> list[Case]:
    cases = list(dict.fromkeys(cases))
    if len(cases) > MAX_CASES:
        raise Interrupted(
            PlanStatus.UNSUPPORTED,
            f"A trajectory constraint changes in more than {MAX_CASES} cases with one action: "
            "split its condition into several constraints.",
        )
    return cases
