# SPDX-License-Identifier: Apache-2.0
"""The launch files: their arguments, the nodes they start, and the parameters these get."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ARGUMENTS = {
    "namespace",
    "params_file",
    "domain",
    "scene",
    "robot_namespaces",
    "use_sim_time",
    "autostart",
    "log_level",
    "use_respawn",
    "rviz",
    "rviz_config",
}
BRINGUP = ["scene_graph", "grounder", "task_planner", "executive"]


@pytest.mark.parametrize("name", ["bringup", "simulation"])
def test_launch_files_compile(repository: Path, name: str) -> None:
    file = repository / "launch" / f"{name}.launch.py"
    compile(file.read_text(), str(file), "exec")


@pytest.fixture(scope="module")
def launch_ros():
    return pytest.importorskip(
        "launch_ros", reason="launch_ros is not installed (it is part of a ROS 2 distribution)"
    )


def description(repository: Path, name: str):
    """The launch description of a file, as `ros2 launch` gets it."""
    file = repository / "launch" / f"{name}.launch.py"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def started(repository: Path, name: str, **arguments: str) -> list:
    """The node actions that a launch file comes down to with the arguments given."""
    from launch import LaunchContext
    from launch.actions import IncludeLaunchDescription
    from launch_ros.actions import Node

    context = LaunchContext()
    context.launch_configurations.update(arguments)
    context.extend_locals(
        {
            "current_launch_file_path": str(repository / "launch" / "x"),
            "current_launch_file_directory": str(repository / "launch"),
        }
    )
    pending, nodes = list(description(repository, name).entities), []
    while pending:
        entity = pending.pop(0)
        if isinstance(entity, Node):
            nodes.append(entity)
        elif isinstance(entity, IncludeLaunchDescription):
            for argument, value in entity.launch_arguments:
                context.launch_configurations[argument] = value
            pending = (
                list(entity.launch_description_source.get_launch_description(context).entities)
                + pending
            )
        else:
            pending = list(entity.visit(context) or []) + pending
    for node in nodes:
        node._perform_substitutions(context)
    return nodes


@pytest.mark.parametrize("name", ["bringup", "simulation"])
def test_arguments_are_declared(launch_ros, repository: Path, name: str) -> None:
    declared = {a.name: a for a in description(repository, name).get_launch_arguments()}
    assert set(declared) >= ARGUMENTS
    for argument in declared.values():
        assert argument.description
        assert argument.default_value is not None, f"{argument.name} has no default"


def test_bringup_starts_the_nodes(launch_ros, repository: Path) -> None:
    nodes = started(repository, "bringup", namespace="robot", params_file="/tmp/params.yaml")
    assert [node.node_name for node in nodes] == [f"/robot/{name}" for name in BRINGUP]


def test_simulation_adds_the_simulated_executor(launch_ros, repository: Path) -> None:
    nodes = started(repository, "simulation", params_file="/tmp/params.yaml")
    assert [node.node_name for node in nodes] == [
        f"/{name}" for name in [*BRINGUP, "simulated_executor"]
    ]


@pytest.mark.parametrize(
    ("simulator", "added"),
    [
        ("physics", ["world_executor"]),
        ("pyrobosim", ["world_executor"]),
        ("interfaces", ["simulation_bridge"]),
    ],
)
def test_each_simulator_has_its_nodes(launch_ros, repository: Path, simulator, added) -> None:
    options = {"params_file": "/tmp/params.yaml", "simulator": simulator}
    nodes = started(repository, "simulation", **options)
    assert [node.node_name for node in nodes] == [f"/{name}" for name in [*BRINGUP, *added]]


def test_rviz_is_started_in_the_namespace(launch_ros, repository: Path, monkeypatch) -> None:
    import ament_index_python.packages as packages

    monkeypatch.setattr(packages, "get_package_prefix", lambda name: f"/opt/{name}")
    nodes = started(
        repository,
        "bringup",
        namespace="robot",
        params_file="/tmp/params.yaml",
        rviz="true",
        rviz_config="/tmp/view.rviz",
    )
    assert [node.node_name for node in nodes][len(BRINGUP) :] == ["/robot/rviz2"]


def test_without_rviz_the_nodes_start_all_the_same(
    launch_ros, repository: Path, monkeypatch
) -> None:
    import ament_index_python.packages as packages

    def missing(name: str) -> str:
        raise packages.PackageNotFoundError(name)

    monkeypatch.setattr(packages, "get_package_prefix", missing)
    nodes = started(
        repository,
        "bringup",
        params_file="/tmp/params.yaml",
        rviz="true",
        rviz_config="/tmp/view.rviz",
    )
    assert [node.node_name for node in nodes] == [f"/{name}" for name in BRINGUP]


PROGRAM = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

arguments = [tuple(argument.split(":=")) for argument in sys.argv[2:]]
service = LaunchService(argv=sys.argv[2:])
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments)]))
sys.exit(service.run())
"""
ACTIVE = 3  # lifecycle_msgs/State.PRIMARY_STATE_ACTIVE


@pytest.fixture
def launched(launch_ros, ros_environment, repository: Path, tmp_path: Path):
    """simulation.launch.py, running in the namespace `launched`."""
    packages = pytest.importorskip("ament_index_python.packages")
    try:
        packages.get_package_prefix("fcp_ros")
    except packages.PackageNotFoundError:
        pytest.skip("fcp_ros is not installed as a ROS package here")
    params = tmp_path / "params.yaml"
    params.write_text("/**/grounder:\n  ros__parameters:\n    warm_up: false\n")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PROGRAM,
            str(repository / "launch" / "simulation.launch.py"),
            "namespace:=launched",
            "scene:=twin_house_furnished",
            f"params_file:={params}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()


def test_launched_nodes_activate_themselves_and_end_cleanly(launched, probe, until) -> None:
    from lifecycle_msgs.srv import GetState

    for name in [*BRINGUP, "simulated_executor"]:
        service = f"/launched/{name}/get_state"
        until(
            lambda service=service: probe.ask(GetState, service).current_state.id == ACTIVE,
            f"/launched/{name} to be active",
        )
    launched.send_signal(signal.SIGINT)
    output, _ = launched.communicate(timeout=40)
    assert output.count("process has finished cleanly") == len(BRINGUP) + 1, output
    assert launched.returncode == 0, output
