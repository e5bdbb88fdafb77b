# SPDX-License-Identifier: Apache-2.0
"""One scenario a test: the dispatcher with a clock that the test moves."""

from __future__ import annotations

import pytest
from dispatch_bench import FAILURE, STOPPED, SUCCESS, Bench, order, step

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch_model import DispatchPhase, DispatchSettings, DispatchStatus
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.outcome import OutcomeCode


def test_an_empty_plan_succeeds_at_once():
    bench = Bench()
    assert bench.dispatcher.start() == (ev.Finish(),)
    assert bench.result.status is DispatchStatus.SUCCEEDED


def test_nothing_is_sent_before_all_executors_of_the_plan_answer():
    bench = Bench(step("go"), step("pick"))
    bench.commands += bench.dispatcher.start()
    bench.tell(ev.ExecutorReady("execute_go"))
    assert not bench.of(ev.SendStep)
    bench.wait()
    assert bench.result.status is DispatchStatus.NO_EXECUTOR
    assert "execute_pick" in bench.result.message
    assert "execute_go" not in bench.result.message
    assert bench.codes == []


def test_the_timeout_comes_from_the_expected_duration_with_a_least_value():
    settings = DispatchSettings(timeout_factor=3.0, min_timeout=10.0)
    assert settings.find_timeout(step("go", duration=20.0)) == 60.0
    assert settings.find_timeout(step("go", duration=1.0)) == 10.0
    assert Bench(step("go", duration=20.0)).start().sent.timeout == 60.0


def test_progress_is_passed_on_within_its_range():
    bench = Bench(step("go")).start()
    attempt = bench.accept()
    bench.tell(ev.Feedback(attempt, 0.5, "half way"))
    bench.tell(ev.Feedback(attempt, 7.0))
    assert [c.progress for c in bench.of(ev.ReportProgress)] == [0.5, 1.0]


def test_a_failed_step_ends_the_plan_and_the_message_says_which_and_why():
    bench = Bench(step("go"), step("pick", "mug_1"), step("go")).start()
    bench.succeed()
    bench.tell(ev.Finished(bench.accept(), FAILURE))
    assert bench.result.status is DispatchStatus.STEP_FAILED
    assert bench.result.steps_done == 1
    assert "pick(mug_1)" in bench.result.message
    assert "It slipped." in bench.result.message
    assert bench.codes == [OutcomeCode.SUCCEEDED, OutcomeCode.EXECUTION_FAILED]
    assert len(bench.of(ev.SendStep)) == 2


def test_an_executor_that_calls_it_cancelled_unasked_fails_the_step():
    bench = Bench(step("go")).start()
    bench.tell(ev.Finished(bench.accept(), STOPPED))
    assert bench.result.status is DispatchStatus.STEP_FAILED
    assert bench.codes == [OutcomeCode.CANCELLED]


def test_a_refused_step_is_an_invalid_action():
    bench = Bench(step("go")).start()
    bench.tell(ev.Rejected(bench.sent.attempt))
    assert bench.codes == [OutcomeCode.INVALID_ACTION]
    assert bench.result.status is DispatchStatus.STEP_FAILED
    assert bench.ledger.find_attempt("execute_go") is None


def test_a_step_whose_preconditions_fail_is_not_sent():
    bench = Bench(step("go"), step("pick", "mug_1"))
    bench.world.missing["pick"] = "on(mug_1, table_1) does not hold."
    bench.start()
    bench.succeed()
    assert [c.step.rule for c in bench.of(ev.SendStep)] == ["go"]
    assert bench.codes[-1] is OutcomeCode.PRECONDITION_FAILED
    assert "on(mug_1, table_1)" in bench.result.message


def test_the_next_step_waits_until_the_world_shows_the_effects():
    bench = Bench(step("go"), step("pick"))
    bench.world.hidden["go"] = "at(robot_1, kitchen) does not hold."
    bench.start()
    bench.succeed()
    assert bench.dispatcher.phase is DispatchPhase.CONFIRMING
    bench.tell(ev.WorldChanged())
    assert len(bench.of(ev.SendStep)) == 1
    bench.world.hidden.clear()
    bench.tell(ev.WorldChanged())
    assert bench.sent.step.rule == "pick"


