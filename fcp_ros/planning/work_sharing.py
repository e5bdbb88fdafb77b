# SPDX-License-Identifier: Apache-2.0
"""The work of a finished plan dealt out among agents, so that its last step ends sooner.

A search takes whichever agent makes the plan better by its objective, which counts steps, costs or
seconds of all agents together: two robots at two places are used, two at one place are not. So the
plan is taken apart. A *way* is a step that changes facts about its agent only (drives it
somewhere). An *errand* is what is left of an agent's steps between two moments at which nothing but
ways links what comes before to what comes after (it picks something up, and puts it down). Errands
keep the order that facts about anything else than agents demand (see step_order).

An errand goes to an agent that can do its steps (their types, their executors, and that there is a
way to where they are done), by when it would get there: the agent that is free first takes the
errand that it can begin first, long ones with a bonus of several sizes. That is list scheduling
with setup times (Graham, Bounds on multiprocessing timing anomalies, 1969), as a dispatcher that
takes bids deals tasks. The ways are searched for anew.

What comes out is a proposal: nothing here is trusted. Who uses it has it scheduled, judged and
verified like any plan.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.footprint import (
    FactView,
    StepFootprint,
    find_bindings,
    find_footprint,
    find_footprints,
    ground,
)
from fcp_ros.planning.model.ground_step import Agents, GroundStep, compute_duration
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.step_order import find_causal_pairs

BONUSES = (0.0, 0.1, 0.25, 0.5, 1.0)
"""Seconds of its start that an errand may be late for each second of its work."""
MOST_PLACES = 500
"""States of an agent that are looked at for one way."""

Duration = Callable[[GroundStep], float]
"""Returns the expected seconds of a step."""


# --- a plan taken apart


@dataclass(frozen=True, slots=True)
class _Errand:
    """Steps that one agent does in a row, without its ways."""

    agent: str  # who does it in the plan at hand
    steps: tuple[GroundStep, ...]
    is_fixed: bool  # it uses what its agent had before, or the goal wants what its agent has then
    work: float  # seconds from the first step to the last, with the ways between


class _PlanParts:
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

    def find_errands(self, seconds: Duration, view: FactView) -> list[_Errand]:
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

    def _make_errand(self, group: tuple[int, ...], seconds: Duration, view: FactView) -> _Errand:
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
        return _Errand(agent, tuple(self.steps[n] for n in group), is_fixed, work)

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


# --- dealing


@dataclass(frozen=True, slots=True)
class _Way:
    steps: tuple[GroundStep, ...]
    seconds: float


_Source = tuple[str, frozenset[str], int, frozenset[Fact]]
"""Type and missing executors of an agent, `_Dealing.news`, and the facts about where it is."""
_Move = tuple[GroundStep, float, frozenset[Fact]]
"""A way of one step, its seconds, and where it leads."""


@dataclass(slots=True)
class _Dealing:
    """The errands that are dealt so far, and the steps that they make."""

    view: FactView
    free: dict[str, float]  # agent -> when it has done what it has
    done: dict[int, float] = field(default_factory=dict)  # errand -> when it ends
    steps: list[GroundStep] = field(default_factory=list)
    news: int = 0  # changes of facts that ways depend on, by anything but ways


def share_work(
    domain: Domain,
    instance: Instance,
    steps: Sequence[GroundStep],  # a sequence that can be done there
    *,
    stay: Collection[str] = (),  # agents that have to end where, and with what, they end now
    absent: Collection[AbsentExecutor] = (),
    check: Check = never_stop,
) -> tuple[GroundStep, ...] | None:
    """Deal out the work of a plan; None if it can't be taken apart, or nothing can be dealt.

    The steps that are returned reach the same end but for where agents are, if what a step does
    depends on nothing else.
    """

    def seconds(step: GroundStep) -> float:
        return compute_duration(step.rule, step.arguments, instance)

    footprints = find_footprints(domain, instance, steps, check)
    who = Agents(domain, instance)
    agents = [tuple(filter(who.contains, step.arguments)) for step in steps]
    if any(len(found) != 1 for found in agents) or domain.strata:
        return None
    parts = _PlanParts(steps, [found[0] for found in agents], footprints, stay)
    errands = parts.find_errands(seconds, FactView(instance))
    team = _find_team(instance, {errand.agent for errand in errands}, who)
    if len(team) < 2:
        return None
    dealer = _Dealer(domain, instance, parts, errands, team, frozenset(absent), seconds, check)
    dealt = [one for bonus in BONUSES if (one := dealer.deal(bonus, stay)) is not None]
    if not dealt:
        return None
    return tuple(min(dealt, key=lambda one: max(one.free.values())).steps)


def _find_team(instance: Instance, used: Iterable[str], who: Agents) -> tuple[str, ...]:
    """Find the agents that are of a type of those that the plan uses."""
    types = dict.fromkeys(instance.type_of(instance.id_of(agent)) for agent in sorted(used))
    found = [instance.name_of(e) for type_ in types for e in instance.elements(type_)]
    return tuple(name for name in dict.fromkeys(found) if who.contains(name))


class _Dealer:
    """Deals errands."""

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        parts: _PlanParts,
        errands: Sequence[_Errand],
        team: Sequence[str],
        absent: frozenset[AbsentExecutor],
        seconds: Duration,
        check: Check,
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._parts = parts
        self._errands = errands
        self._team = team
        self._absent = absent
        self._seconds = seconds
        self._check = check
        self._places = [self._list_places(errand) for errand in errands]
        self._befores = parts.find_befores(instance)
        self._found: dict[tuple[_Source, frozenset[Fact]], _Way | None] = {}
        self._reached: dict[_Source, dict[frozenset[Fact], _Way]] = {}
        self._moves: dict[_Source, list[_Move]] = {}
        reads = (
            literal.atom.predicate for rule, _ in parts.rules.values() for literal in rule.when
        )
        self._news = frozenset(reads) - parts.relations  # relations that open or close ways

    def deal(self, bonus: float, stay: Iterable[str]) -> _Dealing | None:
        """Deal all errands; None if that fails."""
        dealing = _Dealing(FactView(self._instance), dict.fromkeys(self._team, 0.0))
        unable: set[tuple[int, str]] = set()
        while len(dealing.done) < len(self._errands):
            self._check()
            chosen = self._choose(dealing, bonus, unable)
            if chosen is None:
                return None
            if not self._give(dealing, *chosen):
                unable.add(chosen)
        for agent in stay:
            if agent in dealing.free and not self._go_home(dealing, agent):
                return None
        return dealing

    def _choose(
        self, dealing: _Dealing, bonus: float, unable: Collection[tuple[int, str]]
    ) -> tuple[int, str] | None:
        """Choose an errand for the agent that is free first of those that can do one."""
        ready = [
            number
            for number, befores in enumerate(self._befores)
            if number not in dealing.done and dealing.done.keys() >= befores
        ]
        for agent in sorted(self._team, key=lambda one: dealing.free[one]):
            source = self._find_source(dealing, agent)
            bids = []
            for number in ready:
                if (number, agent) in unable or not self._is_able(number, agent):
                    continue
                way = self._find_way(dealing, source, self._places[number])
                if way is None:
                    continue
                begun = max([dealing.done[b] for b in self._befores[number]], default=0.0)
                start = max(dealing.free[agent] + way.seconds, begun)
                bids.append((start - bonus * self._errands[number].work, number))
            if bids:
                return min(bids)[1], agent
        return None

    def _is_able(self, number: int, agent: str) -> bool:
        errand = self._errands[number]
        if errand.is_fixed:
            return agent == errand.agent
        return not any(self._lacks(agent, step.rule) for step in errand.steps)

    def _lacks(self, agent: str, rule: ActionRule) -> bool:
        return AbsentExecutor(agent, rule.executor) in self._absent

    def _list_places(self, errand: _Errand) -> frozenset[Fact]:
        """List what must be true of an agent, by its ways, when it begins an errand."""
        first = errand.steps[0]
        binding = dict(zip(first.rule.parameter_names, first.arguments, strict=True))
        needs = (ground(atom, binding) for atom in first.rule.positive())
        return _blank((f for f in needs if self._parts.is_place(f, errand.agent)), errand.agent)

    def _give(self, dealing: _Dealing, number: int, agent: str) -> bool:
        """Let an agent do an errand; return False, and change nothing, if it can't."""
        errand, before = self._errands[number], _copy(dealing.view)
        steps: list[GroundStep] = []
        now = dealing.free[agent]
        begun = max([dealing.done[b] for b in self._befores[number]], default=0.0)
        for step in errand.steps:
            own = _hand(step, errand.agent, agent)
            footprint = find_footprint(self._domain, dealing.view, own)
            missing = frozenset(f for f in footprint.needs if not dealing.view.holds(f))
            way = self._go(dealing, agent, missing)
            if way is None or not self._fits(own):
                dealing.view = before
                return False
            if dealing.view.hinders(footprint):
                dealing.view = before
                return False
            dealing.view.apply(footprint)
            steps += [*way.steps, own]
            now = max(now + way.seconds, begun) + self._seconds(own)
            written = footprint.adds | footprint.deletes
            dealing.news += any(fact.relation in self._news for fact in written)
        dealing.steps += steps
        dealing.free[agent] = dealing.done[number] = now
        return True

    def _fits(self, step: GroundStep) -> bool:
        """Return True if the arguments are of the types of the parameters."""
        schema, instance = self._instance.schema, self._instance
        for parameter, name in zip(step.rule.parameters, step.arguments, strict=True):
            own = instance.type_of(instance.id_of(name))
            if own != parameter.type and parameter.type not in schema.ancestors(own):
                return False
        return len(set(step.arguments)) == len(step.arguments)

    def _go_home(self, dealing: _Dealing, agent: str) -> bool:
        """Let an agent end where it ends in the plan at hand."""
        after = FactView(self._instance)
        for footprint in self._parts.footprints:
            after.apply(footprint)
        way = self._go(dealing, agent, self._find_places(after, agent))
        if way is None:
            return False
        dealing.steps += way.steps
        dealing.free[agent] += way.seconds
        return True

    def _go(self, dealing: _Dealing, agent: str, wanted: frozenset[Fact]) -> _Way | None:
        """Let an agent go where something holds; None, and nothing changed, without a way."""
        if not wanted:
            return _Way((), 0.0)
        if not all(self._parts.is_place(fact, agent) for fact in wanted):
            return None
        found = self._find_way(dealing, self._find_source(dealing, agent), _blank(wanted, agent))
        if found is None:
            return None
        way = replace(found, steps=tuple(_hand(step, "", agent) for step in found.steps))
        for one in way.steps:
            dealing.view.apply(find_footprint(self._domain, dealing.view, one))
        return way

    # --- ways

    def _find_places(self, view: FactView, agent: str) -> frozenset[Fact]:
        """Find the facts about an agent that ways change."""
        found: set[Fact] = set()
        for relation in self._parts.relations:
            for position in range(len(self._domain.schema.relation(relation).legs)):
                found.update(view.find_facts(relation, {position: agent}))
        return frozenset(found)

    def _find_source(self, dealing: _Dealing, agent: str) -> _Source:
        """Find where an agent begins a way. Agents of one type go by the name ""."""
        lacks = frozenset(
            r.executor for r, _ in self._parts.rules.values() if self._lacks(agent, r)
        )
        type_ = self._instance.type_of(self._instance.id_of(agent))
        here = _blank(self._find_places(dealing.view, agent), agent)
        return type_, lacks, dealing.news, here

    def _find_way(self, dealing: _Dealing, source: _Source, wanted: frozenset[Fact]) -> _Way | None:
        """Find the shortest way on which an agent comes to what is wanted; None without one."""
        key = source, wanted
        if key not in self._found:
            reached = self._reached.get(source)
            if reached is None:
                reached = self._reached[source] = self._search(dealing.view, source)
            ways = [way for place, way in reached.items() if wanted <= place]
            self._found[key] = min(ways, key=lambda way: way.seconds, default=None)
        return self._found[key]

    def _search(self, view: FactView, source: _Source) -> dict[frozenset[Fact], _Way]:
        """Find the shortest ways to all places (Dijkstra)."""
        type_, lacks, news, start = source
        agent = self._find_like(source)
        ties = itertools.count()
        reached = {start: _Way((), 0.0)}
        heap = [(0.0, next(ties), start)]
        done: set[frozenset[Fact]] = set()
        view = _copy(view)
        _move(view, self._find_places(view, agent), ())
        while heap and len(done) < MOST_PLACES:
            _, _, place = heapq.heappop(heap)
            if place in done:
                continue
            done.add(place)
            self._check()
            key = (type_, lacks, news, place)
            if key not in self._moves:
                self._moves[key] = self._list_moves(view, agent, place)
            way = reached[place]
            for step, seconds, after in self._moves[key]:
                then = way.seconds + seconds
                if after not in reached or then < reached[after].seconds:
                    reached[after] = _Way((*way.steps, step), then)
                    heapq.heappush(heap, (then, next(ties), after))
        return reached

    def _find_like(self, source: _Source) -> str:
        """Find an agent of the type, and with the executors, of a source."""
        type_, lacks, *_ = source
        return next(
            agent
            for agent in self._team
            if self._instance.type_of(self._instance.id_of(agent)) == type_
            and {r.executor for r, _ in self._parts.rules.values() if self._lacks(agent, r)}
            == lacks
        )

    def _list_moves(self, view: FactView, agent: str, place: frozenset[Fact]) -> list[_Move]:
        """List the ways of one step that an agent, which is nowhere, could go from a place."""
        there = _name(place, agent)
        _move(view, (), there)
        found: list[_Move] = []
        for rule, parameter in self._parts.rules.values():
            if self._lacks(agent, rule):
                continue
            types = {p.name: p.type for p in rule.parameters}
            for match in find_bindings(
                rule.positive(), types, view, {parameter: agent}, monic=True
            ):
                step = GroundStep(rule, tuple(match[name] for name in rule.parameter_names))
                footprint = find_footprint(self._domain, view, step)
                if not view.hinders(footprint):
                    after = (there - footprint.deletes) | footprint.adds
                    found.append(
                        (_hand(step, agent, ""), self._seconds(step), _blank(after, agent))
                    )
        _move(view, there, ())
        return found


def _copy(view: FactView) -> FactView:
    copy = FactView(view.instance)
    copy.take_over(view)
    return copy


def _hand(step: GroundStep, one: str, other: str) -> GroundStep:
    """Return the step with one element in the place of another."""
    return replace(step, arguments=tuple(other if a == one else a for a in step.arguments))


def _blank(facts: Iterable[Fact], agent: str) -> frozenset[Fact]:
    """Return the facts with an agent's name left out."""
    return frozenset(
        Fact(fact.relation, tuple("" if a == agent else a for a in fact.arguments))
        for fact in facts
    )


def _name(facts: Iterable[Fact], agent: str) -> frozenset[Fact]:
    """Undo `_blank`."""
    return frozenset(
        Fact(fact.relation, tuple(a or agent for a in fact.arguments)) for fact in facts
    )


def _move(view: FactView, before: Iterable[Fact], after: Iterable[Fact]) -> None:
    for fact in before:
        view.set(fact, False)
    for fact in after:
        view.set(fact, True)
