# SPDX-License-Identifier: Apache-2.0
"""The structure of the package: layers, the picture of them, and rules that hold everywhere.

In one file, since a process parses the package once, in ten seconds.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from architecture_drawing import PAGE, render
from layer_tables import BESIDE, FOLDERS, LAYERS, ROS_ALLOWED_IN, STRANGERS
from package_source import PACKAGE, Module, read_modules
from structure_rules import RULES, UNREACHED

WAYS = ("goal", "degree", "scene")
WRITE = "run python test/support/architecture_drawing.py"

INTERFACES = {"msg", "srv", "action"}  # generated; importing them needs ROS
INTERFACES_ALLOWED_IN = {"nodes", "client", "demo"}  # the demo reads what the client returns
# They take seconds to import: only on demand.
HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "spark_dsg",
    "pxr",
    "open3d",
    "shapely",
    "rclpy",
    "matplotlib",
    "numba",
    "scipy",
    "mujoco",
)


# --- rules that hold everywhere: small folders, one name for one thing, no knots, no dead code


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    return read_modules()


@pytest.mark.parametrize("rule", RULES)
def test_structure(rule: str, modules: dict[str, Module]) -> None:
    assert list(RULES[rule](modules)) == [], f"{rule}, but not here"


def test_unreached_modules_that_are_kept_exist(modules: dict[str, Module]) -> None:
    assert UNREACHED.keys() <= modules.keys()


# --- imports point down the layers of docs/design.md, and ROS stays in the nodes and the client


def allowed_layers(layer: str) -> tuple[str, ...]:
    """Returns the layers that a layer may import from."""
    if layer in BESIDE:
        return (*BESIDE[layer], layer)
    return LAYERS[: LAYERS.index(layer) + 1]


def is_interface(module: str) -> bool:
    """Whether a module is a generated one of this package."""
    parts = module.split(".")
    return parts[0] == "fcp_ros" and len(parts) > 1 and parts[1] in INTERFACES


def is_ros(module: str) -> bool:
    """Whether a module belongs to ROS 2 itself."""
    parts = module.split(".")
    return parts[0] in {
        "rclpy",
        "builtin_interfaces",
        "rcl_interfaces",
        "launch",
        "launch_ros",
        "tf2_ros",
    } or parts[0].endswith("_msgs")


def get_layer(module: Module) -> str:
    """Return the layer of a module, "" for the files at the root of the package."""
    parts = module.path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


@cache
def list_imports() -> tuple[tuple[Module, str, str, str], ...]:
    """List each import of the package: module, its layer, where it is, and what is imported."""
    return tuple(
        (module, get_layer(module), f"{module.name}:{line}", name)
        for module in read_modules().values()
        for name, line in module.imports.items()
    )


def test_every_folder_is_a_known_layer() -> None:
    found = {get_layer(module) for module in read_modules().values()} - {""}
    assert found <= {*LAYERS, *BESIDE}


def test_imports_point_down() -> None:
    wrong = []
    for _, layer, where, name in list_imports():
        root, _, rest = name.partition(".")
        target = rest.partition(".")[0]
        if root != "fcp_ros" or target not in (*LAYERS, *BESIDE):
            continue  # a file at the root, or the interfaces: the next test but one
        if not layer or target not in allowed_layers(layer) or (layer, target) in STRANGERS:
            wrong.append(f"{where}: {layer or 'the root'} must not import {name}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layer", FOLDERS)
def test_imports_point_down_within_a_layer(layer: str) -> None:
    wrong, folders = [], FOLDERS[layer]
    for module, own, where, name in list_imports():
        path, parts = module.path.relative_to(PACKAGE).parts, name.split(".")
        if own != layer or parts[:2] != ["fcp_ros", layer]:
            continue
        place = path[1].removesuffix(".py")
        if len(path) < 3 and place not in folders:
            continue
        if len(parts) < 3 or parts[2] not in folders[: folders.index(place) + 1]:
            wrong.append(f"{where}: {place} must not import {name}")
    assert not wrong, "\n".join(wrong)


def test_only_nodes_and_client_know_ros() -> None:
    wrong = []
    for _, layer, where, name in list_imports():
        if is_ros(name) and layer not in ROS_ALLOWED_IN:
            wrong.append(f"{where}: imports {name}; only nodes and client may")
        if is_interface(name) and layer not in INTERFACES_ALLOWED_IN:
            wrong.append(f"{where}: imports {name}; only {INTERFACES_ALLOWED_IN} may")
    assert not wrong, "\n".join(wrong)


def test_the_command_line_starts_without_heavy_libraries(repository: Path) -> None:
    program = (
        "import sys, importlib\n"
        "for name in sys.argv[1].split(','): importlib.import_module(name)\n"
        "print(','.join(sys.modules))"
    )
    modules = ["fcp_ros.cli.main"] + [
        f"fcp_ros.{layer}" for layer in LAYERS[:-1] if (repository / "fcp_ros" / layer).is_dir()
    ]
    result = subprocess.run(
        [sys.executable, "-c", program, ",".join(modules)],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert not set(result.stdout.strip().split(",")) & set(HEAVY)


# --- docs/architecture.md: its picture, its table, and the files that it names


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_picture_and_table_are_those_of_the_package(page: str) -> None:
    assert page == render(), WRITE


def test_every_file_that_the_page_names_exists(page: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", page)
    assert len(targets) > 100
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []


def list_steps(page: str) -> dict[str, dict[str, list[int]]]:
    """List the numbers of the steps that each way takes in each layer."""
    steps: dict[str, dict[str, list[int]]] = {}
    for way in WAYS:
        _, _, section = page.partition(f"## The way of a {way}\n")
        items = re.split(r"^(\d+)\. ", section.partition("\n## ")[0], flags=re.MULTILINE)[1:]
        layers: dict[str, list[int]] = {}
        for number, text in zip(items[::2], items[1::2], strict=True):
            for layer in dict.fromkeys(re.findall(r"\(\.\./fcp_ros/(\w+)/", text)):
                layers.setdefault(layer, []).append(int(number))
        steps[way] = layers
    return steps


def test_each_way_passes_several_layers(page: str) -> None:
    steps = list_steps(page)
    assert all(len(steps[way]) >= 3 for way in WAYS)
    for layers in steps.values():
        numbers = {number for found in layers.values() for number in found}
        assert numbers == set(range(1, len(numbers) + 1)), "each step names a file"
