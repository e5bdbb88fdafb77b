# SPDX-License-Identifier: Apache-2.0
"""Fewer flat operators: one for those that differ only in an overwritten value."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact
from fcp_ros.planning.encoding.encoding import FlatAction, Recall
from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment, Body, FlatOperator
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.relevance.overwriting import ForgottenParameter, find_forgotten_parameter
from fcp_ros.planning.task.task import GroundOperator, Task


@dataclass(frozen=True, slots=True)
class Entry:
    """A flat operator before it becomes a row of arrays, with its meaning."""

    body: Body
    action: FlatAction
    graded: tuple[GradedAtom, ...] = ()
    cost: float = 0.0
    use: tuple[float, ...] = ()
    opens: float = 0.0
    closes: float = math.inf

    @property
    def operator(self) -> FlatOperator:
        """The flat operator; all loss is in the degree of the goal."""
        body, use = self.body, self.use
        return FlatOperator(
            body.pre,
            body.unequal,
            body.effects,
            body.blocks,
            0.0,
            self.cost,
            use,
            self.opens,
            self.closes,
        )


class OperatorMerger:
    """Merges entries that differ only in a forgotten parameter."""

    def __init__(self, task: Task, variables: Variables, durations: bool) -> None:
        self._task = task
        self._variables = variables
        self._rules = {
            name: found
            for name, rule in task.domain.rules.items()
            if (found := find_forgotten_parameter(rule, task.domain.schema, durations)) is not None
        }

    def merge(self, entries: Sequence[Entry]) -> list[Entry]:
        """Replace entries that differ only in a forgotten parameter by one."""
        groups: dict[Hashable, list[tuple[Entry, Assignment]]] = {}
        order: list[Entry | Hashable] = []
        for entry in entries:
            old = self._find_old_value(entry)
            if old is None:
                order.append(entry)
                continue
            key = self._make_key(entry, old)
            if key not in groups:
                groups[key] = []
                order.append(key)
            groups[key].append((entry, old))
        return [
            entry
            for item in order
            for entry in ([item] if isinstance(item, Entry) else self._merge_group(groups[item]))
        ]

    def _find_old_value(self, entry: Entry) -> Assignment | None:
        if len(entry.action.steps) != 1:
            return None
        (step,) = entry.action.steps
        rule = self._rules.get(step.rule.name)
        if rule is None:
            return None
        bound = dict(zip(step.rule.parameter_names, step.arguments, strict=True))
        arguments = tuple(bound[term.name] for term in rule.atom.arguments)  # type: ignore[union-attr]
        fact = self._task.fact_ids.get(Fact(rule.atom.predicate, arguments))
        old = None if fact is None else self._variables.place.get(fact)
        if old is None or old not in entry.body.pre:
            return None
        overwritten = any(
            effect.variable == old[0] and not effect.equal and not effect.unequal
            for effect in entry.body.effects
        )
        return old if overwritten and not self._is_read(entry.body, old[0]) else None

    @staticmethod
    def _is_read(body: Body, variable: int) -> bool:
        read = [place for effect in body.effects for place in (*effect.equal, *effect.unequal)]
        read += [place for block in body.blocks for place in (*block.rest, *block.done)]
        return any(place[0] == variable for place in read)

    def _make_key(self, entry: Entry, old: Assignment) -> Hashable:
        (step,) = entry.action.steps
        number = self._rules[step.rule.name].parameter
        body = entry.body
        return (
            step.rule.name,
            step.arguments[:number],
            step.arguments[number + 1 :],
            old[0],
            tuple(place for place in body.pre if place != old),
            body.unequal,
            body.effects,
            body.blocks,
            entry.graded,
            entry.cost,
            entry.use,
            entry.opens,
            entry.closes,
        )

    def _merge_group(self, group: Sequence[tuple[Entry, Assignment]]) -> list[Entry]:
        entry, (variable, _) = group[0]
        covered = {value for _, (_, value) in group}
        size = len(self._variables.values[variable])
        excluded = [value for value in range(size) if value not in covered]
        if len(covered) < 2 or len(excluded) >= len(covered):
            return [entry for entry, _ in group]
        (step,) = entry.action.steps
        rule: ForgottenParameter = self._rules[step.rule.name]
        return [_generalise(entry, variable, excluded, rule.position, rule.parameter)]


def expand_representative(
    entry: Entry, operator: GroundOperator, task: Task, variables: Variables
) -> Iterator[Entry]:
    """Make the entries of an operator that represents all old values.

    See `fcp_ros.planning.relevance.overwriting`.
    """
    (old,) = operator.delete
    (leg,) = task.keys_of(old)
    variable, value = variables.place[old]
    new = {e.value for e in entry.body.effects if e.variable == variable}
    covered: list[int] = []
    excluded: list[int] = []
    for number, fact in enumerate(variables.values[variable]):
        there = fact is not None and leg in task.keys_of(fact) and number not in new
        (covered if there else excluded).append(number)
    position = 1 - leg[1]
    if len(excluded) < len(covered) > 1:
        yield _generalise(entry, variable, excluded, position, operator.forgets)
        return
    (step,) = entry.action.steps
    for number in covered:
        fact = variables.values[variable][number]
        assert fact is not None, "an old value is a fact"
        arguments = list(step.arguments)
        arguments[operator.forgets] = task.facts[fact].arguments[position]
        pre = {(variable, number) if p == (variable, value) else p for p in entry.body.pre}
        yield replace(
            entry,
            body=replace(entry.body, pre=tuple(sorted(pre))),
            action=FlatAction((GroundStep(step.rule, tuple(arguments)),)),
        )


def _generalise(
    entry: Entry, variable: int, excluded: Iterable[int], leg: int, parameter: int
) -> Entry:
    """Make an entry for all values of a variable but some from one for a single value."""
    (step,) = entry.action.steps
    unequal = {*entry.body.unequal, *((variable, value) for value in excluded)}
    body = replace(
        entry.body,
        pre=tuple(place for place in entry.body.pre if place[0] != variable),
        unequal=tuple(sorted(unequal)),
    )
    arguments = list(step.arguments)
    arguments[parameter] = ""
    recall = Recall(variable, leg, parameter)
    action = FlatAction((GroundStep(step.rule, tuple(arguments)),), recall=recall)
    return replace(entry, body=body, action=action)
