# SPDX-License-Identifier: Apache-2.0
"""Causal dependencies between the steps of a sequence: which step needs which, as a partial order.

Two neighbours that do not depend on each other may change places (sequential independence: Ehrig,
Ehrig, Prange, Taentzer, *Fundamentals of Algebraic Graph Transformation*, 2006, section 3.3). Over
a whole sequence that is not enough, and often too strict: with application conditions, whether two
steps may be swapped depends on the others. So dependencies are found for the sequence as one, as
causal links over the cells of the state that its steps read and write (`causal_needs`).

What is promised: every linear extension of the order replays, to the same state (up to the names of
elements that steps create, where a name is used twice). The order is not the least one that
promises this, which is hard to find; and a step that does more with an attribute than compare it
wants the very value it had.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.sequences.applied_step import AppliedStep, check_sequence
from fcp_ros.cset.sequences.causal_needs import (
    DependencyKind,
    Link,
    Need,
    last_needs,
    links_of,
    needs_of,
)
from fcp_ros.cset.sequences.condition_reasons import ConditionReasons
from fcp_ros.cset.sequences.partial_order import PartialOrder
from fcp_ros.cset.sequences.step_effects import (
    AttributeCell,
    Cell,
    ElementCell,
    History,
    merges_or_clones,
)
from fcp_ros.cset.sequences.universe import Universe

__all__ = ["CausalOrder", "Dependency", "DependencyKind", "dependencies"]


@dataclass(frozen=True)
class Dependency:
    """One reason why a step must come before another one.

    Attributes:
        before: index of the earlier step.
        after: index of the later step.
        kind: the reason.
        subject: what both are about, in words: ``on(mug, table)``, ``level of mug``, ``mug``; empty
            where it is about no single thing.
        elements: names of the elements concerned.
    """

    before: int
    after: int
    kind: DependencyKind
    subject: str = ""
    elements: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.before} before {self.after}: {self.kind.value} {self.subject}".rstrip()


@dataclass(frozen=True)
class CausalOrder:
    """The dependencies of a sequence.

    Attributes:
        dependencies: all of them, sorted by the steps; several for two steps where there are.
        order: the partial order of the steps that they make.
    """

    dependencies: tuple[Dependency, ...]
    order: PartialOrder

    def between(self, before: int, after: int) -> tuple[Dependency, ...]:
        """The direct reasons why one step must come before another one."""
        return tuple(d for d in self.dependencies if (d.before, d.after) == (before, after))


def dependencies(steps: Sequence[AppliedStep]) -> CausalOrder:
    """The causal dependencies of a concrete sequence.

    Args:
        steps: each starts where the one before it ended.

    Raises:
        StepError: they do not follow one another.
    """
    check_sequence(steps)
    stays = [number for number, step in enumerate(steps) if merges_or_clones(step)]
    links = [
        Link(min(number, other), max(number, other), DependencyKind.MERGE, None)
        for number in stays
        for other in range(len(steps))
        if other != number
    ]
    for start, end in zip([-1, *stays], [*stays, len(steps)], strict=True):
        part = steps[start + 1 : end]
        links.extend(
            Link(before + start + 1, after + start + 1, kind, cell)
            for before, after, kind, cell in (_links(part) if len(part) > 1 else ())
        )
    name = _namer(steps)
    pairs = {(link.before, link.after) for link in links}
    # What is produced for use, and then deleted, is overwritten as well: that says nothing more.
    told = {link[:2] for link in links if link.kind is not DependencyKind.OVERWRITE}
    found = {
        _dependency(link, name)
        for link in links
        if link.kind is not DependencyKind.OVERWRITE or link[:2] not in told
    }
    by_steps = sorted(found, key=lambda d: (d.before, d.after, d.kind.value, d.subject))
    return CausalOrder(tuple(by_steps), PartialOrder.of(len(steps), pairs))


def _links(steps: Sequence[AppliedStep]) -> list[Link]:
    """The links of a sequence in which elements keep their identity."""
    history = History(steps[0].before, steps)
    universe = Universe(history, steps)
    found = _Links(history)
    for number, step in enumerate(steps):
        found.add(needs_of(number, step, history, universe))
    found.add(last_needs(history))
    reasons = ConditionReasons(history, universe, found.cost)
    for number, step in enumerate(steps):
        for needs in reasons.of_step(number, step):
            found.add(needs)
    return found.links


class _Links:
    """The links so far, and what they order."""

    def __init__(self, history: History) -> None:
        self.links: list[Link] = []
        self._history = history
        self._below = [0] * history.length

    def add(self, needs: Iterator[Need] | Sequence[Need]) -> None:
        for need in needs:
            for link in links_of(need, self._history):
                self.links.append(link)
                self._order(link.before, link.after)

    def cost(self, needs: Sequence[Need]) -> int:
        """How many pairs the needs would order that are not ordered yet."""
        links = (link for need in needs for link in links_of(need, self._history))
        pairs = {(link.before, link.after) for link in links}
        return sum(not self._below[after] >> before & 1 for before, after in pairs)

    def _order(self, before: int, after: int) -> None:
        if self._below[after] >> before & 1:
            return
        gained = self._below[before] | 1 << before
        for number in range(after, len(self._below)):
            if number == after or self._below[number] >> after & 1:
                self._below[number] |= gained


def _namer(steps: Sequence[AppliedStep]) -> Callable[[int], str]:
    """The name of an element that is there at some time of the sequence."""
    tables = [state.element_table() for step in steps for state in (step.before, step.after)]

    def name(element: int) -> str:
        return next(table.names[element] for table in tables if element in table.names)

    return name


def _dependency(link: Link, name: Callable[[int], str]) -> Dependency:
    if link.cell is None:
        return Dependency(link.before, link.after, link.kind)
    return Dependency(link.before, link.after, link.kind, *_shown(link.cell, name))


def _shown(cell: Cell, name: Callable[[int], str]) -> tuple[str, tuple[str, ...]]:
    if isinstance(cell, AttributeCell):
        holder, elements = _shown(cell.holder, name)
        return f"{cell.attribute} of {holder}", elements
    if isinstance(cell, ElementCell):
        return name(cell.element), (name(cell.element),)
    elements = tuple(map(name, cell.legs))
    return f"{cell.relation}({', '.join(elements)})", elements
