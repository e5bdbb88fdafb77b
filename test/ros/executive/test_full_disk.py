# SPDX-License-Identifier: Apache-2.0
"""A disk that takes nothing more: goals go on, it is said, and nothing is lost once it does."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import closing, suppress

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from fcp_ros.client import GoalState

ROBOT = "full"


def limit_files(process, size):
    """Let a process write no file beyond this size (bytes), as if its disk were full."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def count_recorded(store):
    """Count the outcomes in a store; 0 while its process is only making it."""
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection,
    ):
        return connection.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0]
    return 0


def test_outcomes_wait_while_the_disk_is_full(site, spawn, to_and_fro, tmp_path, until, probe):
    store = tmp_path / "calibration.sqlite"
    grounder = spawn(
        "grounder.node",
        ROBOT,
        calibration_path=store,
        cache_path="''",
        warm_up=False,
        world="simulated",
    )
    here = site(
        nodes=("scene_graph", "executive", "simulated_executor"),
        robot=ROBOT,
        executive={"world": "simulated", "executor_wait": 60.0},
    )
    kept = here.executive._delivery
    until(lambda: kept.is_served, "the grounder", 60.0)
    state, answer = here.execute(to_and_fro())
    assert state is GoalState.SUCCEEDED, answer.error_msg
    until(lambda: count_recorded(store) == 2, "both outcomes in the store", 60.0)
    limit_files(grounder, 0)
    said = probe.listen(DiagnosticArray, "/diagnostics")
    state, answer = here.execute(to_and_fro())
    assert state is GoalState.SUCCEEDED, answer.error_msg
    said.wait(
        lambda one: (
            one.status[0].name == here.name("grounder")
            and one.status[0].level != DiagnosticStatus.OK
        )
    )
    said.close()
    assert count_recorded(store) == 2
    assert kept.values() == {"unconfirmed_outcomes": 2, "lost_outcomes": 0}
    limit_files(grounder, resource.RLIM_INFINITY)
    until(lambda: not kept.values()["unconfirmed_outcomes"], "the grounder's word", 60.0)
    assert count_recorded(store) == 4
    assert grounder.poll() is None
