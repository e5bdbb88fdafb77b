# SPDX-License-Identifier: Apache-2.0
"""Robots with executors of their own: whose a step is, and what follows when they are gone."""

from __future__ import annotations

import pytest
from dispatch_bench import FAILURE, STOPPED, SUCCESS, Bench, order, step

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch_model import (
    DispatchStatus,
    FollowUp,
    ReplanPolicy,
    describe_absent,
)
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.planning.model.request import AbsentExecutor

OWNERS = {"r1/go": "r1", "r2/go": "r2"}
FIRST, SECOND = step("go", "r1", executor="r1/go"), step("go", "r2", executor="r2/go")
TURNS = order(4, (0, 1), (2, 3), agents=(("r1",), ("r1",), ("r2",), ("r2",)))
"""Two steps of one robot, and two of another."""


def make_bench(*steps, **more) -> Bench:
    return Bench(*steps, owners=OWNERS, **more)


def end(bench: Bench, index: int) -> None:
    attempts = {command.index: command.attempt for command in bench.of(ev.SendStep)}
    bench.tell(ev.Accepted(attempts[index]))
    bench.tell(ev.Finished(attempts[index], SUCCESS))


def decide(bench):
    return ReplanPolicy().decide(bench.result, 0).follow_up


def test_the_other_robot_goes_on_to_the_end_and_the_rest_is_planned_again():
    bench = make_bench(FIRST, FIRST, SECOND, SECOND, order=TURNS, finish_wait=1.0).start()
    assert bench.dispatcher.running == (0, 2)
    bench.tell(ev.ExecutorLost("r1/go"))
    assert bench.dispatcher.running == (2,)
    bench.now += 2.0
    bench.tell(ev.Tick())
    assert bench.dispatcher.running == (2,), "it is not stopped after finish_wait"
    end(bench, 2)
    end(bench, 3)
    result = bench.result
    assert (result.status, result.steps_done) == (DispatchStatus.EXECUTOR_LOST, 2)
    assert (result.lost_robots, result.unanswered) == (("r1",), "r1/go")
    assert decide(bench) is FollowUp.REPLAN
    assert bench.ledger.list_abandoned() == {1: "r1/go"}


def test_the_same_executor_for_all_ends_the_plan_and_nothing_is_planned():
    both = order(2, agents=(("r1",), ("r2",)))
    go = [step("go", one, executor="go") for one in ("r1", "r2")]
    bench = make_bench(*go, order=both, ledger=ExecutorLedger(["go"])).start()
    bench.tell(ev.ExecutorLost("go"))
    assert bench.result.lost_robots == ()
    assert decide(bench) is FollowUp.FAILED


def test_an_executor_that_is_missing_at_the_start_ends_the_plan_before_anything_moves():
    bench = make_bench(FIRST, FIRST, SECOND, SECOND, order=TURNS)
    bench.gone.add("r1/go")
    bench.start(ready=False)
    bench.tell(ev.ExecutorReady("r2/go"))
    bench.wait()
    assert not bench.of(ev.SendStep)
    assert bench.result.status is DispatchStatus.NO_EXECUTOR
    assert bench.result.lost_robots == ("r1",)
    assert decide(bench) is FollowUp.REPLAN


def test_an_executor_that_goes_between_two_steps_is_looked_for_and_then_done_without():
    bench = make_bench(FIRST, FIRST, SECOND, SECOND, order=TURNS).start()
    bench.gone.add("r1/go")
    end(bench, 0)
    end(bench, 2)
    assert bench.dispatcher.running == (3,)
    bench.tell(ev.Accepted(bench.sent.attempt))
    bench.wait()
    assert bench.dispatcher.running == (3,), "the first robot is not waited for any more"
    assert bench.dispatcher.waiting == (1,)
    end(bench, 3)
    assert bench.result.status is DispatchStatus.NO_EXECUTOR
    assert (bench.result.lost_robots, bench.result.steps_done) == (("r1",), 3)
    assert decide(bench) is FollowUp.REPLAN


