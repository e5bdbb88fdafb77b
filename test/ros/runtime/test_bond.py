# SPDX-License-Identifier: Apache-2.0
"""The bond with nav2's lifecycle manager: formed by an activation, broken by all that ends it."""

from __future__ import annotations

import itertools

import pytest
from lifecycle_msgs.msg import Transition

from fcp_ros.nodes.stack import NodeStack

Status = pytest.importorskip(
    "bond.msg", reason="`make setup` has not built the tests' interfaces"
).Status

CONFIGURE, ACTIVATE = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE
DEACTIVATE = Transition.TRANSITION_DEACTIVATE
NODE = "scene_graph"
NUMBERS = itertools.count(1)


@pytest.fixture
def robot(stack_options, tmp_path, request):
    """One node that a manager brings up; its namespace."""
    name = f"bonded_{next(NUMBERS)}"
    beats = {NODE: {"bond_period": 0.05} | getattr(request, "param", {})}
    options = stack_options(tmp_path, beats, namespace=name, nodes=(NODE,), autostart=False)
    with NodeStack(options):
        yield name


def bring_up(probe, robot):
    for transition in (CONFIGURE, ACTIVATE):
        assert probe.change_state(f"/{robot}/{NODE}", transition)


def test_a_bond_beats_while_the_node_is_active(robot, probe, until):
    inbox = probe.listen(Status, f"/{robot}/bond")
    bring_up(probe, robot)
    until(lambda: len(inbox.messages) > 3, "beats")
    beats = list(inbox.messages)
    assert {one.id for one in beats} == {NODE}
    assert all(one.active for one in beats)
    assert [one.heartbeat_period for one in beats] == pytest.approx([0.05] * len(beats))
    assert probe.change_state(f"/{robot}/{NODE}", DEACTIVATE)
    until(lambda: not probe.node.get_publishers_info_by_topic(f"/{robot}/bond"), "the end")
    assert len({one.instance_id for one in inbox.messages}) == 1
    assert probe.change_state(f"/{robot}/{NODE}", ACTIVATE)
    until(lambda: len({one.instance_id for one in inbox.messages}) == 2, "another bond")


def test_the_other_ends_farewell_is_answered(robot, probe, until):
    """Without the answer, bondcpp waits for two seconds."""
    inbox = probe.listen(Status, f"/{robot}/bond")
    sister = probe.node.create_publisher(Status, f"/{robot}/bond", 5)
    bring_up(probe, robot)
    until(lambda: inbox.messages and sister.get_subscription_count() == 2, "the bond")
    sister.publish(Status(id="planner_server", instance_id="sister", active=False))
    sister.publish(Status(id=NODE, instance_id="sister", active=True))
    count = len(inbox.messages)
    until(lambda: len(inbox.messages) > count + 3, "more beats")
    ours = [one for one in inbox.messages if one.instance_id != "sister"]
    assert all(one.active for one in ours), "it was not meant"
    sister.publish(Status(id=NODE, instance_id="sister", active=False))
    until(
        lambda: any(not m.active for m in inbox.messages if m.instance_id != "sister"),
        "the answer",
    )
    probe.node.destroy_publisher(sister)


@pytest.mark.parametrize(
    ("robot", "by_itself"),
    [({"bond_period": 0.0}, False), ({"autostart": True}, True)],
    indirect=["robot"],
)
def test_without_a_manager_there_is_no_bond(robot, by_itself, probe, until):
    if not by_itself:
        bring_up(probe, robot)
    until(lambda: probe.state_of(f"/{robot}/{NODE}") == "active", "the node")
    assert not probe.node.get_publishers_info_by_topic(f"/{robot}/bond")


def test_a_manager_with_bondpy_forms_and_loses_the_bond(robot, probe, until):
    """bondpy has the same state machine as bondcpp, which nav2's lifecycle manager uses."""
    bondpy = pytest.importorskip("bondpy.bondpy", reason="bondpy is not installed")
    manager = bondpy.Bond(probe.node, f"/{robot}/bond", NODE)
    manager.heartbeat_timeout = 1.0
    manager.heartbeat_period = 0.25
    bring_up(probe, robot)
    manager.start()
    assert manager.wait_until_formed(bondpy.Duration(seconds=10.0))
    assert not manager.wait_until_broken(bondpy.Duration(seconds=2.0)), "beats keep it"
    assert probe.change_state(f"/{robot}/{NODE}", DEACTIVATE)
    assert manager.wait_until_broken(bondpy.Duration(seconds=10.0))
    manager.shutdown()
