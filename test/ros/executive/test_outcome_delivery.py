# SPDX-License-Identifier: Apache-2.0
"""Outcomes on their way to a grounder that is away, killed, or in another world.

The executive itself may be killed on the way, too.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from child_output import wait_for_line
from grasping import pick_outcome
from lone_nodes import lone_node

from fcp_ros.client import FcpClient
from fcp_ros.grounding import CalibrationStore
from fcp_ros.msg import ActionOutcome, Argument, GroundingInfo
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery, OutcomeJournal
from fcp_ros.nodes.executive.parameters import PlanError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.stack import NodeStack

STREAM = 60
"""Outcomes that are sent before the grounder is killed, and as many afterwards."""
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
    message = pick_outcome()
    message.step.arguments = [Argument(kind=Argument.ELEMENT, value=str(number))]
    message.simulated = simulated
    return message


@contextmanager
def open_sender() -> Iterator[Callable[..., OutcomeDelivery]]:
    """Make deliveries as the executive does, in the namespace "delivery": (backlog, journal)."""
    thread = GoalThreads(lambda _event: None)
    made = []

    def make(backlog: int = 10_000, journal: Path | None = None) -> OutcomeDelivery:
        publisher = node.create_publisher(ActionOutcome, "outcomes", 100)
        kept = None if journal is None else OutcomeJournal(journal)
        made.append(OutcomeDelivery(node, publisher, thread, backlog, kept))
        return made[-1]

    with lone_node(partial(ManagedNode, "sender", ()), "delivery") as node:
        yield make
        for delivery in made:
            delivery.close()
        thread.close(5.0)


@pytest.fixture
def sender(ros_environment: int) -> Iterator[Callable[..., OutcomeDelivery]]:
    """`open_sender`, for one test."""
    with open_sender() as make:
        yield make


def start_grounder(store: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", GROUNDER, str(store)], stdout=subprocess.PIPE, text=True
    )
    wait_for_line(process, "ready")
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()  # SIGKILL
    process.wait(30.0)
    if process.stdout is not None:
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
    numbers = itertools.count()

    def send(count: int, rate: float) -> None:
        for number in itertools.islice(numbers, count):
            delivery.send(outcome(number))
            time.sleep(1.0 / rate)

    try:
        send(STREAM, RATE)
        end(process)
        send(20, 1000.0)  # nobody hears these
        process = start_grounder(store)
        send(STREAM, RATE)
        until(lambda: not delivery.values()["unconfirmed_outcomes"], "the grounder's word", 60.0)
    finally:
        end(process)
    assert delivery.values()["lost_outcomes"] == 0
    assert steps_in(store) == {f"pick({number})": 1 for number in range(2 * STREAM + 20)}


def test_what_the_grounder_refuses_for_ever_holds_up_no_other(
    sender: Any, stack_options: Any, tmp_path: Path, until: Any
) -> None:
    """Such as a step of an action that the grounder's domain does not have."""
    delivery = sender(journal=tmp_path / "outcomes.sqlite")
    for number in range(10):
        sent = outcome(number)
        sent.step.rule = "fly" if number in (3, 7) else "pick"
        delivery.send(sent)
    with NodeStack(stack_options(tmp_path, nodes=("grounder",), namespace="delivery")):
        until(lambda: not delivery.values()["unconfirmed_outcomes"], "the grounder's word", 60.0)
    assert delivery.values()["lost_outcomes"] == 2
    store = tmp_path / "calibration-delivery-real.sqlite"
    assert steps_in(store) == {f"pick({number})": 1 for number in range(10) if number not in (3, 7)}


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


SENDER = """
import sys, time
sys.path[:0] = sys.argv[3:]
from test_outcome_delivery import Path, open_sender, outcome
with open_sender() as make:
    delivery = make(journal=Path(sys.argv[1]))
    for number in range(int(sys.argv[2]), 10_000):
        delivery.send(outcome(number))
        print("sent", number, flush=True)
        time.sleep(0.01)
"""


