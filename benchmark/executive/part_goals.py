# SPDX-License-Identifier: Apache-2.0
"""Two goals, the second of which comes while the first is at work: when it begins and ends.

In simulated time; plans are made, and plans of two goals kept apart, as by the executive.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmark.executive.house import DOMAIN, EXECUTORS
from benchmark.tables import Line, Part
from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.execution.plan_register import PlanRegister, PlansAhead
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.execution.side_by_side import Claim, MeetingFinder, make_claim
from fcp_ros.planning import PlanningRequest
from fcp_ros.planning import plan as find_plan
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.request import AbsentExecutor, PlanningOptions
from fcp_ros.planning.verification.stepping import StepRules

PAIRS, QUICK_PAIRS = 50, 10
ROOMS = tuple(f"room_{number}" for number in range(8))
KINDS = {
    "any robot each": ("on(item_0, {0})", "on(item_1, {1})"),
    "one robot for both": (
        "on(item_0, {0}) and at(robot_0, {0})",
        "on(item_1, {1}) and at(robot_0, {1})",
    ),
    "one robot, then both": (
        "on(item_0, {0}) and at(robot_0, {0})",
        "on(item_1, {1}) and at(robot_0, {1}) and on(item_2, {2}) and at(robot_1, {2})",
    ),
    "the same thing": ("on(item_0, {0})", "on(item_0, {1}) and on(item_1, {2})"),
}
"""Goals, with rooms to be drawn."""
RULES = StepRules(DOMAIN)


@dataclass
class Execution:
    """A plan that is executed."""

    claim: Claim
    order: RunOrder
    begun: dict[int, float]
    done: set[int]


class House:
    """Two robots, and the goals at work by their keys; the clock jumps from end to end."""

    def __init__(self, draw: random.Random) -> None:
        self.state = _draw_state(draw)
        self.now = 0.0
        self.register = PlanRegister(MeetingFinder(DOMAIN, EXECUTORS), lambda: self.state)
        self._work: dict[bytes, Execution] = {}
        self._ends: list[tuple[float, bytes, int]] = []
        self.ended: dict[bytes, float] = {}

    def find(self, goal: str, state: Instance, busy: frozenset[str] = frozenset()) -> Plan | None:
        absent = frozenset(AbsentExecutor(robot, name) for robot in busy for name in EXECUTORS)
        options = PlanningOptions(absent=absent, allow_relaxation=False, improve_time=0.2)
        return find_plan(PlanningRequest(DOMAIN, state, parse_expression(goal), options)).plan

    def try_to_begin(self, key: bytes, goal: str, *, joins: bool) -> str:
        """Begin with a goal beside others, or if it `joins` them behind them; "" if it waits."""
        busy = frozenset().union(*self.register.list_busy(key).values())
        plan = self.find(goal, self.state, busy)
        if plan is not None and self._begin(key, goal, plan, PlansAhead()):
            return "beside"
        ahead = self.register.find_ahead(key) if joins else PlansAhead()
        if not ahead.entries:
            return ""
        plan = self.find(goal, RULES.foresee(ahead.steps, self.state))
        return "behind" if plan is not None and self._begin(key, goal, plan, ahead) else ""

    def _begin(self, key: bytes, goal: str, plan: Plan, ahead: PlansAhead) -> bool:
        claim = make_claim(goal, goal, plan.steps, DOMAIN, is_shifted=False)
        if self.register.find_meeting(key, claim, ahead) is not None:
            return False
        self.register.begin(key, claim, ahead)
        order = RunOrder.of(len(plan.steps), plan.schedule)
        self._work[key] = Execution(claim, order, {}, set())
        self.send()
        return True

    def begun(self, key: bytes) -> float:
        """The time of a goal's first step; of its end, if it held already."""
        return min(self._work[key].begun.values(), default=self.ended[key])

    def send(self) -> None:
        """Begin all steps that can begin; end goals."""
        for key, one in list(self._work.items()):
            for index in one.order.ranking:
                is_ready = one.order.befores[index] <= one.done and index not in one.begun
                if is_ready and not self.register.is_held(key, index):
                    one.begun[index] = self.now
                    end = self.now + one.claim.steps[index].duration
                    heapq.heappush(self._ends, (end, key, index))
            is_done = len(one.done) == len(one.claim.steps) and key not in self.ended
            if is_done and not self.register.is_held(key, len(one.claim.steps)):
                self.ended[key] = self.now
                self.register.leave(key)

    def go_on(self) -> bool:
        """Wait for the next end of a step; False if there is none."""
        if not self._ends:
            return False
        self.now, key, index = heapq.heappop(self._ends)
        one = self._work[key]
        step: PlanStep = one.claim.steps[index]
        state = RULES.apply(step, self.state).instance
        assert state is not None, f"{step} can't be done"
        self.state = state
        one.done.add(index)
        self.register.note_done(key, index)
        self.send()
        return True


def _draw_state(draw: random.Random) -> Instance:
    """Two robots and three items, each in any room."""
    builder = InstanceBuilder(DOMAIN.schema)
    rooms = [builder.add("place", name) for name in ROOMS]
    for number in range(2):
        builder.relate("at", builder.add("robot", f"robot_{number}"), draw.choice(rooms))
    for number in range(3):
        builder.relate("on", builder.add("item", f"item_{number}"), draw.choice(rooms))
    return builder.build()


def run(goals: Sequence[str], seed: int, *, joins: bool) -> tuple[str, float, float]:
    """Return how the second goal began, and the seconds until its first step and its end."""
    draw = random.Random(seed)
    house, steps = House(draw), draw.randrange(4)
    house.try_to_begin(b"1", goals[0], joins=False)
    for _ in range(steps):
        house.go_on()
    came, how = house.now, ""
    while not (how := house.try_to_begin(b"2", goals[1], joins=joins)):
        assert house.go_on()
    is_late = house.now > came
    while house.go_on():
        pass
    assert set(house.ended) == {b"1", b"2"}
    return "waited" if is_late else how, house.begun(b"2") - came, house.ended[b"2"] - came


def measure(quick: bool) -> Part:
    """Count how goals of all kinds begin."""
    pairs = QUICK_PAIRS if quick else PAIRS
    lines = [line for kind in KINDS for line in _measure_kind(kind, pairs)]
    notes = ("the second goal comes after 0 to 3 steps of the first; s: simulated seconds.",)
    return Part("two goals at once", lines, (), notes)


def _measure_kind(kind: str, pairs: int) -> Iterator[Line]:
    for who, joins in (("one waits for the other", False), ("steps wait for steps", True)):
        found = []
        for seed in range(pairs):
            rooms = random.Random(seed).sample(ROOMS, 3)
            goals = tuple(goal.format(*rooms) for goal in KINDS[kind])
            found.append(run(goals, seed, joins=joins))
        ways = [one[0] for one in found]
        figures = {how: float(ways.count(how)) for how in ("beside", "behind", "waited")}
        figures["until its first step [s]"] = fmean(one[1] for one in found)
        figures["until its end [s]"] = fmean(one[2] for one in found)
        yield Line(kind, who, figures)
