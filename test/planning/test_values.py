# SPDX-License-Identifier: Apache-2.0
"""Statuses, options, batches and the watch."""

import pytest

from fcp_ros.planning import BestPlan, PlanningOptions, PlanStatus
from fcp_ros.planning.model.memberships import BATCH, Judge
from fcp_ros.planning.model.watch import Interrupted, Watch


def test_status_values_are_those_of_the_interface():
    assert [status.value for status in PlanStatus] == list(range(1, 17))
    assert [status.name for status in PlanStatus if status.solved] == [
        "SOLVED_OPTIMALLY",
        "SOLVED_SATISFICING",
    ]


def test_every_status_is_told(repository):
    page = (repository / "docs" / "planning.md").read_text(encoding="utf-8")
    for status in PlanStatus:
        assert f"`{status.name}`" in page


def test_atoms_are_asked_in_batches_each_once(house, home, degrees):
    source = degrees()
    checks = []
    judge = Judge(house, home, source, lambda: checks.append(1))
    atoms = [("serves_as", ("mug_1", f"purpose {i}")) for i in range(BATCH + 5)]
    judge.judge([*atoms, *atoms])
    assert source.batches == 2
    assert len(source.asked) == BATCH + 5
    assert len(checks) >= 2
    assert judge.degree(*atoms[0]) == 1.0
    assert source.batches == 2


def test_the_watch_stops_improving_a_plan_that_is_good_enough():
    watch = Watch(PlanningOptions(improve_time=1e-6))
    watch.report_plan(BestPlan(0.4, 3, 3.0), acceptable=False)
    watch.check()
    watch.report_plan(BestPlan(0.6, 3, 3.0), acceptable=True)
    assert not watch.satisfied
    with pytest.raises(Interrupted) as caught:
        watch.check()
    assert caught.value.status is PlanStatus.TIMEOUT
    watch = Watch(PlanningOptions(improve_time=0.0))
    assert not watch.satisfied
    watch.report_plan(BestPlan(0.6, 3, 3.0), acceptable=True)
    assert watch.satisfied
