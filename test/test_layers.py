# SPDX-License-Identifier: Apache-2.0
"""Imports point down the layers of docs/design.md, and ROS stays in the nodes and the client."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from layer_tables import BESIDE, FOLDERS, LAYERS, ROS_ALLOWED_IN, STRANGERS

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
)


def imported_modules(file: Path, package: str) -> Iterator[tuple[int, str]]:
    """Yields line and absolute name of every import in a file, function-level ones as well.

    Args:
        file: the Python file.
        package: the dotted package that the file is in, for relative imports.
    """
    for node in ast.walk(ast.parse(file.read_text(), filename=str(file))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *base.split(".")])
            # `from fcp_ros import planning` imports a layer, too.
            names = [base] if base != "fcp_ros" else [f"fcp_ros.{a.name}" for a in node.names]
            yield from ((node.lineno, name) for name in names)


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


def source_files(repository: Path) -> list[Path]:
    """Returns all Python files of the package."""
    return sorted((repository / "fcp_ros").rglob("*.py"))


def layer_of(file: Path, repository: Path) -> str:
    """Returns the layer of a file, "" for the files at the root of the package."""
    parts = file.relative_to(repository / "fcp_ros").parts
    return parts[0] if len(parts) > 1 else ""


def test_every_folder_is_a_known_layer(repository: Path) -> None:
    found = {layer_of(file, repository) for file in source_files(repository)} - {""}
    assert found <= {*LAYERS, *BESIDE}


def test_imports_point_down(repository: Path) -> None:
    wrong = []
    for file in source_files(repository):
        layer = layer_of(file, repository)
        relative = file.relative_to(repository)
        for line, module in imported_modules(file, ".".join(relative.parent.parts)):
            parts = module.split(".")
            if parts[0] != "fcp_ros" or len(parts) < 2:
                continue
            target = parts[1]
            if target not in LAYERS and target not in BESIDE:
                continue  # a file at the root, or the interfaces: the next test
            if not layer or target not in allowed_layers(layer) or (layer, target) in STRANGERS:
                wrong.append(f"{relative}:{line}: {layer or 'the root'} must not import {module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layer", FOLDERS)
def test_imports_point_down_within_a_layer(repository: Path, layer: str) -> None:
    wrong, folders = [], FOLDERS[layer]
    for file in sorted((repository / "fcp_ros" / layer).glob("*/**/*.py")):
        relative = file.relative_to(repository)
        folder = relative.parts[2]
        for line, module in imported_modules(file, ".".join(relative.parent.parts)):
            parts = module.split(".")
            if parts[:2] != ["fcp_ros", layer]:
                continue
            if len(parts) < 4 or parts[2] not in folders[: folders.index(folder) + 1]:
                wrong.append(f"{relative}:{line}: {folder} must not import {module}")
    assert not wrong, "\n".join(wrong)


def test_only_nodes_and_client_know_ros(repository: Path) -> None:
    wrong = []
    for file in source_files(repository):
        layer = layer_of(file, repository)
        relative = file.relative_to(repository)
        for line, module in imported_modules(file, ".".join(relative.parent.parts)):
            if is_ros(module) and layer not in ROS_ALLOWED_IN:
                wrong.append(f"{relative}:{line}: imports {module}; only nodes and client may")
            if is_interface(module) and layer not in INTERFACES_ALLOWED_IN:
                wrong.append(
                    f"{relative}:{line}: imports {module}; "
                    f"only {', '.join(sorted(INTERFACES_ALLOWED_IN))} may"
                )
    assert not wrong, "\n".join(wrong)


def test_relative_imports_are_resolved(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("from ..planning import plan\nfrom . import y\nfrom fcp_ros import cset\n")
    names = [name for _, name in imported_modules(file, "fcp_ros.domain")]
    assert names == ["fcp_ros.planning", "fcp_ros.domain.", "fcp_ros.cset"]


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
