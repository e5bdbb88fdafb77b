# SPDX-License-Identifier: Apache-2.0
"""Plans of several goals that are executed side by side: which ones meet, and who waits for whom.

Two plans meet if they need the same agent or the same executor (unless that serves several robots
at once), if there is not enough of a resource for both, or if a step of one would have to stay
before a step of the other, done one plan after the other (`step_order`: a fact that one writes and
the other reads or takes away, constraints and resources included). The goals count as steps that
read what they demand. Plans that don't meet
can be done in any mixture of their orders: each step reads what it would read without the other
plan, and both end as planned. So what is planned on the present state, while a plan runs that it
does not meet, holds as well on every state that this plan leads to.

Only steps that have not ended count: a robot that is done with its part is free. Invariants, by
which nothing is done twice, and nobody waits for ever:

- a plan begins only if it meets none that runs, and none that has waited longer;
- a plan that waits holds nothing, and waits for older ones only: there is no circle;
- no two plans that run need the same robot, or an executor that can't serve both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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


class MeetingFinder:
    """Finds out if two plans meet.

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
        agents = Agents(self._domain, present)
        return frozenset(
            name
            for step in claim.steps
            if all(present.has(element) for element in step.elements)
            for name in agents.of(step)
        )

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
        steps = (*other.steps, *plan.steps)
        bound = [GroundStep(self._domain.rules[step.rule], step.elements) for step in steps]
        found = find_footprints(self._domain, present, bound)
        count = len(other.steps)
        footprints = [*found[:count], _demand(other), *found[count:], _demand(plan)]
        words = [*map(str, other.steps), other.words, *map(str, plan.steps), plan.words]
        pairs = find_causal_pairs(FactView(present), footprints)
        for before, after in find_reservoir_pairs(self._domain, bound, {}):
            # The goal of the other plan comes after its steps.
            pairs.add((before + (before >= count), after + (after >= count)))
        crossing = [(before, after) for before, after in pairs if before <= count < after]
        if not crossing:
            return ""
        before, after = min(crossing)
        return f"{words[after]} depends on {words[before]}"


def _demand(claim: Claim) -> StepFootprint:
    """Return the footprint of a goal: a step that reads what it demands."""
    needs = frozenset(fact for fact, holds in claim.demands.items() if holds)
    avoids = tuple(_cover(fact) for fact, holds in claim.demands.items() if not holds)
    return StepFootprint(needs, avoids, (), frozenset(), frozenset())


def _cover(fact: Fact) -> FactPattern:
    return FactPattern(fact.relation, tuple(enumerate(fact.arguments)))


@dataclass(frozen=True)
class PlanMeeting:
    """A plan that another one has to wait for, and why: one sentence."""

    key: bytes
    reason: str


@dataclass
class _Entry:
    claim: Claim
    runs: bool
    done: set[int] = field(default_factory=set)

    @property
    def rest(self) -> Claim:
        return self.claim.without(self.done)


class PlanRegister:
    """The plans that run, and those that wait for room, by the keys of their goals.

    Not thread-safe. `find_present`: returns the state as it is seen.
    """

    def __init__(self, finder: MeetingFinder, find_present: Callable[[], Instance | None]) -> None:
        self._finder = finder
        self._find_present = find_present
        self._entries: dict[bytes, _Entry] = {}  # those that have waited longest first

    def find_meeting(self, key: bytes, claim: Claim) -> PlanMeeting | None:
        """Return the first plan that a goal's plan has to wait for; None if it can begin."""
        present = self._find_present()
        for other, entry in self._list_ahead(key):
            reason = "there is no state"
            if present is not None:
                reason = self._finder.find(claim, entry.rest, present)
            if reason:
                words = entry.claim.words
                return PlanMeeting(other, f"Waits for the goal {words!r}: {reason}.")
        return None

    def _list_ahead(self, key: bytes) -> Iterator[tuple[bytes, _Entry]]:
        """Yield the plans of other goals that run, or have waited longer than this goal."""
        is_older = True
        for other, entry in self._entries.items():
            if other == key:
                is_older = False
            elif entry.runs or is_older:
                yield other, entry

    def list_busy(self, key: bytes) -> Mapping[bytes, frozenset[str]]:
        """List the agents that the plans ahead of a goal need, by the keys of their goals."""
        present = self._find_present()
        if present is None:
            return {}
        return {
            other: self._finder.list_agents(entry.rest, present)
            for other, entry in self._list_ahead(key)
        }

    def wait(self, key: bytes, claim: Claim) -> None:
        """Note that a goal's plan waits; a goal that waits already keeps its place."""
        if key in self._entries:
            self._entries[key].claim = claim
        else:
            self._entries[key] = _Entry(claim, runs=False)

    def begin(self, key: bytes, claim: Claim) -> None:
        """Note that a goal's plan runs from now on; the caller has found that it meets none."""
        self._entries[key] = _Entry(claim, runs=True)

    def note_done(self, key: bytes, index: int) -> None:
        """Note that the step at this position of a plan that runs has succeeded."""
        self._entries[key].done.add(index)

    def leave(self, key: bytes) -> None:
        """Note that a goal's plan neither runs nor waits any more."""
        self._entries.pop(key, None)

    @property
    def is_anybody_waiting(self) -> bool:
        """True if a plan waits for room."""
        return any(not entry.runs for entry in self._entries.values())