def test_effects_that_never_show_are_a_failed_postcondition():
    bench = Bench(step("go"), step("pick"), settle_time=2.0)
    bench.world.hidden["go"] = "at(robot_1, kitchen) does not hold."
    bench.start()
    bench.succeed()
    bench.wait()
    assert bench.codes == [OutcomeCode.POSTCONDITION_FAILED]
    assert bench.result.steps_done == 0
    assert "scene_graph_update" in bench.result.message


def test_a_trusted_executor_has_its_effects_written_once():
    bench = Bench(step("go"), step("pick"), trust_executors=True)
    bench.world.hidden["go"] = "at(robot_1, kitchen) does not hold."
    bench.start()
    bench.succeed()
    assert len(bench.of(ev.AssumeEffects)) == 1, "at once: perception is not waited for"
    bench.tell(ev.WorldChanged())
    bench.wait()  # they still don't show: it isn't tried for ever
    assert len(bench.of(ev.AssumeEffects)) == 1
    assert bench.codes == [OutcomeCode.POSTCONDITION_FAILED]


def test_a_step_past_its_timeout_is_cancelled_and_its_answer_awaited():
    bench = Bench(step("go"), step("pick")).start()
    sent_at, attempt = bench.now, bench.accept()
    bench.wait()
    assert bench.of(ev.CancelStep) == [ev.CancelStep(attempt, "execute_go")]
    assert bench.dispatcher.result is None
    bench.tell(ev.Finished(attempt, STOPPED))
    assert bench.codes == [OutcomeCode.TIMED_OUT]
    assert bench.result.records[0].duration == bench.now - sent_at
    assert bench.result.status is DispatchStatus.STEP_TIMED_OUT
    assert bench.result.unanswered == ""


def test_success_that_crosses_the_request_to_stop_is_success():
    bench = Bench(step("go"), step("pick")).start()
    attempt = bench.accept()
    bench.wait()
    bench.tell(ev.Finished(attempt, SUCCESS))
    assert bench.codes == [OutcomeCode.SUCCEEDED]
    assert bench.sent.step.rule == "pick"


def test_without_an_answer_in_the_grace_time_the_executor_may_still_be_acting():
    bench = Bench(step("go"), step("pick"), grace_time=4.0).start()
    attempt = bench.accept()
    bench.wait()
    asked_at = bench.now
    bench.wait()
    assert bench.now == asked_at + 4.0
    assert bench.codes == [OutcomeCode.TIMED_OUT]
    assert bench.result.unanswered == "execute_go"
    assert "may still be acting" in bench.result.message
    assert bench.ledger.find_attempt("execute_go") == attempt


def test_a_later_plan_sends_nothing_to_an_executor_that_has_not_answered():
    first = Bench(step("go", "hall")).start()
    attempt = first.accept()
    first.wait()
    first.wait()
    second = Bench(step("pick"), step("go"), ledger=first.ledger)
    second.now = first.now
    second.start()
    assert second.of(ev.CancelStep) == [ev.CancelStep(attempt, "execute_go")]
    assert not second.of(ev.SendStep)
    second.wait()
    assert second.result.status is DispatchStatus.NO_EXECUTOR
    assert second.result.unanswered == "execute_go"
    assert "go(hall)" in second.result.message


def let_be_deaf(agents=()):
    """Have an executor that neither ends nor stops; the bench of a later step of another one."""
    robots = order(1, agents=(agents,)) if agents else None
    first = Bench(step("go", "hall"), order=robots).start()
    first.accept()
    first.wait()
    first.wait()
    assert first.result.status is DispatchStatus.STEP_TIMED_OUT
    second = Bench(step("pick"), ledger=first.ledger, order=robots)
    second.now = first.now
    return second


@pytest.mark.parametrize("agents", [(), ("robot",)])
def test_what_one_executor_may_still_be_moving_is_not_given_to_another_one(agents):
    bench = let_be_deaf(agents).start()
    assert bench.of(ev.FindExecutor) == [
        ev.FindExecutor("execute_go"),
        ev.FindExecutor("execute_pick"),
    ]
    assert bench.tell(ev.ExecutorReady("execute_go")) == (ev.CancelStep(1, "execute_go"),)
    assert not bench.of(ev.SendStep)
    bench.tell(ev.Finished(1, FAILURE))
    assert bench.sent.step.rule == "pick"


