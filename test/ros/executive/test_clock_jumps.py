# SPDX-License-Identifier: Apache-2.0
"""A simulated clock that jumps and stands: waits count in real time, and evidence is kept."""

from __future__ import annotations

import pytest
from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock

from fcp_ros.client import GoalState
from fcp_ros.execution.outcome import OutcomeCode

NODES = ("scene_graph", "grounder", "task_planner", "executive", "simulated_executor")
DAY = 86_400


@pytest.fixture
def here(site):
    """All nodes, with the time of /clock."""
    return site(
        **{node: {"use_sim_time": True} for node in NODES if node != "simulated_executor"},
        simulated_executor={"use_sim_time": True, "time_scale": 20.0},
    )


@pytest.fixture
def tell_time(here, probe, until):
    """Sets the clock of all nodes, and waits until each has heard it."""
    publisher = probe.publisher(Clock, "/clock")
    nodes = list(here.stack.nodes.values())

    def tell(seconds):
        def have_heard():
            # Again and again, as a simulator does: rclpy hears /clock as best effort with a depth
            # of 1, so a single message may be lost, surely to a node that has not matched yet.
            publisher.publish(Clock(clock=Time(sec=seconds)))
            return all(node.get_clock().now().nanoseconds == seconds * 10**9 for node in nodes)

        until(have_heard, "the time at all nodes")

    until(lambda: publisher.get_subscription_count() >= len(nodes), "all nodes at /clock")
    yield tell
    probe.node.destroy_publisher(publisher)


def test_goals_go_on_whatever_the_clock_does(here, tell_time, until):
    now = 10 * DAY
    tell_time(now)
    goal = here.send_achieve("on(mug_1, counter_1)")
    for jump in (DAY, -2 * DAY, DAY, 0):  # and between them the clock stands
        sent = len(here.outcomes.messages)
        until(lambda: here.performing() or goal.poll().done, "a step")
        now += jump
        tell_time(now)
        until(lambda n=sent: len(here.outcomes.messages) > n or goal.poll().done, "its end")
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert answer.replans == 0
    assert {one.outcome.code for one in answer.outcomes} == {OutcomeCode.SUCCEEDED.value}
    assert all(one.duration.sec < 60 for one in answer.outcomes), "jumps are no durations"
    kept = here.executive._delivery
    until(lambda: not kept.values()["unconfirmed_outcomes"], "the grounder's word")
    # Times that are not the present ones must not hide what is said later.
    before = here.relations()
    assert ("on", ("mug_1", "counter_1")) in before
    tell_time(now - 5 * DAY)
    state, answer = here.achieve("on(mug_1, table_1)")
    assert state is GoalState.SUCCEEDED, answer.error_msg
