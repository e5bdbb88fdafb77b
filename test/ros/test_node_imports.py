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
    "planner.node": "abstraction alignment domain.pddl execution grounding.grounder "
    "grounding.calibration grounding.models.sentence_encoder scene.formats scene.shapes",
    "executive.node": "domain.pddl grounding.grounder grounding.models.sentence_encoder "
    "planning.planner planning.search relaxation scene.formats scene.relations.maintainer "
    "scene.shapes",
    "executors.simulated_executor": "domain.pddl grounding.grounder "
    "grounding.models.sentence_encoder planning.planner planning.search relaxation scene.formats "
    "scene.relations.maintainer scene.shapes",
}
"""Node -> what it has no use for at its start."""
NO_PYDANTIC = {"planner.node", "executive.node", "executors.simulated_executor"}
"""Nodes that read no files of others at their start: pydantic and Shapely take 0.2 s and 10 MB."""


@pytest.mark.parametrize("node", STRANGERS)
def test_a_node_imports_its_own_part_only(node):
    program = f"import sys, fcp_ros.nodes.{node}\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    modules = answer.stdout.split()
    assert not SLOW & set(modules)
    assert node not in NO_PYDANTIC or not {"pydantic", "shapely"} & set(modules)
    wrong = tuple(f"fcp_ros.{name}." for name in STRANGERS[node].split())
    assert [name for name in modules if f"{name}.".startswith(wrong)] == []