def test_no_outcome_is_lost_when_the_executive_is_killed(
    sender: Any, tmp_path: Path, until: Any
) -> None:
    """Two senders in turn, the second killed with some outcomes confirmed and some not."""
    store, journal = tmp_path / "store.sqlite", tmp_path / "journal.sqlite"
    sent = 0
    for kill in range(2):
        grounder = start_grounder(store) if kill else None  # there is none while the first sends
        words = (SENDER, str(journal), str(sent), str(Path(__file__).parent), *sys.path)
        process = subprocess.Popen(
            [sys.executable, "-c", *words], stdout=subprocess.PIPE, text=True
        )
        for _ in range(60):
            sent = int(wait_for_line(process, "sent")) + 1
        end(process)
        if grounder is not None:
            end(grounder)
    with closing(OutcomeJournal(journal)) as left:
        assert left.read()[0], "some were not confirmed"
    grounder = start_grounder(store)
    try:
        delivery = sender(journal=journal)
        until(lambda: not delivery.values()["unconfirmed_outcomes"], "the grounder's word", 60.0)
    finally:
        end(grounder)
    found = steps_in(store)
    assert {f"pick({number})" for number in range(sent)} <= found.keys()
    assert set(found.values()) == {1}, "none twice"
    with closing(OutcomeJournal(journal)) as left:
        assert left.read() == ([], 0)


def test_the_next_executive_hands_over_what_the_killed_one_could_not(
    stack_options: Any, spawn: Any, to_and_fro: Any, tmp_path: Path, until: Any
) -> None:
    """As a user meets it: a plan is executed, no grounder is there, the executive is killed."""
    journal = tmp_path / "journal-{robot}-{world}.sqlite"
    options = stack_options(
        tmp_path, nodes=("scene_graph", "simulated_executor"), namespace="forgetful"
    )
    parameters = {"outcome_journal": journal, "world": "simulated", "executor_wait": 60.0}
    with NodeStack(options) as stack, FcpClient(namespace="forgetful") as client:
        stack.wait_active()
        executive = spawn("executive.node", "forgetful", **parameters)
        client.wait_for("execute_task_plan", timeout=60.0)
        results = [client.execute(to_and_fro(), timeout=60.0)]
        while results[-1].error_code == PlanError.NODE_INACTIVE:  # the test's time limit ends it
            results.append(client.execute(to_and_fro(), timeout=60.0))
        assert results[-1].error_code == 0, results[-1].error_msg
        end(executive)
    with closing(OutcomeJournal(tmp_path / "journal-forgetful-simulated.sqlite")) as left:
        assert len(left.read()[0]) == 2
    grounder = stack_options(
        tmp_path, {"grounder": {"world": "simulated"}}, nodes=("grounder",), namespace="forgetful"
    )
    with NodeStack(grounder) as stack:
        stack.wait_active()
        spawn("executive.node", "forgetful", **parameters)
        store = CalibrationStore(tmp_path / "calibration-forgetful-simulated.sqlite")
        with closing(store), store._use_connection() as connection:
            rows = "SELECT COUNT(*) FROM outcomes"
            until(lambda: connection.execute(rows).fetchone() == (2,), "both outcomes", 60.0)


def test_outcomes_of_another_message_definition_are_given_up(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(OutcomeJournal(path)) as journal:
        journal.add(outcome(1))
        journal._layout = "another"
        other = outcome(2)
        other.number = 2
        journal.add(other)
    with closing(OutcomeJournal(path)) as journal:
        assert journal.read() == ([outcome(1)], 1)
        assert journal.read() == ([outcome(1)], 0)


def test_a_disk_that_refuses_does_not_stop_the_delivery(sender: Any, tmp_path: Path) -> None:
    delivery = sender(journal=tmp_path / "journal.sqlite")
    delivery._journal._connection.execute("DROP TABLE outcomes")
    delivery.send(outcome(1))
    assert delivery.values() == {"unconfirmed_outcomes": 1, "lost_outcomes": 0}
    assert "do not survive a crash" in delivery.journal_problem


def test_what_the_disk_refused_is_on_it_as_soon_as_it_takes_it(
    sender: Any, tmp_path: Path, until: Any
) -> None:
    path = tmp_path / "journal.sqlite"
    delivery = sender(journal=path)
    disk = delivery._journal._connection
    disk.execute("PRAGMA query_only = ON")
    for number in range(3):
        delivery.send(outcome(number))
    disk.execute("PRAGMA query_only = OFF")
    until(lambda: len(delivery._journal.read()[0]) == 3, "the outcomes on the disk", 20.0)
    assert not delivery.journal_problem
    disk.execute("PRAGMA query_only = ON")
    delivery.send(outcome(3))
    disk.execute("PRAGMA query_only = OFF")
    delivery.close()
    with closing(OutcomeJournal(path)) as journal:
        assert [one.number for one in journal.read()[0]] == [1, 2, 3, 4]
