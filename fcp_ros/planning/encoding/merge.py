# SPDX-License-Identifier: Apache-2.0
"""Fewer flat operators: those that differ only in an overwritten value, and ways between stops."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from fcp_ros.cset import Fact
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.encoding.encoding import FlatAction, Recall
from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment, Body, FlatEffect, FlatOperator, FlatResource
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


# --- metric relations: moving along a graph takes one operator from stop to stop, not one per hop
#
# The hops of a variable (where the robot is) are the operators of rules that the domain marks as
# metric, that require only the old value, change nothing else and are crisp. Values that nothing
# else reads or sets are no *stops*: they are removed from the graph one after the other, and the
# pairs of hops through them become one (node contraction, as in Geisberger et al., Contraction
# hierarchies, 2008), as long as there are no more operators than before. The rest keeps every
# shortest distance between stops; each operator is a sequence of hops.
#
# No optimum changes: in any plan, hops between two visits of stops may be delayed until just before
# the second visit, since nothing in between reads where exactly the robot is; and they may be
# replaced by a shortest path. Nothing gets worse by that if the hops' costs and uses are multiples
# of one another, hops only consume, and nothing waits for a window to open. A value that some
# condition excludes is a stop, and so are the values one hop from it.


Vector = tuple[float, ...]
"""Cost of an operator, and its use of each resource."""


@dataclass(frozen=True, slots=True)
class HopPath:
    """Hops from one value to another, one after the other."""

    weight: float
    hops: tuple[Entry, ...]


_Parts: TypeAlias = "Entry | tuple[_Parts, _Parts]"
_Led: TypeAlias = tuple[float, _Parts]


def contract_hops(
    entries: Sequence[Entry],
    task: Task,
    variables: Variables,
    pools: Sequence[FlatResource],
    clock: int,  # number of the resource that counts time, or -1
) -> list[Entry]:
    """Replace hops by paths from stop to stop where that is sound."""
    hops: dict[int, list[int]] = {}
    for number, entry in enumerate(entries):
        variable = _find_hop_variable(entry, task, variables)
        if variable >= 0:
            hops.setdefault(variable, []).append(number)
    replaced: set[int] = set()
    paths: list[Entry] = []
    for variable, numbers in hops.items():
        mine = [entries[number] for number in numbers]
        if not _are_comparable(mine, entries, pools, clock):
            continue
        chosen = set(numbers)
        others = [entry for number, entry in enumerate(entries) if number not in chosen]
        graph = _Graph(mine)
        graph.contract(_find_stops(variable, others, graph) | {variables.initial[variable]})
        paths.extend(_make_entry(variable, *edge) for edge in graph.edges())
        replaced |= chosen
    return [*(e for number, e in enumerate(entries) if number not in replaced), *paths]


def _find_hop_variable(entry: Entry, task: Task, variables: Variables) -> int:
    body = entry.body
    if len(entry.action.steps) != 1 or entry.graded or len(body.pre) != 1:
        return -1
    if body.unequal or body.blocks or len(body.effects) != 1 or entry.action.recall is not None:
        return -1
    (step,), (effect,), ((variable, old),) = entry.action.steps, body.effects, body.pre
    if effect.variable != variable or effect.equal or effect.unequal:
        return -1
    metric = step.rule.metric
    if not metric or entry.opens != 0.0 or entry.closes != math.inf:
        return -1
    for value in (old, effect.value):
        fact = variables.values[variable][value]
        if fact is None or task.facts[fact].relation != metric:
            return -1
    return variable


def _are_comparable(
    hops: Sequence[Entry], entries: Sequence[Entry], pools: Sequence[FlatResource], clock: int
) -> bool:
    if any(entry.opens > 0.0 for entry in entries):
        return False
    for resource, pool in enumerate(pools):
        uses = [entry.use[resource] for entry in hops]
        if resource == clock or not any(uses):
            continue
        gained = any(entry.use[resource] < 0.0 for entry in entries)
        if gained or not pool.low - EPSILON <= pool.amount <= pool.high + EPSILON:
            return False
    vectors = dict.fromkeys(map(_to_vector, hops))  # mostly very few
    reference = max(vectors, key=_sum)
    return all(_is_multiple(vector, reference) for vector in vectors)


def _to_vector(entry: Entry) -> Vector:
    return (entry.cost, *entry.use)


def _sum(vector: Vector) -> float:
    return sum(map(abs, vector))


def _is_multiple(one: Vector, other: Vector) -> bool:
    scale = _sum(other)
    if scale == 0.0:
        return True
    factor = _sum(one) / scale
    return all(abs(a - factor * b) <= EPSILON * scale for a, b in zip(one, other, strict=True))


def _find_stops(variable: int, others: Iterable[Entry], graph: _Graph) -> set[int]:
    """Find the values that anything else reads or sets."""
    there: set[int] = set()
    elsewhere: set[int] = set()
    for entry in others:
        body = entry.body
        there.update(value for var, value in body.pre if var == variable)
        there.update(e.value for e in body.effects if e.variable == variable)
        read = [*body.unequal]
        for effect in body.effects:
            read += (*effect.equal, *effect.unequal)
        for block in body.blocks:
            read += (*block.rest, *block.done)
        elsewhere.update(value for var, value in read if var == variable)
    for value in elsewhere:
        there.update(graph.after(value))
    return there | elsewhere


class _Graph:
    """The lightest hops between values.

    A path is kept as its weight, and as a hop or the two paths that it consists of.
    """

    def __init__(self, hops: Iterable[Entry]) -> None:
        self._out: dict[int, dict[int, _Led]] = {}
        self._in: dict[int, set[int]] = {}
        for entry in hops:
            ((_, old),) = entry.body.pre
            (effect,) = entry.body.effects
            for value in (old, effect.value):
                self._out.setdefault(value, {})
                self._in.setdefault(value, set())
            self._add(old, effect.value, _sum(_to_vector(entry)), entry)

    def after(self, value: int) -> Iterable[int]:
        return self._out.get(value, ())

    def edges(self) -> Iterator[tuple[int, int, HopPath]]:
        for old, paths in self._out.items():
            for new, (weight, parts) in paths.items():
                yield old, new, HopPath(weight, _list_hops(parts))

    def contract(self, stops: set[int]) -> None:
        """Remove values that are no stops, those with the fewest paths through them first."""
        queue = [(self._count_through(value), value) for value in self._in if value not in stops]
        heapq.heapify(queue)
        while queue:
            paths, value = heapq.heappop(queue)
            if value not in self._in:
                continue
            now = self._count_through(value)
            if now > paths:
                heapq.heappush(queue, (now, value))
            elif self._is_worthwhile(value):
                for other in self._remove(value):
                    if other not in stops:
                        heapq.heappush(queue, (self._count_through(other), other))

    def _add(self, old: int, new: int, weight: float, parts: _Parts) -> None:
        if old == new:
            return
        paths = self._out[old]
        before = paths.get(new)
        if before is None or weight < before[0]:
            paths[new] = (weight, parts)
            self._in[new].add(old)

    def _count_through(self, value: int) -> int:
        return len(self._in[value]) * len(self._out[value])

    def _is_worthwhile(self, value: int) -> bool:
        """Return True if there are no more paths without the value than with it."""
        before, after = self._in[value], self._out[value].keys()
        limit = len(before) + len(after)
        if len(before) * len(after) > limit * limit:
            return False
        fresh = 0
        for old in before:
            fresh += len(after - self._out[old].keys()) - (old in after)
            if fresh > limit:
                return False
        return True

    def _remove(self, value: int) -> set[int]:
        """Replace all paths through a value by direct ones; return its neighbours."""
        before, after = self._in.pop(value), self._out.pop(value)
        for old in before:
            weight, first = self._out[old].pop(value)
            for new, (more, second) in after.items():
                self._add(old, new, weight + more, (first, second))
        for new in after:
            self._in[new].discard(value)
        return before | set(after)


def _list_hops(parts: _Parts) -> tuple[Entry, ...]:
    found: list[Entry] = []
    waiting = [parts]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Entry):
            found.append(part)
        else:
            waiting += (part[1], part[0])
    return tuple(found)


def _make_entry(variable: int, old: int, new: int, path: HopPath) -> Entry:
    if len(path.hops) == 1:
        return path.hops[0]
    return Entry(
        Body(((variable, old),), (), (FlatEffect(variable, new),), ()),
        FlatAction(tuple(step for hop in path.hops for step in hop.action.steps)),
        (),
        sum(hop.cost for hop in path.hops),
        tuple(map(sum, zip(*(hop.use for hop in path.hops), strict=True))),
    )
