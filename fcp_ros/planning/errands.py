# SPDX-License-Identifier: Apache-2.0
"""A plan taken apart: the ways of its agents, and the errands that others could do as well.

A *way* is a step that changes facts about its agent only (drives it somewhere). An *errand* is what
is left of an agent's steps between two moments at which nothing but ways links what comes before to
what comes after (it picks something up, and puts it down).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import ActionRule
from fcp_ros.planning.footprint import FactView, StepFootprint
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.step_order import find_causal_pairs

Duration = Callable[[GroundStep], float]
"""Returns the expected seconds of a step."""


@dataclass(frozen=True, slots=True)
class PlanErrand:
    """Steps that one agent does in a row, without its ways."""

    agent: str  # who does it in the plan at hand
    steps: tuple[GroundStep, ...]
    is_fixed: bool  # it uses what its agent had before, or the goal wants what its agent has then
    work: float  # seconds from the first step to the last, with the ways between


class PlanParts:
    """A plan taken apart: the ways and the work of each agent."""

    def __init__(
        self,
        steps: Sequence[GroundStep],
        agents: Sequence[str],
        footprints: Sequence[StepFootprint],
        stay: Collection[str],
    ) -> None:
        self._stay = stay
        self._positions: list[tuple[int, ...]] = []  # of the steps of each errand
        self.steps = steps
        self.agents = agents
        self.footprints = footprints
        ways = [n for n in range(len(steps)) if self._is_way(n)]
        self._ways = frozenset(ways)
        self.relations = {f.relation for n in ways for f in self._list_written(n)}
        # rule of a way -> the parameter that is the agent
        self.rules: dict[str, tuple[ActionRule, str]] = {}
        for n in ways:
            rule = steps[n].rule
            place = steps[n].arguments.index(agents[n])
            self.rules[rule.name] = rule, rule.parameter_names[place]

    def _is_way(self, number: int) -> bool:
        rule, agent = self.steps[number].rule, self.agents[number]
        written = self._list_written(number)
        is_plain = not (rule.effects or rule.formulas)
        return is_plain and bool(written) and all(agent in fact.arguments for fact in written)

    def _list_written(self, number: int) -> frozenset[Fact]:
        return self.footprints[number].adds | self.footprints[number].deletes

    def is_place(self, fact: Fact, agent: str) -> bool:
        """Return True if it is a fact about an agent that ways change."""
        return fact.relation in self.relations and agent in fact.arguments

    def find_errands(self, seconds: Duration, view: FactView) -> list[PlanErrand]:
        """Find the errands of all agents, in the order of their first steps."""
        self._positions = [
            group for agent in dict.fromkeys(self.agents) for group in self._group_work(agent)
        ]
        self._positions.sort()
        return [self._make_errand(group, seconds, view) for group in self._positions]

    def _group_work(self, agent: str) -> Iterator[tuple[int, ...]]:
        """Yield the steps between which nothing but ways links before and after."""
        work = [n for n, one in enumerate(self.agents) if one == agent and n not in self._ways]
        last = list(range(len(work)))  # of each: up to which one it is linked
        added: dict[Fact, int] = {}
        for place, number in enumerate(work):
            footprint = self.footprints[number]
            for fact in (footprint.needs | footprint.deletes) & added.keys():
                last[added[fact]] = max(last[added[fact]], place)
            for fact in footprint.deletes:
                added.pop(fact, None)
            for fact in footprint.adds:
                if agent in fact.arguments and fact.relation not in self.relations:
                    added[fact] = place
        first, reach = 0, 0
        for place in range(len(work)):
            reach = max(reach, last[place])
            if reach == place:
                yield tuple(work[first : place + 1])
                first, reach = place + 1, place + 1

    def _make_errand(self, group: tuple[int, ...], seconds: Duration, view: FactView) -> PlanErrand:
        agent = self.agents[group[0]]
        within = range(group[0], group[-1] + 1)
        own: set[Fact] = set()
        brought: set[Fact] = set()
        for number in group:
            footprint = self.footprints[number]
            brought |= footprint.needs - own
            own = (own - footprint.deletes) | footprint.adds
        kept = own if agent in self._stay else ()
        is_fixed = any(
            agent in fact.arguments and fact.relation not in self.relations
            for fact in (*brought, *kept)
        )
        work = sum(seconds(self.steps[n]) for n in within if self.agents[n] == agent)
        return PlanErrand(agent, tuple(self.steps[n] for n in group), is_fixed, work)

    def find_befores(self, instance: Instance) -> list[set[int]]:
        """Find the errands that must have ended before each, for facts about no agent."""
        names = frozenset(self.agents)
        errand_of = {n: e for e, group in enumerate(self._positions) for n in group}
        work = sorted(errand_of)
        plain = [_leave_out(self.footprints[n], names) for n in work]
        befores: list[set[int]] = [set() for _ in self._positions]
        for before, after in find_causal_pairs(FactView(instance), plain):
            one, other = errand_of[work[before]], errand_of[work[after]]
            if one != other:
                befores[other].add(one)
        return befores


def _leave_out(footprint: StepFootprint, names: frozenset[str]) -> StepFootprint:
    """Leave out the facts about these elements."""

    def keep(facts: Iterable[Fact]) -> frozenset[Fact]:
        return frozenset(fact for fact in facts if names.isdisjoint(fact.arguments))

    def is_kept(bound: Iterable[tuple[int, str]]) -> bool:
        return names.isdisjoint(element for _, element in bound)

    return replace(
        footprint,
        needs=keep(footprint.needs),
        adds=keep(footprint.adds),
        deletes=keep(footprint.deletes),
        avoids=tuple(p for p in footprint.avoids if is_kept(p.bound)),
        watches=tuple(p for p in footprint.watches if is_kept(p.bound)),
    )