def test_a_lost_executor_that_has_answered_is_not_said_to_be_acting():
    """The second robot goes on meanwhile, so that the plan ends after the answer."""
    steps = order(2, agents=(("r1",), ("r2",)))
    bench = make_bench(FIRST, SECOND, order=steps).start()
    bench.tell(ev.ExecutorLost("r1/go"))
    bench.tell(ev.Forgotten(1))
    end(bench, 1)
    assert bench.result.status is DispatchStatus.EXECUTOR_LOST
    assert (bench.result.unanswered, bench.result.lost_robots) == ("", ("r1",))


def test_an_answer_that_comes_late_leaves_nothing_abandoned():
    bench = make_bench(FIRST, order=order(1, agents=(("r1",),))).start()
    attempt = bench.accept()
    bench.tell(ev.ExecutorLost("r1/go"))
    assert bench.ledger.list_abandoned() == {attempt: "r1/go"}
    bench.ledger.take_late(ev.Forgotten(attempt))
    assert bench.ledger.list_abandoned() == {}


def test_a_robot_that_a_silent_executor_may_be_moving_is_not_waited_for_for_ever():
    """The first robot's executor is there, but that of the second one was to move both."""
    meet = step("meet", "r2", "r1", executor="r2/go")
    bench = make_bench(meet, FIRST, order=order(2, agents=(("r2", "r1"), ("r1",)))).start()
    bench.accept()
    for _ in range(3):  # it takes too long, doesn't stop, and is asked again in vain
        bench.wait()
    assert bench.result.status is DispatchStatus.STEP_TIMED_OUT
    assert bench.result.unanswered == "r2/go"
    assert [one.step for one in bench.of(ev.SendStep)] == [meet]


# --- steps that are handed on while other robots are still busy


@pytest.fixture
def handing_on() -> Bench:
    """The first robot is lost in its first step, and the second is at its own."""
    steps = (FIRST, FIRST, SECOND, SECOND)
    bench = make_bench(*steps, order=TURNS, hands_on=True).start()
    bench.tell(ev.Accepted(2))
    bench.now += 3.0
    bench.tell(ev.ExecutorLost("r1/go"))
    return bench


def test_what_is_being_done_goes_on_while_another_plan_is_made(handing_on):
    dispatcher = handing_on.dispatcher
    assert dispatcher.running == (2,)
    assert dispatcher.handing_on.lost_robots == ("r1",)
    assert ReplanPolicy().decide(dispatcher.handing_on, 0).follow_up is FollowUp.REPLAN
    assert ReplanPolicy(0).decide(dispatcher.handing_on, 0).follow_up is FollowUp.EXHAUSTED
    assert dispatcher.find_rest(2) == 7.0
    assert dispatcher.result is None


def test_another_plan_takes_over_with_the_step_that_is_being_done(handing_on):
    sent = len(handing_on.of(ev.SendStep))
    rest = (SECOND, SECOND, SECOND)
    turns = order(3, (0, 1), (1, 2), agents=(("r2",),) * 3)
    handing_on.commands += handing_on.dispatcher.take_over(rest, turns)
    assert handing_on.dispatcher.running == (0,)
    assert len(handing_on.of(ev.SendStep)) == sent, "it is not sent again"
    handing_on.tell(ev.Finished(2, SUCCESS))
    assert handing_on.of(ev.RecordOutcome)[-1].record.index == 0
    for index in (1, 2):
        end(handing_on, index)
    result = handing_on.result
    assert (result.status, result.steps_done) == (DispatchStatus.SUCCEEDED, 3)
    assert result.unanswered == "", "the lost robot is no part of this plan"


def test_without_another_plan_the_others_go_on_to_the_end(handing_on):
    handing_on.commands += handing_on.dispatcher.go_on()
    handing_on.tell(ev.Finished(2, SUCCESS))
    end(handing_on, 3)
    assert handing_on.result.status is DispatchStatus.EXECUTOR_LOST
    assert handing_on.result.steps_done == 2


def test_a_step_that_fails_meanwhile_ends_the_plan(handing_on):
    handing_on.tell(ev.Finished(2, FAILURE))
    assert handing_on.result.steps_done == 0
    with pytest.raises(RuntimeError):
        handing_on.dispatcher.take_over((SECOND,), order(1, agents=(("r2",),)))


