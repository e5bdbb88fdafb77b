# SPDX-License-Identifier: Apache-2.0
"""Steps of several robots: what runs at once, what waits for what, and how it ends together."""

from __future__ import annotations

import pytest
from dispatch_bench import FAILURE, STOPPED, SUCCESS, Bench, order, step

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch_model import DispatchStatus, FollowUp, ReplanPolicy
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.planning.model.plan import Schedule
from fcp_ros.planning.step_order import OrderError

GO, PICK, MEET = step("go"), step("pick"), step("meet")
TWO = order(3, (0, 2), (1, 2), agents=(("r1",), ("r2",), ("r1", "r2")))
"""`go` by one robot and `pick` by another; then they meet."""


def start(**settings) -> Bench:
    return Bench(GO, PICK, MEET, order=TWO, **settings).start()


def attempts(bench: Bench) -> dict[int, int]:
    return {command.index: command.attempt for command in bench.of(ev.SendStep)}


def end(bench: Bench, index: int, outcome: Outcome = SUCCESS) -> None:
    attempt = attempts(bench)[index]
    bench.tell(ev.Accepted(attempt))
    bench.tell(ev.Finished(attempt, outcome))


def test_steps_of_two_robots_run_at_once_and_a_late_one_delays_what_waits_for_it():
    lift = step("lift")
    bench = Bench(
        GO,
        PICK,
        MEET,
        lift,
        order=order(4, (0, 2), (1, 2), (1, 3), agents=(("r1",), ("r2",), ("r1",), ("r2",))),
    ).start()
    assert bench.dispatcher.running == (0, 1)
    end(bench, 1)
    assert bench.dispatcher.running == (0, 3), "the second robot goes on, the first is late"
    end(bench, 3)
    assert bench.dispatcher.waiting == (2,)
    end(bench, 0)
    end(bench, 2)
    assert bench.result.status is DispatchStatus.SUCCEEDED
    assert [record.index for record in bench.result.records] == [1, 3, 0, 2]


def test_an_executor_that_may_still_act_for_one_robot_is_free_for_another_if_it_is_shared():
    ledger = ExecutorLedger(["execute_go"])
    ledger.open(step("go", "r1"), ["r1"])
    other = Bench(step("go", "r2"), order=order(1, agents=(("r2",),)), ledger=ledger).start()
    assert other.sent.step.elements == ("r2",)
    same = Bench(step("go", "r1"), order=order(1, agents=(("r1",),)), ledger=ledger).start()
    assert not same.of(ev.SendStep)
    unknown = Bench(step("go", "r3"), ledger=ledger).start()
    assert not unknown.of(ev.SendStep), "who does it was not said: it could be the first robot"


def test_of_steps_for_one_executor_the_one_goes_first_that_must_start_first():
    schedule = Schedule((0, 0), (1, 1), (7, 0), (), (("r1",), ("r2",)), 9)
    bench = Bench(step("go", "r1"), step("go", "r2"), order=RunOrder.of(2, schedule)).start()
    assert bench.sent.index == 1


def test_a_failure_sends_nothing_more_and_lets_the_other_robot_finish():
    bench = start()
    end(bench, 0, FAILURE)
    assert bench.dispatcher.result is None
    assert not bench.of(ev.CancelStep)
    end(bench, 1)
    result = bench.result
    assert (result.status, result.steps_done) == (DispatchStatus.STEP_FAILED, 1)
    assert "go()" in result.message
    assert "It slipped." in result.message
    assert len(bench.of(ev.SendStep)) == 2
    assert ReplanPolicy().decide(result, 0).follow_up is FollowUp.REPLAN, "the failure decides"


def test_what_does_not_finish_after_a_failure_is_stopped_in_time():
    bench = start(finish_wait=3.0, grace_time=2.0)
    bench.tell(ev.Accepted(attempts(bench)[1]))
    failed_at = bench.now
    end(bench, 0, FAILURE)
    bench.wait()
    assert bench.now == failed_at + 3.0
    assert bench.of(ev.CancelStep) == [ev.CancelStep(attempts(bench)[1], "execute_pick")]
    bench.tell(ev.Finished(attempts(bench)[1], STOPPED))
    assert bench.codes == [OutcomeCode.EXECUTION_FAILED, OutcomeCode.CANCELLED]
    assert "its plan was given up" in bench.result.message
    assert bench.result.status is DispatchStatus.STEP_FAILED
    assert ReplanPolicy().decide(bench.result, 0).follow_up is FollowUp.REPLAN


def test_a_second_failure_is_told_too():
    bench = start()
    end(bench, 1, FAILURE)
    end(bench, 0, Outcome(OutcomeCode.PLANNING_FAILED, "No way there."))
    assert "pick()" in bench.result.message
    assert "No way there." in bench.result.message
    assert bench.result.failure == FAILURE


def test_cancel_stops_all_robots_and_names_all_that_do_not_answer():
    bench = start()
    for attempt in attempts(bench).values():
        bench.tell(ev.Accepted(attempt))
    bench.tell(ev.CancelRequested())
    assert {one.executor for one in bench.of(ev.CancelStep)} == {"execute_go", "execute_pick"}
    bench.wait()
    assert bench.result.status is DispatchStatus.CANCELLED
    assert bench.result.unanswered == "execute_go, execute_pick"
    assert bench.result.message.count("may still be acting") == 2


def test_a_lost_scene_ends_the_plan_after_the_steps_that_run():
    bench = Bench(GO, PICK, MEET, order=order(3, (0, 2), agents=(("r1",), ("r2",), ("r1",))))
    bench.start()
    bench.tell(ev.Accepted(attempts(bench)[1]))
    bench.tell(ev.SceneLost("Nobody keeps it."))
    bench.now += bench.settings.scene_wait - 40.0
    end(bench, 0)
    bench.now += 40.0
    bench.tell(ev.Tick())  # the success of `go` counts by the executor's word; `pick` times out
    assert bench.codes == [OutcomeCode.SUCCEEDED]
    end(bench, 1)
    bench.tell(ev.Tick())
    assert bench.result.status is DispatchStatus.SCENE_LOST
    assert bench.result.steps_done == 2
    assert 2 not in attempts(bench)


def test_one_answer_of_a_shared_executor_sends_nothing_after_a_step_that_cannot_be_done():
    steps = (step("look"), step("go", executor="base"), step("come", executor="base"))
    after = order(3, (0, 1), (0, 2), agents=(("r1", "r2"), ("r1",), ("r2",)))
    bench = Bench(*steps, order=after, ledger=ExecutorLedger(["base"]))
    bench.world.missing["go"] = "The door is closed."
    bench.start()
    end(bench, 0)
    assert list(attempts(bench)) == [0]
    assert bench.codes == [OutcomeCode.SUCCEEDED, OutcomeCode.PRECONDITION_FAILED]


def test_an_order_that_is_none_is_refused():
    schedule = Schedule((0, 0), (1, 1), (0, 0), ((0, 1), (1, 0)), ((), ()), 1)
    with pytest.raises(OrderError, match="cycle"):
        RunOrder.of(2, schedule)
