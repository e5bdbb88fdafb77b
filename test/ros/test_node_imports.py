# SPDX-License-Identifier: Apache-2.0
"""Each node imports its own part of the package only: a start is mostly imports."""

import subprocess
import sys

import pytest

SLOW = {
    "httpx2", "jinja2", "llvmlite", "matplotlib", "networkx", "numba", "open3d", "pandas", "pxr",
    "rich", "scipy", "sentence_transformers", "sklearn", "tokenizers", "torch",
    "transformers", "typer",
}  # fmt: skip
STRANGERS = {
    "scene_graph.node": "binding cset domain execution fuzzy grounding planning relaxation",
    "grounder.node": "planning.planner planning.search relaxation scene.formats",
    "planner.node": "abstraction alignment execution grounding.grounder grounding.calibration "
    "scene.formats",
    "executive.node": "grounding.grounder planning.planner planning.search relaxation "
    "scene.formats scene.relations.maintainer",
    "executors.simulated_executor": "grounding.grounder planning.planner planning.search "
    "relaxation scene.formats scene.relations.maintainer",
}
"""Node -> what it has no use for at its start."""


@pytest.mark.parametrize("node", STRANGERS)
def test_a_node_imports_its_own_part_only(node):
    program = f"import sys, fcp_ros.nodes.{node}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    modules = answer.stdout.split()
    assert not SLOW & set(modules)
    wrong = tuple(f"fcp_ros.{name}." for name in STRANGERS[node].split())
    assert [name for name in modules if f"{name}.".startswith(wrong)] == []
