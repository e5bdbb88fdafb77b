# SPDX-License-Identifier: Apache-2.0
"""The program ``fcp``: its list of commands stays true, and it imports no more than it needs."""

import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fcp_ros.cli.main import COMMANDS, app, import_command

LISTING = """
import sys
from typer.testing import CliRunner
from fcp_ros.cli.main import app
result = CliRunner().invoke(app, sys.argv[1:])
assert result.exit_code == 0, result.output
print("\\n".join(sys.modules))
"""

SLOW = {
    "httpx2", "jinja2", "matplotlib", "networkx", "open3d", "pandas", "pxr", "rclpy", "sklearn",
    "sentence_transformers", "spark_dsg", "torch", "transformers",
}  # fmt: skip
"""Libraries that take tenths of seconds, or seconds, to import."""


def imported_by(*arguments):
    """The modules in memory after a command, in a process of its own."""
    result = subprocess.run(
        [sys.executable, "-c", LISTING, *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return set(result.stdout.splitlines())


def test_help_imports_no_library_at_all():
    modules = imported_by("--help")
    assert not modules & (SLOW | {"numba", "numpy", "pydantic", "scipy", "yaml"})
    ours = {module for module in modules if module.startswith("fcp_ros")}
    needed = {"fcp_ros", "fcp_ros.cli", "fcp_ros.cli.main"}
    assert ours == needed | {"fcp_ros.foundation", "fcp_ros.foundation.garbage"}


def test_a_small_pddl_task_is_planned_without_scenes_and_slow_libraries(repository):
    files = repository / "test" / "data" / "pddl"
    modules = imported_by(
        "plan",
        "--domain", str(files / "courier.pddl"),
        "--scene", str(files / "courier-1.pddl"),
    )  # fmt: skip
    assert not modules & (SLOW | {"lark", "numba", "scipy", "sqlite3", "tokenizers", "yaml"})
    wrong = (
        *("fcp_ros.scene", "fcp_ros.nodes", "fcp_ros.abstraction.states"),
        *("fcp_ros.grounding.grounder", "fcp_ros.grounding.options"),
    )
    assert not [module for module in modules if module.startswith(wrong)]
    ours = {module for module in modules if module.startswith("fcp_ros.")}
    assert {m for m in ours if m.startswith("fcp_ros.relaxation.")} == {
        "fcp_ros.relaxation.question"
    }
    assert not ours & {"fcp_ros.language.paraphrase", "fcp_ros.language.domain_reader"}


def test_nothing_is_collected_while_a_command_is_imported():
    """A fifth of a start was the collector, which traverses again what was imported before."""
    program = """
import gc
from fcp_ros.cli.main import app
from typer.main import get_command
group = get_command(app)
context = group.make_context("fcp", ["plan"])
collections = []
gc.callbacks.append(lambda phase, info: collections.append(info) if phase == "start" else None)
group.resolve_command(context, ["plan"])
print(gc.isenabled(), len(collections))
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    enabled, collections = answer.stdout.split()
    assert enabled == "True"
    assert int(collections) == 0


def test_a_goal_without_judgements_is_planned_in_a_house_without_models():
    modules = imported_by(
        "plan", "--scene", "twin_house_furnished", "--goal", "at(robot_1, living_room_1)"
    )
    assert not modules & (SLOW | {"numba", "scipy", "tokenizers"})
    assert not [module for module in modules if module.startswith("fcp_ros.nodes")]


def test_a_scene_is_shown_without_planner_and_models():
    modules = imported_by("scene", "info", "twin_house_furnished")
    assert not modules & (SLOW | {"numba", "scipy", "sqlite3", "tokenizers"})
    wrong = ("fcp_ros.planning.planner", "fcp_ros.grounding.grounder", "fcp_ros.nodes")
    assert not [module for module in modules if module.startswith(wrong)]


def test_the_default_judge_needs_no_slow_library():
    modules = imported_by("judge", "can_grasp", "robot", "mug")
    assert not modules & (SLOW | {"numba", "scipy"})
    wrong = ("fcp_ros.planning.planner", "fcp_ros.nodes")
    assert not [module for module in modules if module.startswith(wrong)]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_listed_with_the_first_line_of_its_own_help(name):
    assert get_command(import_command(name)).help.splitlines()[0] == COMMANDS[name].summary


def test_commands_are_told_by_name():
    answer = CliRunner().invoke(app, ["pln"])
    assert answer.exit_code == 2
    assert "plan" in answer.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(name):
    answer = CliRunner().invoke(app, [name, "--help"])
    assert answer.exit_code == 0
    assert f"fcp {name}" in answer.output
    assert "--install-completion" not in answer.output
