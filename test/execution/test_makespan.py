# SPDX-License-Identifier: Apache-2.0
"""A plan of two robots takes as long as its schedule says, in simulated time, and not their sum."""

from __future__ import annotations

import heapq

import pytest
from carrying_robots import DOMAIN, make_state, make_step

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchSettings, DispatchStatus
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.monitoring import Monitor
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.execution.simulated_world import Performance, SimulatedWorld, parse_faults
from fcp_ros.planning.schedule import schedule_steps
from fcp_ros.planning.verification.stepping import StepRules

START = make_state("at r1 shelf", "at r2 table", "on cup shelf", "on book table")
LINES = {  # and the expected duration (s): 30 s for one robot, and 18 s for the other
    "pick r1 cup shelf": 4.0,
    "go r1 shelf hall": 10.0,
    "put r1 cup hall": 6.0,
    "go r1 hall shelf": 10.0,
    "pick r2 book table": 4.0,
    "go r2 table hall": 8.0,
    "put r2 book hall": 6.0,
}


class Simulation:
    """A dispatcher and its executors, on a clock that jumps from one end of a step to the next."""

    def __init__(self, steps, order, shared=("go", "pick", "put"), faults=()) -> None:
        self.now = 0.0
        self.world = SimulatedWorld(DOMAIN, START, faults=parse_faults(faults))
        monitor = Monitor(StepRules(DOMAIN), lambda: self.world.instance)
        ledger = ExecutorLedger(shared)
        self.dispatcher = Dispatcher(
            steps, DispatchSettings(), ledger, monitor, lambda: self.now, order=order
        )
        self.ends: list[tuple[float, int, Performance]] = []
        self.begun: dict[int, float] = {}

    def run(self) -> None:
        self.obey(self.dispatcher.start())
        while self.dispatcher.result is None:
            self.now, attempt, performance = heapq.heappop(self.ends)
            outcome = self.world.complete(performance).outcome
            self.obey(self.dispatcher.handle(ev.Finished(attempt, outcome)))
            self.obey(self.dispatcher.handle(ev.WorldChanged()))

    def obey(self, commands) -> None:
        for command in commands:
            if isinstance(command, ev.FindExecutor):
                self.obey(self.dispatcher.handle(ev.ExecutorReady(command.executor)))
            elif isinstance(command, ev.SendStep):
                performance = self.world.begin(command.step)
                self.begun[command.index] = self.now
                end = self.now + performance.duration
                heapq.heappush(self.ends, (end, command.attempt, performance))
                self.obey(self.dispatcher.handle(ev.Accepted(command.attempt)))


@pytest.fixture(scope="module")
def steps():
    return tuple(make_step(line, duration) for line, duration in LINES.items())


@pytest.fixture(scope="module")
def schedule(steps):
    return schedule_steps(DOMAIN, START, steps)


def test_two_robots_take_30_seconds_for_steps_that_sum_up_to_48(steps, schedule):
    alone = Simulation(steps, None)
    alone.run()
    assert alone.now == 48.0
    assert schedule.makespan == 30.0
    together = Simulation(steps, RunOrder.of(len(steps), schedule))
    together.run()
    assert together.dispatcher.result.status is DispatchStatus.SUCCEEDED
    assert together.now == 30.0
    assert tuple(together.begun[index] for index in range(len(steps))) == schedule.starts
    assert together.world.instance == alone.world.instance


def test_a_late_step_delays_its_own_robot_only(steps, schedule):
    late = ["pick(item=book): delay 5"]
    run = Simulation(steps, RunOrder.of(len(steps), schedule), faults=late)
    run.run()
    first = range(4)
    assert [run.begun[index] for index in first] == [schedule.starts[index] for index in first]
    assert run.begun[5] == schedule.starts[5] + 5.0
    assert run.now == 30.0, "it had time to spare"
