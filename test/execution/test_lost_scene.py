# SPDX-License-Identifier: Apache-2.0
"""A stale world is no evidence: the dispatcher sends, confirms and judges nothing on one."""

from __future__ import annotations

import pytest
from dispatch_bench import FAILURE, SUCCESS, Bench, step

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch_model import DispatchPhase, DispatchStatus, FollowUp, ReplanPolicy
from fcp_ros.execution.outcome import Outcome, OutcomeCode

LOST = ev.SceneLost("The scene graph is stale: the node /scene_graph has died.")


@pytest.fixture
def bench() -> Bench:
    """Two steps."""
    return Bench(step("pick", "mug_1"), step("place", "mug_1"))


def records(bench: Bench):
    return [command.record for command in bench.of(ev.RecordOutcome)]


def test_nothing_is_sent_while_the_scene_is_lost(bench):
    bench.start(ready=False)
    bench.tell(LOST)
    bench.world.missing["pick"] = "The stale world says that pick can't be done."
    for executor in ("execute_pick", "execute_place"):
        bench.tell(ev.ExecutorReady(executor))
    assert bench.dispatcher.phase is DispatchPhase.AWAITING_SCENE
    assert not bench.of(ev.SendStep)
    assert not bench.of(ev.RecordOutcome), "what a stale world lacks is no failed precondition"
    bench.world.missing.clear()
    bench.tell(ev.SceneFound())
    assert bench.sent.index == 0


def test_a_step_under_way_ends_by_the_executors_word(bench):
    """Its success waits to be confirmed, and then the plan goes on."""
    bench.start()
    bench.accept()
    bench.world.hidden["pick"] = "The mug is not in the hand."
    bench.tell(LOST)
    assert not bench.of(ev.CancelStep)
    bench.tell(ev.Finished(bench.sent.attempt, SUCCESS))
    bench.now += bench.settings.settle_time + 1.0
    bench.tell(ev.Tick())
    assert not bench.of(ev.RecordOutcome), "a stale world refutes nothing"
    bench.tell(ev.SceneFound())
    bench.world.hidden.clear()
    bench.tell(ev.WorldChanged())
    assert [one.outcome for one in records(bench)] == [SUCCESS]
    assert not records(bench)[0].scene_lost, "it was confirmed by the live world"
    assert bench.sent.index == 1
    bench.succeed()
    assert bench.dispatcher.result.status is DispatchStatus.SUCCEEDED


def test_a_stale_world_confirms_nothing(bench):
    bench.start()
    bench.tell(LOST)
    bench.tell(ev.Finished(bench.accept(), SUCCESS))  # the stale world happens to show the effect
    bench.tell(ev.WorldChanged())
    assert not bench.of(ev.RecordOutcome)
    assert len(bench.of(ev.SendStep)) == 1


def test_a_failure_on_a_stale_world_is_marked(bench):
    bench.start()
    bench.tell(LOST)
    bench.tell(ev.Finished(bench.accept(), FAILURE))
    assert [one.scene_lost for one in records(bench)] == [True]
    assert bench.dispatcher.result.status is DispatchStatus.STEP_FAILED


def test_failures_after_the_scene_came_back_are_marked_until_the_plan_ends(bench):
    """The world that came back may lack what was done meanwhile."""
    bench.start()
    bench.accept()
    bench.tell(LOST)
    bench.tell(ev.SceneFound())
    bench.world.hidden["pick"] = "The mug is not in the hand."
    bench.tell(ev.Finished(bench.sent.attempt, SUCCESS))
    bench.wait()
    (record,) = records(bench)
    assert record.outcome.code is OutcomeCode.POSTCONDITION_FAILED
    assert record.scene_lost


def test_the_wait_for_the_scene_is_bounded(bench):
    bench.start()
    bench.tell(LOST)
    bench.tell(ev.Finished(bench.accept(), SUCCESS))
    bench.wait()
    result = bench.dispatcher.result
    assert result.status is DispatchStatus.SCENE_LOST
    assert "has died" in result.message
    assert [(one.outcome, one.scene_lost) for one in records(bench)] == [(SUCCESS, True)]
    assert ReplanPolicy().decide(result, 0).follow_up is FollowUp.FAILED


def test_the_wait_counts_from_the_loss(bench):
    """However often the phases change meanwhile."""
    bench.start()
    lost_at = bench.now
    bench.tell(LOST)
    bench.now += 7.0
    bench.tell(LOST)
    bench.tell(ev.Finished(bench.accept(), SUCCESS))
    assert bench.dispatcher.deadline == lost_at + bench.settings.scene_wait


def test_an_executor_that_lost_the_scene_is_followed_by_a_new_plan(bench):
    bench.start()
    bench.tell(ev.Finished(bench.accept(), Outcome(OutcomeCode.SCENE_LOST, "Nobody keeps it.")))
    result = bench.dispatcher.result
    assert result.status is DispatchStatus.SCENE_LOST
    assert ReplanPolicy().decide(result, 0).follow_up is FollowUp.REPLAN


@pytest.mark.parametrize("phase", ["awaiting", "confirming"])
def test_a_lost_scene_does_not_hinder_a_cancellation(bench, phase):
    bench.start(ready=phase == "confirming")
    bench.tell(LOST)
    if phase == "confirming":
        bench.tell(ev.Finished(bench.accept(), SUCCESS))
    else:
        for executor in ("execute_pick", "execute_place"):
            bench.tell(ev.ExecutorReady(executor))
    bench.tell(ev.CancelRequested())
    assert bench.dispatcher.result.status is DispatchStatus.CANCELLED


def test_nothing_is_sent_to_a_barred_executor(bench):
    bench.start(ready=False)
    bench.tell(ev.ExecutorBarred("execute_pick", "2 nodes offer the action execute_pick."))
    bench.tell(ev.ExecutorReady("execute_place"))
    assert not bench.of(ev.SendStep)
    bench.wait()
    result = bench.dispatcher.result
    assert result.status is DispatchStatus.NAME_CONFLICT
    assert "2 nodes offer" in result.message
    assert ReplanPolicy().decide(result, 0).follow_up is FollowUp.FAILED


def test_an_executor_that_was_barred_is_used_once_it_is_alone(bench):
    bench.start(ready=False)
    bench.tell(ev.ExecutorBarred("execute_pick", "2 nodes offer the action execute_pick."))
    for executor in ("execute_place", "execute_pick"):
        bench.tell(ev.ExecutorReady(executor))
    assert bench.sent.index == 0