def test_an_executor_that_is_not_there_any_more_keeps_nothing():
    bench = let_be_deaf().start()
    assert not bench.of(ev.SendStep)
    bench.wait()
    assert bench.sent.step.rule == "pick"
    later = Bench(step("place"), ledger=bench.ledger).start(ready=False)
    later.tell(ev.ExecutorReady("execute_place"))
    assert later.sent.step.rule == "place", "it was waited for once"


def lose():
    """Have an executor lost in the middle of its step: dead, or a process that stands still."""
    bench = Bench(step("go"), step("pick"), ledger=ExecutorLedger()).start()
    bench.accept()
    bench.tell(ev.ExecutorLost("execute_go"))
    assert bench.result.status is DispatchStatus.EXECUTOR_LOST
    return bench


def test_a_lost_executor_is_waited_for_before_another_one_moves_its_robot():
    bench = Bench(step("pick"), ledger=lose().ledger).start()
    assert not bench.of(ev.SendStep)
    bench.wait()
    assert bench.sent.step.rule == "pick"


@pytest.mark.parametrize("was_waited_for", [False, True])
def test_an_executor_that_only_stood_still_keeps_its_robot(was_waited_for):
    ledger = lose().ledger
    if was_waited_for:
        ledger.take_for_gone(1)
    bench = Bench(step("pick"), ledger=ledger)
    bench.start(ready=False)
    assert bench.of(ev.FindExecutor)[0] == ev.FindExecutor("execute_go")
    bench.tell(ev.ExecutorReady("execute_go"))
    bench.tell(ev.ExecutorReady("execute_pick"))
    assert not bench.of(ev.SendStep)
    bench.tell(ev.Finished(1, FAILURE))
    assert bench.sent.step.rule == "pick"


def test_the_second_step_waits_for_an_executor_that_is_there_again_too():
    bench = Bench(step("pick"), step("place"), ledger=lose().ledger)
    bench.ledger.take_for_gone(1)
    bench.start()
    bench.accept()
    bench.tell(ev.ExecutorLost("execute_place"))
    bench.tell(ev.Finished(2, SUCCESS))
    assert bench.of(ev.FindExecutor)[-2] == ev.FindExecutor("execute_go")
    bench.tell(ev.ExecutorReady("execute_go"))
    bench.tell(ev.ExecutorReady("execute_place"))
    assert bench.sent.step.rule == "pick"
    bench.tell(ev.Forgotten(1))
    assert bench.sent.step.rule == "place"


def test_a_late_acceptance_is_answered_with_a_cancel():
    bench = Bench(step("go")).start()
    attempt = bench.sent.attempt
    bench.wait()  # not accepted in time
    bench.wait()  # and silent
    assert bench.result.status is DispatchStatus.STEP_TIMED_OUT
    assert bench.tell(ev.Accepted(attempt)) == (ev.CancelStep(attempt, "execute_go"),)


def test_cancel_between_sending_and_acceptance_waits_for_the_acceptance():
    bench = Bench(step("go")).start()
    assert bench.tell(ev.CancelRequested()) == ()
    attempt = bench.accept()
    assert bench.of(ev.CancelStep) == [ev.CancelStep(attempt, "execute_go")]
    bench.tell(ev.Finished(attempt, STOPPED))
    assert bench.result.status is DispatchStatus.CANCELLED
    assert bench.codes == [OutcomeCode.CANCELLED]


def test_cancel_that_crosses_success_counts_the_step_and_sends_no_other():
    bench = Bench(step("go"), step("pick"))
    bench.world.hidden["go"] = "not seen yet."
    bench.start()
    attempt = bench.accept()
    bench.tell(ev.CancelRequested())
    bench.tell(ev.Finished(attempt, SUCCESS))
    assert bench.result.status is DispatchStatus.CANCELLED
    assert bench.result.steps_done == 1
    assert len(bench.of(ev.SendStep)) == 1


