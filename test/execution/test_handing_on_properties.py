# SPDX-License-Identifier: Apache-2.0
"""Plans that take over from one another while robots are lost: against a look at all that was."""

from __future__ import annotations

from dispatch_bench import SUCCESS, Bench, step
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.execution import events as ev
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.run_order import RunOrder

ROBOTS = ("r1", "r2", "r3")
robots = st.sampled_from(ROBOTS)
steps_ = st.lists(robots, max_size=5)
ACTIONS = st.one_of(
    st.tuples(st.just("finish"), robots, st.sampled_from([SUCCESS, SUCCESS, SUCCESS])),
    st.tuples(st.just("finish"), robots, st.sampled_from([*map(Outcome, OutcomeCode)])),
    st.tuples(st.just("lose"), robots),
    st.tuples(st.just("return"), robots),
    st.tuples(st.just("hand on"), steps_),
    st.tuples(st.just("go on")),
    st.tuples(st.just("wait")),
    st.tuples(st.just("cancel")),
)


def make_step(robot: str):
    return step("go", robot, executor=f"{robot}/go")


def make_order(names: list[str]) -> RunOrder:
    """Each robot does its steps one after the other, beside the others."""
    befores = [
        frozenset([i for i in range(at) if names[i] == name][-1:]) for at, name in enumerate(names)
    ]
    return RunOrder(tuple(befores), tuple((n,) for n in names), tuple(range(len(names))))


class Run:
    """A bench, and what was seen of each attempt."""

    def __init__(self, names: list[str]) -> None:
        owners = {f"{name}/go": name for name in ROBOTS}
        self.names = names  # of the robots that do the steps of the plan at hand
        make = map(make_step, names)
        self.bench = Bench(*make, order=make_order(names), owners=owners, hands_on=True)
        self.bench.start()
        self.ended: set[int] = set()  # attempts whose executors have answered for good

    @property
    def dispatcher(self):
        return self.bench.dispatcher

    def find_acting(self, robot: str) -> list[int]:
        sent = self.bench.of(ev.SendStep)
        mine = (one.attempt for one in sent if one.step.elements == (robot,))
        return [attempt for attempt in mine if attempt not in self.ended]

    def act(self, kind: str, *given) -> None:
        if kind == "finish":
            robot, outcome = given
            for attempt in self.find_acting(robot) if robot not in self.bench.gone else ():
                self.ended.add(attempt)
                self.bench.tell(ev.Accepted(attempt))
                self.bench.tell(ev.Finished(attempt, outcome))
        elif kind == "lose":
            self.bench.gone.add(f"{given[0]}/go")
            self.bench.tell(ev.ExecutorLost(f"{given[0]}/go"))
        elif kind == "return":
            self.bench.gone.discard(f"{given[0]}/go")
            self.bench.tell(ev.ExecutorReady(f"{given[0]}/go"))
        elif kind == "hand on" and self.dispatcher.handing_on is not None:
            present = [self.names[index] for index in self.dispatcher.running]
            self.names = [*present, *given[0]]
            sent = len(self.bench.of(ev.SendStep))
            steps = list(map(make_step, self.names))
            self.follow(self.dispatcher.take_over(steps, make_order(self.names)))
            again = [one.index for one in self.bench.of(ev.SendStep)[sent:]]
            assert all(index >= len(present) for index in again), "what runs is not sent again"
        elif kind == "go on":
            self.follow(self.dispatcher.go_on())
        elif kind == "wait" and self.dispatcher.deadline is not None:
            self.bench.wait()
        elif kind == "cancel":
            self.bench.tell(ev.CancelRequested())

    def follow(self, commands) -> None:
        self.bench.commands += commands
        for one in commands:
            if isinstance(one, ev.FindExecutor) and one.executor not in self.bench.gone:
                self.bench.tell(ev.ExecutorReady(one.executor))

    def check(self) -> None:
        sent, recorded = self.bench.of(ev.SendStep), self.bench.of(ev.RecordOutcome)
        assert len({one.attempt for one in sent}) == len(sent)
        assert len(recorded) + len(self.dispatcher.running) == len(sent), "one outcome for each"
        for robot in ROBOTS:
            assert len(self.find_acting(robot)) <= 1, "a robot has two steps"
        if self.dispatcher.handing_on is not None:
            assert self.dispatcher.running, "nobody waits for a plan while nothing is done"


@settings(max_examples=150)
@given(st.lists(robots, min_size=1, max_size=6), st.lists(ACTIONS, max_size=25))
def test_no_step_is_lost_or_done_twice_however_plans_take_over(names, actions):
    run = Run(names)
    for action in actions:
        run.act(*action)
        run.check()
    for _ in range(60):  # then all goes well, and every plan ends
        if run.dispatcher.result is not None:
            break
        run.act("go on")
        for robot in ROBOTS:
            run.act("finish", robot, SUCCESS)
        if run.dispatcher.result is None:
            run.act("wait")
        run.check()
    assert run.dispatcher.result is not None
    assert run.dispatcher.running == ()
