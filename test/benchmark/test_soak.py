# SPDX-License-Identifier: Apache-2.0
"""A short soak, and its checks on what they are to find."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not there")
pytest.importorskip("fcp_ros.msg", reason="`make setup` has not built the interfaces")

from ros_domains import claim_domain

from benchmark.soak.__main__ import judge, soak
from benchmark.soak.checks import (
    find_lost,
    find_overlaps,
    find_repetitions,
    find_robot_overlaps,
    find_slope,
    find_wrong_blame,
)
from benchmark.soak.executors import Attempt, Fault, list_busy
from benchmark.soak.site import Heard, list_executors, open_site
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import time_to_ros

PLAN = bytes(range(16))


def attempt(begin=0.0, end=1.0, executor="navigate", index=0, fault=Fault.NONE):
    return Attempt(executor, PLAN.hex(), index, executor, fault, 7, begin, end)


def outcome(index=0, stamp=5.0, code=OutcomeCode.SUCCEEDED, rule="navigate"):
    message = ActionOutcome(step_index=index)
    message.plan_id.uuid = list(PLAN)
    message.stream_id.uuid = list(PLAN)
    message.number = index + 1
    message.step.rule = rule
    message.header.stamp = time_to_ros(stamp)
    message.outcome.code = code.value
    return message


def test_steps_at_the_same_time_are_found():
    first, inside, after = attempt(), attempt(0.5, 0.7, index=1), attempt(1.0, 2.0, index=2)
    assert find_overlaps([after, inside, first]) == [(first, inside)]
    other = attempt(0.5, 0.7, executor="pick")
    assert not find_overlaps([first, other, after])
    assert find_robot_overlaps([first, other, after]) == [(first, other)]
    another = replace(inside, robot="robot_2")
    assert not find_overlaps([first, another]), "each robot has executors of its own"
    assert not find_robot_overlaps([first, another])
    assert find_robot_overlaps([first, another, inside]) == [(first, inside)]
    (killed,) = list_busy([attempt(end=None)], {7: 3.0})
    assert killed.end == 3.0


def test_a_step_begun_without_an_outcome_is_found():
    begun = [attempt(), attempt(5.0, 6.0), attempt(index=1)]
    heard = [Heard(1.0, outcome()), Heard(1.0, outcome(1))]
    assert find_repetitions(begun, heard) == {(PLAN.hex(), 0): 1}
    assert not find_repetitions(begun[1:], heard)


def test_an_outcome_that_is_kept_nowhere_is_found():
    heard = [Heard(1.0, outcome(0)), Heard(1.0, outcome(1))]
    assert find_lost(heard, {(PLAN, 2)}) == [heard[0].outcome]


@pytest.mark.parametrize(
    ("fault", "blamed"), [(Fault.NONE, True), (Fault.TWICE, True), (Fault.LIE, False)]
)
def test_blame_for_what_a_skill_did_not_do_is_found(tmp_path, fault, blamed):
    store = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("CREATE TABLE evidence (stamp REAL, quality REAL, step TEXT)")
        rows = [(5.0, 0.0, "navigate(robot_1)"), (9.0, 1.0, "pick(robot_1)")]
        connection.executemany("INSERT INTO evidence VALUES (?, ?, ?)", rows)
    heard = [
        Heard(2.0, outcome(code=OutcomeCode.POSTCONDITION_FAILED)),
        Heard(2.0, outcome(1, 9.0, rule="pick")),
    ]
    # The last attempt before the outcome counts; a later one of an equal plan does not.
    attempts = [attempt(fault=fault), replace(attempt(8.0, 9.0), fault=Fault.FAIL)]
    wrong, counts = find_wrong_blame(store, heard, attempts)
    assert bool(wrong) is blamed
    assert (counts["evidence"], counts["failures"]) == (2, 1)


def test_growth_is_that_of_the_second_half():
    grows = [(hour / 10.0, 100.0 + max(0.0, hour - 30.0)) for hour in range(60)]
    assert find_slope(grows) == pytest.approx(10.0)
    assert find_slope(grows[:5]) is None


@pytest.mark.thorough  # one of five longer runs lost four outcomes, and nobody knows yet why
@pytest.mark.timeout(600)
@pytest.mark.parametrize("goals_at_once", [1, 2])
def test_all_goals_of_a_short_soak_are_met(tmp_path, goals_at_once):
    """It ends when enough steps have been tried, however fast the machine is."""
    with claim_domain() as domain:
        opened = open_site(
            tmp_path,
            seed=11,
            scale=60.0,
            fault_share=0.3,
            domain=domain,
            goals_at_once=goals_at_once,
        )
        with opened as (processes, disk):
            record = soak(
                processes,
                disk,
                hours=0.2,
                seconds=400.0,
                seed=11,
                scale=60.0,
                domain=domain,
                say=lambda _line: None,
                least=8,
                goals_at_once=goals_at_once,
            )
            verdicts = list(judge(record, tmp_path, disk, list_executors(processes)))
            record.world.close()
            record.customers.client.close()
    assert len(record.world.outcomes) >= 8
    assert not [one for one in verdicts if one.met is False], verdicts
