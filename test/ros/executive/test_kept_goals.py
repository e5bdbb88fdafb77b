# SPDX-License-Identifier: Apache-2.0
"""Goals that stay in force when they are met, with live nodes: somebody undoes what they keep."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcp_ros.client import GoalState, plan_request
from fcp_ros.msg import ExecutionState, ExecutiveGoal, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, delta_to_ros, graph_from_ros
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.scene.graph.delta import SceneDelta

KEPT = "always closed(fridge_1)"
READING = 300.0
"""Seconds within which words are read on a very busy machine."""

BOUNDS = ("keep_attempts", "keep_window", "keep_pause", "most_waiting")


class Kitchen:
    """All nodes, and somebody who opens what the robot is to keep closed."""

    def __init__(self, site, publisher) -> None:
        self.site = site
        self._publisher = publisher

    def open(self, name: str = "fridge_1") -> None:
        """Open a thing by another hand than the robot's."""
        node = graph_from_ros(self.site.client.scene()).nodes[name]
        opened = replace(node, attributes={**node.attributes, "is_open": True})
        before = self._find_sequence()
        self._change(SceneDelta(ANY_NUMBER, (opened,)))
        self.site.until(lambda: self._find_sequence() > before, "the change at the executive")

    def remove(self, name: str) -> None:
        """Take a thing away for ever."""
        self._change(SceneDelta(ANY_NUMBER, removed=(name,)))

    def _change(self, delta: SceneDelta) -> None:
        self._publisher.publish(delta_to_ros(delta, "map", SceneGraphUpdate().header.stamp))

    def await_closed(self, name: str = "fridge_1") -> None:
        self.site.until(lambda: not self._is_open(name), f"{name} closed", 60.0)

    def keep(self, goal: str = KEPT, **more):
        """Send a goal, and wait until it is met and kept."""
        sent = self.site.send_achieve(goal, **more)
        self.await_rest()
        return sent

    def await_rest(self, note: str = "It holds, and is kept.", seconds: float = 60.0):
        """The only kept goal as it is listed, once it rests with this note."""
        return self.site.until(lambda: self._find_resting(note), f"a goal with {note!r}", seconds)

    def _find_resting(self, note: str):
        waiting = ExecutiveGoal.WAITING
        listed = self.site.client.goals.fetch().goals
        found = [one for one in listed if one.status == waiting and note in one.note]
        return found[0] if found and self.site.executive._threads.count_resting else None

    def _find_sequence(self) -> int:
        return int(self.site.executive.diagnose().values["scene_sequence_number"])

    def _is_open(self, name: str) -> bool:
        return bool(graph_from_ros(self.site.client.scene()).nodes[name].attributes.get("is_open"))


@pytest.fixture
def kitchen(here, probe):
    """All nodes, the fridge closed; at the end there are no goals, and the bounds are put back."""
    before = {name: here.executive.parameters[name] for name in BOUNDS}
    publisher = probe.publisher(SceneGraphUpdate, here.name("scene_graph_update"))
    here.until(publisher.get_subscription_count, "the scene_graph node")
    yield Kitchen(here, publisher)
    here.set("executive", **before)
    here.client.goals.resume()
    here.client.goals.stop(here.client.goals.fetch().goals)
    here.until(lambda: not here.client.goals.fetch().goals, "the end of all goals")


def test_what_somebody_undoes_is_restored_until_the_goal_is_stopped(kitchen):
    here = kitchen.site
    goal = kitchen.keep()
    assert not here.outcomes.messages, "it held already"
    assert here.executive.diagnose().values["kept_goals"] == 1
    kitchen.open()
    kitchen.await_closed()
    kitchen.await_rest("worked on again 1 time.")
    assert [one.step.rule for one in here.outcomes.messages][-1] == "close"
    state, result = here.achieve("on(apple_1, table_1)", when_busy="reject")
    assert state is GoalState.SUCCEEDED, f"a goal that rests is in nobody's way: {result.error_msg}"
    kitchen.open()
    kitchen.await_closed()
    kitchen.await_rest("worked on again 2 times.")
    assert not goal.poll().done
    goal.cancel()
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    assert result.error_msg == "It was kept until then."
    done = len(here.outcomes.messages)
    kitchen.open()
    here.achieve("on(mug_1, counter_1)")
    assert "close" not in [one.step.rule for one in here.outcomes.messages[done:]]


def test_it_is_restored_when_the_goal_at_work_has_ended(kitchen, to_and_fro, slow):
    here = kitchen.site
    kitchen.keep()
    other = here.send_execute(to_and_fro(slow))
    here.until(here.performing, "its first step")
    kitchen.open()
    here.states.wait(lambda one: one.state == ExecutionState.EXECUTING and one.waiting == 1)
    assert not other.poll().done, "it is not preempted"
    other.cancel()
    kitchen.await_closed()
    assert here.end_of(other)[0] is GoalState.CANCELED


def test_a_pause_holds_it_back(kitchen):
    here = kitchen.site
    kitchen.keep()
    here.client.goals.pause()
    kitchen.open()
    here.states.wait(lambda one: one.state == ExecutionState.PAUSED)
    assert not here.outcomes.messages
    here.client.goals.resume()
    kitchen.await_closed()


def test_what_can_not_be_restored_is_tried_again_and_given_up_with_the_reason(kitchen):
    here = kitchen.site
    here.set("executive", keep_attempts=3, keep_window=86400.0, keep_pause=0.01)
    goal = kitchen.keep("never on(mug_1, counter_1)")
    kitchen.remove("mug_1")
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.REPLANS_EXHAUSTED)
    assert result.error_msg.startswith("It had to be restored 3 times within 86400 s")
    assert "There is no element called mug_1" in result.error_msg


def test_more_goals_than_may_be_kept_are_refused(kitchen):
    here = kitchen.site
    here.set("executive", most_waiting=1)
    kitchen.keep()
    state, result = here.achieve("never at(robot_1, living_room_1)")
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.BUSY)
    assert result.error_msg == (
        "It is met, but 1 goals wait or are kept already, which is the limit."
    )


def test_words_that_ask_for_something_to_stay_are_kept_too(kitchen):
    here = kitchen.site
    # The first words that a planner reads have it load what it reads them with.
    words = plan_request(instruction="keep the fridge closed", alpha=0.5, time_limit=READING)
    goal = here.client.send_achieve(words)
    assert kitchen.await_rest(seconds=READING).text == "keep the fridge closed"
    kitchen.open()
    kitchen.await_closed()
    kitchen.await_rest("worked on again 1 time.")
    assert not goal.poll().done


def test_what_is_only_to_be_left_alone_is_not_restored(kitchen):
    """Who takes the vase must not have it put back: nothing is asked but not to touch it."""
    words = plan_request(instruction="don't touch the vase", alpha=0.5, time_limit=READING)
    state, result = kitchen.site.end_of(kitchen.site.client.send_achieve(words))
    assert (state, result.error_code) == (GoalState.SUCCEEDED, GoalError.NONE), result.error_msg
    assert not result.outcomes
