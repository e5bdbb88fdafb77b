# SPDX-License-Identifier: Apache-2.0
"""The example programs run, as their users run them: in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fcp_ros.action import ExecuteStep
from fcp_ros.client import FcpClient
from fcp_ros.domain import load_domain
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.package_files import find_domain

ERRORS = 1
RUNS = {
    "load_scene": [([], 0, "mug_1: mug"), (["/etc/passwd"], ERRORS, "scene_folders")],
    "judge": [([], 0, "mug    1.00")],
    "plan_goal": [
        ([], 0, "?x = book_1"),
        (["on(unicorn_1, table_1)"], ERRORS, "unicorn_1"),
    ],
    "achieve_goal": [(["on(unicorn_1, table_1)"], ERRORS, "unicorn_1")],
    "calibration": [([], 0, "outcomes")],
    "settle_names": [([], 0, "No names are proposed.")],
    "ask": [(["blorp the frim"], ERRORS, "frim")],
}
"""Of each example: arguments, exit code, and what is shown, where nothing moves."""
MOVES = {
    "achieve_goal": ([], "place: done\nsucceeded"),
    "ask": (["bring me a wine glass", "1"], "pick: done\nnavigate: done\nachieved"),
}
ONE_AFTER_ANOTHER = """
import contextlib, io, json, runpy, sys
answers = []
for sys.argv in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            answers.append((end.code, out.getvalue()))
json.dump(answers, sys.stdout)
"""
"""A program that runs programs: most of a start are imports."""


def run(
    repository: Path, name: str, *arguments: str, domain_id: int | None = None
) -> subprocess.CompletedProcess[str]:
    domain = {} if domain_id is None else {"ROS_DOMAIN_ID": str(domain_id)}
    return subprocess.run(
        [sys.executable, str(repository / "examples" / f"{name}.py"), *arguments],
        env={**os.environ, **domain},
        capture_output=True,
        text=True,
        timeout=90.0,
        check=False,
    )


def test_every_example_is_tested(repository):
    found = {file.stem for file in (repository / "examples").glob("*.py")}
    assert found == {*RUNS, "write_an_executor"}


def test_examples_show_what_they_find_or_what_went_wrong(repository, scene):
    cases = [(name, *case) for name, cases in RUNS.items() for case in cases]
    commands = [[f"{repository}/examples/{name}.py", *given] for name, given, _, _ in cases]
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_ANOTHER],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=110.0,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for case, (code, shown) in zip(cases, json.loads(done.stdout), strict=True):
        assert code == case[2], (case, shown)
        assert case[3] in shown, case


@pytest.mark.parametrize("name", MOVES)
def test_examples_move_the_robot(name, repository, scene):
    arguments, shown = MOVES[name]
    done = run(repository, name, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown in done.stdout
    assert "Traceback" not in done.stderr


def faults_after_interrupt(process: subprocess.Popen) -> str:
    """End a program that uses rclpy's own signal handler; what it printed if it did not end well.

    rclpy wakes its executor and only then shuts the context down. An executor that waits anew in
    between stays asleep until the next signal, or fails with an error from wait.c.
    """
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            err = process.communicate(timeout=10.0)[1]
            return err if "Traceback" in err and "wait.c" not in err else ""
    return "it does not end"


def test_the_executor_performs_steps(repository, stack_options, tmp_path, probe):
    """Its own `navigate` takes part beside the simulated rest of the robot."""
    household = load_domain(find_domain("household"))
    others = sorted({rule.executor for rule in household.rules.values()} - {"navigate"})
    options = stack_options(
        tmp_path,
        {"simulated_executor": {"executors": others}, "executive": {"trust_executors": True}},
        namespace="mine",
    )
    process = subprocess.Popen(
        [
            sys.executable,
            str(repository / "examples" / "write_an_executor.py"),
            "--ros-args",
            "-r",
            "__ns:=/mine",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with NodeStack(options) as stack, FcpClient(namespace="mine") as client:
            stack.wait_active()
            probe.action(ExecuteStep, "mine/navigate")
            result = client.achieve("on(mug_1, counter_1)", alpha=0.3, timeout=60.0)
            assert result.error_code == 0, result.error_msg
            moved = [o for o in result.outcomes if o.step.rule == "navigate"]
            assert [o.quality for o in moved] == [0.9, 0.9]
            assert moved[0].outcome.message == "arrived in living_room_1"
        assert not faults_after_interrupt(process)
    finally:
        process.kill()
        process.wait(30.0)