def test_a_step_that_fails_is_planned_for_anew_while_the_others_are_busy():
    steps = (FIRST, FIRST, SECOND, SECOND)
    bench = make_bench(*steps, order=TURNS, hands_on=True, finish_wait=1.0).start()
    bench.tell(ev.Accepted(1))
    bench.tell(ev.Accepted(2))
    bench.tell(ev.Finished(1, FAILURE))
    handed = bench.dispatcher.handing_on
    assert (handed.status, handed.lost_robots) == (DispatchStatus.STEP_FAILED, ())
    assert ReplanPolicy().decide(handed, 0).follow_up is FollowUp.REPLAN
    bench.now += 2.0
    bench.tell(ev.Tick())
    assert bench.dispatcher.running == (2,), "it is not stopped while another plan is made"
    turns = order(3, (0, 2), agents=(("r2",), ("r1",), ("r2",)))
    bench.commands += bench.dispatcher.take_over((SECOND, FIRST, SECOND), turns)
    bench.tell(ev.ExecutorReady("r1/go"))
    assert bench.dispatcher.running == (0, 1), "the robot whose step failed goes on at once"
    bench.tell(ev.Finished(2, SUCCESS))
    bench.tell(ev.ExecutorReady("r2/go"))
    end(bench, 1)
    end(bench, 2)
    assert (bench.result.status, bench.result.steps_done) == (DispatchStatus.SUCCEEDED, 3)


def test_without_another_plan_a_failed_one_ends_when_the_others_have_had_their_time():
    bench = make_bench(FIRST, SECOND, order=order(2, agents=(("r1",), ("r2",))), hands_on=True)
    bench.start()
    bench.tell(ev.Accepted(1))
    bench.tell(ev.Accepted(2))
    bench.tell(ev.Finished(1, FAILURE))
    bench.commands += bench.dispatcher.go_on()
    bench.wait()
    assert bench.of(ev.CancelStep)[-1].attempt == 2
    bench.tell(ev.Finished(2, STOPPED))
    assert bench.result.status is DispatchStatus.STEP_FAILED


# --- whose an executor is

ROBOTS = RobotExecutors.parse(["robot_1=/alice", "robot_2"], ["person"])


@pytest.mark.parametrize(
    ("elements", "executor", "found"),
    [
        (("robot_1", "cup"), "pick", "/alice/pick"),
        (("cup", "robot_2", "robot_1"), "give", "robot_2/give"),
        (("robot_3", "cup"), "pick", "pick"),
        (("robot_1", "anna"), "person", "person"),
        ((), "beep", "beep"),
    ],
)
def test_the_first_robot_of_a_step_has_it_done(elements, executor, found):
    asked = step("rule", *elements, executor=executor)
    assert ROBOTS.resolve(asked).executor == found


def test_names_are_those_of_each_robot_and_those_that_are_nobodys_own():
    assert ROBOTS.list_names(["go", "person"]) == ("person", "/alice/go", "robot_2/go")
    assert ROBOTS.list_own(["go", "person"]) == {
        "/alice/go": AbsentExecutor("robot_1", "go"),
        "robot_2/go": AbsentExecutor("robot_2", "go"),
    }
    assert RobotExecutors().list_names(["go", "person"]) == ("go", "person")


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (["=alice"], "no robot with a namespace"),
        (["robot_1=a b"], "no robot with a namespace"),
        (["robot_1=a/"], "no robot with a namespace"),
        (["robot 1"], "no robot with a namespace"),
        (["robot_1", "robot_1=b"], "robot_1 is named twice"),
        (["robot_1=a", "robot_2=a"], "two robots have the namespace a"),
    ],
)
def test_entries_that_are_unclear_are_refused_with_what_to_write(entries, words):
    with pytest.raises(ValueError, match=words):
        RobotExecutors.parse(entries)


def test_what_is_planned_without_is_said():
    absent = [AbsentExecutor("r2", "go"), AbsentExecutor("r1", "pick"), AbsentExecutor("r1", "go")]
    assert describe_absent(absent).endswith("left out: r1 (go, pick) and r2 (go).")
    assert describe_absent([]) == ""
