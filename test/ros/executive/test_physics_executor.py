# SPDX-License-Identifier: Apache-2.0
"""A goal in words reached by a robot in the world with physics, which the scene graph follows."""

from __future__ import annotations

import pytest

from fcp_ros.client import FcpClient
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.package_files import find_scene

pytest.importorskip("mujoco")

NODES = ("scene_graph", "grounder", "task_planner", "executive", "world_executor")


@pytest.fixture(scope="module")
def client(stack_options, tmp_path_factory):
    world = {
        "kind": "physics",
        "world_file": str(find_scene("twin_house_furnished")),
        "time_scale": -1.0,
        "publish_clock": True,
    }
    options = stack_options(
        tmp_path_factory.mktemp("physics"),
        {"world_executor": world},
        nodes=NODES,
        namespace="physics",
        scene="",
    )
    with NodeStack(options) as stack:
        stack.wait_active()
        with FcpClient(namespace="physics") as found:
            yield found


def relations_of(graph, item):
    from fcp_ros.nodes.conversions.scene import graph_from_ros

    read = graph_from_ros(graph)
    names = ("on", "inside", "holding")
    return {(r.name, *r.elements) for r in read.relations_of(item) if r.name in names}


@pytest.mark.timeout(240)
def test_a_goal_is_reached_by_what_the_engine_decides(client):
    result = client.achieve("on(apple_1, table_1)", timeout=180.0)
    assert result.error_code == 0, result.error_msg
    assert [outcome.step.rule for outcome in result.outcomes] == ["pick", "navigate", "place"]
    assert all(outcome.quality_measured for outcome in result.outcomes[::2])
    assert relations_of(client.scene(), "apple_1") == {("on", "apple_1", "table_1")}