def test_an_executor_that_disappears_is_asked_to_stop_and_held():
    bench = Bench(step("go"), step("pick")).start()
    attempt = bench.accept()
    bench.tell(ev.ExecutorLost("execute_pick"))
    assert bench.dispatcher.phase is DispatchPhase.RUNNING
    bench.tell(ev.ExecutorLost("execute_go"))
    assert bench.of(ev.CancelStep) == [ev.CancelStep(attempt, "execute_go")]
    assert bench.codes == [OutcomeCode.EXECUTOR_LOST], "at once: it can't answer"
    assert bench.result.status is DispatchStatus.EXECUTOR_LOST
    assert bench.result.unanswered == "execute_go"
    assert "may still be acting" in bench.result.message


def test_an_executor_that_comes_back_is_asked_again_and_freed():
    first = Bench(step("go")).start()
    attempt = first.accept()
    first.tell(ev.ExecutorLost("execute_go"))
    second = Bench(step("go"), ledger=first.ledger).start(ready=False)
    assert not second.of(ev.CancelStep), "nobody is there to be asked"
    second.tell(ev.ExecutorReady("execute_go"))
    assert second.of(ev.CancelStep) == [ev.CancelStep(attempt, "execute_go")]
    second.tell(ev.Forgotten(attempt))
    assert second.sent.attempt == 2


def test_a_dispatcher_starts_once():
    bench = Bench(step("go")).start()
    with pytest.raises(RuntimeError, match="once"):
        bench.dispatcher.start()


def test_the_ledger_refuses_a_second_attempt_at_the_same_executor():
    ledger = ExecutorLedger()
    ledger.open(step("go"))
    with pytest.raises(RuntimeError, match="has not answered"):
        ledger.open(step("go", "elsewhere"))


# --- outdated plans -----------------------------------------------------------------------------


def test_an_outdated_plan_ends_between_two_steps_and_stops_none():
    bench = Bench(step("go", "kitchen"), step("pick", "mug_1"), step("go", "hall")).start()
    bench.accept()
    assert bench.tell(ev.PlanOutdated("a cup has come")) == ()
    bench.tell(ev.Finished(bench.sent.attempt, SUCCESS))
    assert bench.result.status is DispatchStatus.OUTDATED
    assert bench.result.message == "a cup has come"
    assert bench.result.steps_done == 1
    assert len(bench.of(ev.SendStep)) == 1
    assert bench.of(ev.CancelStep) == []


# --- pauses ---


def test_a_paused_plan_stands_between_two_steps_until_it_is_released():
    bench = Bench(step("go"), step("pick"), step("go")).start()
    bench.allowed = 0
    bench.succeed()
    assert bench.dispatcher.phase is DispatchPhase.PAUSED
    assert bench.dispatcher.deadline is None
    bench.tell(ev.WorldChanged())
    assert len(bench.of(ev.SendStep)) == 1
    bench.allowed = 1
    bench.tell(ev.StepReleased())
    assert bench.sent.step.rule == "pick"
    bench.succeed()
    assert bench.dispatcher.phase is DispatchPhase.PAUSED
    bench.allowed = 1
    bench.tell(ev.StepReleased())
    bench.succeed()
    assert bench.result.status is DispatchStatus.SUCCEEDED


def test_a_scene_that_was_lost_in_a_pause_is_waited_for_after_it():
    bench = Bench(step("go"), scene_wait=60.0)
    bench.allowed = 0
    bench.start()
    bench.tell(ev.SceneLost("gone"))
    bench.now += 1000.0
    bench.allowed = 1
    bench.tell(ev.StepReleased())
    assert bench.dispatcher.phase is DispatchPhase.AWAITING_SCENE
    bench.tell(ev.SceneFound())
    assert bench.sent.step.rule == "go"


def test_a_plan_whose_end_waits_for_another_one_has_not_succeeded_before():
    held = {2}
    bench = Bench(step("go"), step("pick"), is_held=held.__contains__).start()
    for _ in range(2):
        bench.succeed()
    assert bench.dispatcher.result is None
    bench.tell(ev.PlanOutdated("The plan of the goal 'G' has ended, which this one counted on."))
    assert (bench.result.status, bench.result.steps_done) == (DispatchStatus.OUTDATED, 2)


def test_a_plan_without_steps_waits_for_what_it_counts_on():
    held = {0}
    bench = Bench(is_held=held.__contains__).start()
    assert bench.dispatcher.result is None
    held.clear()
    bench.tell(ev.RoomChanged())
    assert bench.result.status is DispatchStatus.SUCCEEDED
