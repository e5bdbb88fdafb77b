# SPDX-License-Identifier: Apache-2.0
"""Plans of several goals that are executed side by side: which ones meet, and where.

Two plans meet if they need the same agent or the same executor (unless that serves several robots
at once), if there is not enough of a resource for both, or if a step of one would have to stay
before a step of the other, done one plan after the other (`step_order`: a fact that one writes and
the other reads or takes away, constraints and resources included). The goals count as steps that
read what they demand. Plans that don't meet
can be done in any mixture of their orders: each step reads what it would read without the other
plan, and both end as planned. So what is planned on the present state, while a plan runs that it
does not meet, holds as well on every state that this plan leads to.

A plan may also be made for the end of others that it meets (`MeetingFinder.find_waits`). Done one
after the other, all of them reach their goals; and so they do in each mixture in which a step waits
for those steps of the others that it has to stay behind, or shares an agent or executor with. Each
goal that comes first is reached, and what comes later may change what it has reached only then.

Only steps that have not ended count: a robot that is done with its part is free.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from fcp_ros.cset import Fact, Instance, UnknownElement
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.structure import has_constraints
from fcp_ros.domain.model import Domain
from fcp_ros.execution.goal_conflicts import Literals, list_literals
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import join_words
from fcp_ros.planning.footprint import FactPattern, FactView, StepFootprint, find_footprints
from fcp_ros.planning.model.ground_step import Agents, GroundStep
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.step_order import find_causal_pairs, find_reservoir_pairs, is_within


@dataclass(frozen=True)
class Claim:
    """The needs of a plan as long as it is not done.

    `alone`: a clause why nothing else may be done meanwhile; "" if other plans may.
    """

    words: str = ""  # the goal, for people
    steps: tuple[PlanStep, ...] = ()  # in the plan's order, with the executors that they go to
    demands: Literals = field(default_factory=dict)  # of the goal
    alone: str = ""

    def without(self, done: Collection[int]) -> Claim:
        """Return what is still needed when the steps at these positions have succeeded."""
        rest = tuple(step for at, step in enumerate(self.steps) if at not in done)
        return Claim(self.words, rest, self.demands, self.alone)


def make_claim(
    words: str, goal: str, steps: Sequence[PlanStep], domain: Domain, *, is_shifted: bool
) -> Claim:
    """Make the claim of a plan.

    `goal`: as it was planned for. `is_shifted`: elements are taken for others in it.
    """
    alone = ""
    if domain.strata:
        alone = "the domain derives facts, which any step may change"
    elif is_shifted:
        alone = "it takes things for others"
    elif _says_how(goal):
        alone = "its goal says how it is to be reached"
    return Claim(words, tuple(steps), list_literals(goal), alone)


def _says_how(goal: str) -> bool:
    try:
        return bool(goal) and has_constraints(parse_expression(goal))
    except InputError:
        return False  # words of a plan that was made elsewhere


Place = tuple[int, int]
"""A step: the number of its plan, and its position there. The goal comes after the last one."""


class MeetingFinder:
    """Finds out if plans meet, and in which steps.

    `shared`: executors that take steps of several robots at once.
    """

    def __init__(self, domain: Domain, shared: Collection[str] = ()) -> None:
        self._domain = domain
        self._shared = frozenset(shared)

    def find(self, plan: Claim, other: Claim, present: Instance) -> str:
        """Say why a plan can't be done beside another one: a clause; "" if it can.

        `present`: the state, in which the first step of the other plan may have begun.
        """
        if plan.alone or other.alone:
            return plan.alone or f"of that one {other.alone}"
        if not plan.steps or not other.steps:
            return ""
        try:
            return self._find_shared(plan, other, present) or self._find_order(plan, other, present)
        except UnknownElement as error:
            return f"something that one of them needs is gone ({error})"

    def list_agents(self, claim: Claim, present: Instance) -> frozenset[str]:
        """List the agents of a plan's steps; a step without one counts for its executor."""
        return frozenset().union(*self._list_agents(claim.steps, present))

    def _list_agents(
        self, steps: Sequence[PlanStep], present: Instance
    ) -> Iterator[frozenset[str]]:
        yield from map(frozenset, map(Agents(self._domain, present).find, steps))

    def _find_shared(self, plan: Claim, other: Claim, present: Instance) -> str:
        """Find what both plans need, and only one can have."""
        agents = self.list_agents(plan, present) & self.list_agents(other, present)
        if agents:
            return f"both need {join_words(sorted(agents))}"
        executors = {one.executor for one in plan.steps} & {one.executor for one in other.steps}
        if executors - self._shared:
            names = join_words(sorted(executors - self._shared))
            return f"both need {names}, which does one step at a time"
        for name, resource in self._domain.resources.items():
            # Each plan is made for the initial level: what was used before is not known here.
            uses = [self._domain.rules[one.rule].uses.get(name, 0.0) for one in other.steps]
            own = [self._domain.rules[one.rule].uses.get(name, 0.0) for one in plan.steps]
            levels = accumulate((-use for use in (*uses, *own)), initial=resource.initial)
            if any(uses) and any(own) and not all(is_within(resource, one) for one in levels):
                return f"there is not enough {name} for both"
        return ""

    def _find_order(self, plan: Claim, other: Claim, present: Instance) -> str:
        """Find a step of one plan that has to stay before a step of the other."""
        first = min(self._find_pairs((other, plan), present), default=None)
        if first is None:
            return ""
        before, after = (
            str(one.steps[at]) if at < len(one.steps) else one.words
            for one, (_, at) in zip((other, plan), first, strict=True)
        )
        return f"{after} depends on {before}"

    def find_waits(
        self, ahead: Sequence[Claim], plan: Claim, present: Instance | None
    ) -> dict[int, frozenset[Place]]:
        """Find what each step of a plan, and its goal, has to wait for: steps of plans ahead of it.

        `ahead`: the plans, each made for the end of those before it, for whose end this plan was
        made. The number of a plan is its position there.
        """
        try:
            if present is not None:
                return self._find_waits(ahead, plan, present)
        except UnknownElement:
            pass
        # It is not known what they read and write: they are done one after the other.
        everything = [(n, at) for n, one in enumerate(ahead) for at in range(len(one.steps))]
        return dict.fromkeys(range(len(plan.steps) + 1), frozenset(everything))

    def _find_waits(
        self, ahead: Sequence[Claim], plan: Claim, present: Instance
    ) -> dict[int, frozenset[Place]]:
        waits: dict[int, set[Place]] = defaultdict(set)
        for (number, at), (own, index) in self._find_pairs((*ahead, plan), present):
            if own == len(ahead):
                # whatever depends on the goal of a plan waits for all of it
                last = len(ahead[number].steps)
                steps = range(last) if at == last else (at,)
                waits[index].update((number, one) for one in steps)
        for before, index in self._find_excluded(ahead, plan, present):
            waits[index].add(before)
        return {index: frozenset(places) for index, places in waits.items()}

    def _find_excluded(
        self, ahead: Sequence[Claim], plan: Claim, present: Instance
    ) -> Iterator[tuple[Place, int]]:
        """Yield steps of other plans with steps of a plan that need the same agent or executor."""
        own_agents = tuple(self._list_agents(plan.steps, present))
        for number, other in enumerate(ahead):
            for at, agents in enumerate(self._list_agents(other.steps, present)):
                for index, step in enumerate(plan.steps):
                    is_same = step.executor == other.steps[at].executor
                    is_alone = is_same and step.executor not in self._shared
                    if is_alone or not agents.isdisjoint(own_agents[index]):
                        yield (number, at), index

    def _find_pairs(
        self, claims: Sequence[Claim], present: Instance
    ) -> Iterator[tuple[Place, Place]]:
        """Yield the steps of different plans that stay in order, done one plan after the other."""
        rules = self._domain.rules
        places = [(n, at) for n, claim in enumerate(claims) for at in range(len(claim.steps))]
        steps = [claims[number].steps[at] for number, at in places]
        bound = [GroundStep(rules[step.rule], step.elements) for step in steps]
        read = dict(zip(places, find_footprints(self._domain, present, bound), strict=True))
        read.update(((n, len(claim.steps)), _demand(claim)) for n, claim in enumerate(claims))
        line = sorted(read)
        pairs = {
            (line[before], line[after])
            for before, after in find_causal_pairs(FactView(present), [read[at] for at in line])
        }
        for before, after in find_reservoir_pairs(self._domain, bound, {}):
            pairs.add((places[before], places[after]))
        yield from ((before, after) for before, after in pairs if before[0] < after[0])


def _demand(claim: Claim) -> StepFootprint:
    """Return the footprint of a goal: a step that reads what it demands."""
    needs = frozenset(fact for fact, holds in claim.demands.items() if holds)
    avoids = tuple(_cover(fact) for fact, holds in claim.demands.items() if not holds)
    return StepFootprint(needs, avoids, (), frozenset(), frozenset())


def _cover(fact: Fact) -> FactPattern:
    return FactPattern(fact.relation, tuple(enumerate(fact.arguments)))
