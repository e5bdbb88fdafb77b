# SPDX-License-Identifier: Apache-2.0
"""Outcomes on their way to a grounder that is away, killed, or in another world."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rclpy.context import Context

from fcp_ros.client import Element, predicate_query
from fcp_ros.grounding import CalibrationStore
from fcp_ros.msg import ActionOutcome, Argument, GroundingInfo, Judgement, OutcomeCode, PlanStep
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery
from fcp_ros.nodes.executive.thread import ExecutiveThread
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.spin import running
from fcp_ros.nodes.stack import NodeStack

STREAM = 300
"""Outcomes that are sent while the grounder is killed again and again."""
KILLS = 3
RATE = 60.0
"""Outcomes a second."""

GROUNDER = """
import sys
from fcp_ros.nodes.stack import StackOptions, run_nodes
store = {"calibration_path": sys.argv[1], "cache_path": "", "warm_up": False}
run_nodes(
    StackOptions(("grounder",), namespace="delivery", log_level="error",
                 overrides={"grounder": store}),
    ready_callback=lambda _nodes: print("ready", flush=True),
)
"""


def outcome(number: int, *, simulated: bool = False) -> ActionOutcome:
    query = predicate_query(
        "can_grasp",
        robot=Element("robot_1", "robot"),
        item=Element("mug_1", "mug", {"name": "mug_1"}),
    )
    return ActionOutcome(
        step=PlanStep(
            rule="pick",
            arguments=[Argument(value=str(number))],
            judgements=[Judgement(query=query)],
        ),
        outcome=OutcomeCode(code=OutcomeCode.SUCCEEDED),
        simulated=simulated,
    )


@pytest.fixture
def sender(ros_environment: int) -> Iterator[Any]:
    """Makes deliveries of an executive in the namespace "delivery": backlog -> delivery."""
    import rclpy

    context = Context()
    rclpy.init(args=[], context=context)
    node = ManagedNode("sender", (), context=context, namespace="delivery")
    thread = ExecutiveThread(lambda _event: None)
    made = []

    def make(backlog: int = 10_000) -> OutcomeDelivery:
        publisher = node.create_publisher(ActionOutcome, "outcomes", 100)
        made.append(OutcomeDelivery(node, publisher, thread, backlog))
        return made[-1]

    with running([node], context):
        yield make
        for delivery in made:
            delivery.close()
        thread.close(5.0)
    context.try_shutdown()


def start_grounder(store: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", GROUNDER, str(store)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()  # SIGKILL
    process.wait(30.0)
    assert process.stdout is not None
    process.stdout.close()


def steps_in(store: Path) -> Counter[str]:
    found = CalibrationStore(store)
    try:
        return Counter(item.step for item in found.entries())
    finally:
        found.close()


def test_no_outcome_is_lost_or_counted_twice_when_the_grounder_is_killed(
    sender: Any, tmp_path: Path, until: Any
) -> None:
    store = tmp_path / "store.sqlite"
    delivery = sender()
    process = start_grounder(store)
    began, sent = time.monotonic(), 0
    try:
        for kill in range(1, KILLS + 2):
            while sent < STREAM * kill // (KILLS + 1):
                time.sleep(max(0.0, began + sent / RATE - time.monotonic()))
                delivery.send(outcome(sent))
                sent += 1
            if kill <= KILLS:
                end(process)
                for _ in range(20):  # nobody hears these
                    delivery.send(outcome(sent))
                    sent += 1
                process = start_grounder(store)
        until(lambda: not delivery.values()["unconfirmed_outcomes"], "the grounder's word", 60.0)
    finally:
        end(process)
    assert delivery.values()["lost_outcomes"] == 0
    assert steps_in(store) == {f"pick({number})": 1 for number in range(sent)}


def test_outcomes_wait_for_a_grounder_and_the_oldest_are_given_up(sender: Any) -> None:
    delivery = sender(backlog=5)
    for number in range(8):
        delivery.send(outcome(number))
    assert delivery.values() == {"unconfirmed_outcomes": 5, "lost_outcomes": 3}


def test_simulated_outcomes_are_no_evidence_in_the_real_world(
    sender: Any, stack_options: Any, tmp_path: Path, until: Any, probe: Any
) -> None:
    delivery = sender()
    options = stack_options(tmp_path, nodes=("grounder",), namespace="delivery")
    with NodeStack(options) as stack:
        stack.wait_active()
        info = probe.listen(GroundingInfo, "delivery/grounding_info", latched=True)
        said = info.wait()
        assert (said.robot, said.world) == ("delivery", "real")
        assert said.calibration_store.endswith("calibration-delivery-real.sqlite")
        delivery.send(outcome(1, simulated=True))
        delivery.send(outcome(2))
        until(lambda: not delivery.values()["unconfirmed_outcomes"], "both confirmed")
        values = stack.nodes["grounder"].diagnose().values
        assert (values["evidence"], values["simulated_outcomes_left_out"]) == (1, 1)
        info.close()
    assert steps_in(tmp_path / "calibration-delivery-real.sqlite") == {"pick(2)": 1}
