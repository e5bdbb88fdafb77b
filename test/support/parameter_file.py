# SPDX-License-Identifier: Apache-2.0
"""config/params.yaml, made from the specifications of the nodes' parameters.

``python test/support/parameter_file.py`` writes it again; a test compares the two.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from fcp_ros.nodes.executive.parameters import PARAMETERS as EXECUTIVE
from fcp_ros.nodes.executors.simulated_executor import PARAMETERS as SIMULATED_EXECUTOR
from fcp_ros.nodes.grounder.parameters import PARAMETERS as GROUNDER
from fcp_ros.nodes.planner.parameters import PARAMETERS as PLANNER
from fcp_ros.nodes.runtime.parameters import COMMON_PARAMETERS, ParameterSpec, TakesEffect
from fcp_ros.nodes.scene_graph.node import PARAMETERS as SCENE_GRAPH

FILE = Path(__file__).parents[2] / "config" / "params.yaml"

HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# All parameters of all nodes, with their defaults. "/**/" fits the nodes in every namespace.
# Copy this file, keep what you change, and pass it as params_file. A new value takes effect when
# the node is configured; "live": with the next request; "only at start": when the node is started.
# [""] stands for an empty list, whose type ROS can't tell.
"""

NODES = (
    ("scene_graph", "Holds the scene graph.", SCENE_GRAPH),
    ("grounder", "Judges graded predicates and learns from outcomes.", GROUNDER),
    ("task_planner", "Plans.", PLANNER),
    ("executive", "Executes plans.", EXECUTIVE),
    ("simulated_executor", "Stands for the robot's executors.", SIMULATED_EXECUTOR),
)

TIMES = {
    TakesEffect.AT_START: " (only at start)",
    TakesEffect.AT_CONFIGURE: "",
    TakesEffect.AT_ONCE: " (live)",
}


def render_file() -> str:
    """Return the whole file."""
    return HEAD + "".join(_render_node(*node) for node in NODES)


def _render_node(name: str, purpose: str, specs: Iterable[ParameterSpec]) -> str:
    lines = ["", f"# {'-' * 97}", f"# {purpose}", f"/**/{name}:", "  ros__parameters:"]
    for spec in (*COMMON_PARAMETERS, *specs):
        lines += _render_parameter(spec)
    return "\n".join(lines) + "\n"


def _render_parameter(spec: ParameterSpec) -> Iterator[str]:
    words = spec.description
    if not all(choice in words for choice in spec.choices if choice):
        words += f" One of {', '.join(choice or json.dumps(choice) for choice in spec.choices)}."
    if spec.minimum is not None and spec.maximum is not None:
        words += f" {_number(spec.minimum)} to {_number(spec.maximum)}."
    words += TIMES[spec.takes_effect]
    for line in textwrap.wrap(words, 94, break_long_words=False, break_on_hyphens=False):
        yield f"    # {line}"
    yield f"    {spec.name}: {json.dumps(spec.default)}"


def _number(value: float) -> str:
    if value >= 1e6 and math.log10(value).is_integer():
        return f"1e{round(math.log10(value))}"
    return str(int(value)) if value == int(value) else str(value)


if __name__ == "__main__":
    FILE.write_text(render_file(), encoding="utf-8")
