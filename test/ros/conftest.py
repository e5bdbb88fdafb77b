# SPDX-License-Identifier: Apache-2.0
"""Live nodes for tests: an own ROS domain, one running stack for many tests, waits with deadlines.

Nothing here sleeps for a fixed time: tests wait for conditions (`wait_until`), with a deadline that
only a failing test ever reaches.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ros_domains import claim_domain

if TYPE_CHECKING:
    from fcp_ros.client import FcpClient
    from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionClient
    from fcp_ros.nodes.stack import NodeStack, StackOptions

# Without ROS 2 (or without the built interfaces) only what needs neither is collected, and rclpy is
# imported by the fixtures alone, so that this file can always be.
NEED_NO_ROS = {
    "test_launch_files.py",
    "test_detection_values.py",
    "test_dsg_stream.py",
    "test_sightings.py",
}
HAS_ROS = find_spec("rclpy") is not None and find_spec("fcp_ros.msg") is not None
NEED_ROS = [
    str(file.relative_to(Path(__file__).parent))
    for file in Path(__file__).parent.rglob("test_*.py")
    if file.name not in NEED_NO_ROS
]
collect_ignore = [] if HAS_ROS else [*NEED_ROS, "executive"]

DEADLINE = 30.0
"""Seconds after which a wait has failed; generous, because test machines are busy."""

SCENE = "twin_house_furnished"

SUPPORT = Path(__file__).parents[1] / "support"


def wait_until(condition: Callable[[], object], what: str, timeout: float = DEADLINE) -> Any:
    """Wait until `condition` returns something true, and return it; fail after `timeout` s."""
    end = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited {timeout:g} s in vain for {what}")
        time.sleep(0.005)
    return value


class Probe:
    """A node that looks at the nodes under test from outside, as any other ROS program would."""

    def __init__(self) -> None:
        import rclpy
        from rclpy.callback_groups import ReentrantCallbackGroup
        from rclpy.context import Context
        from rclpy.executors import MultiThreadedExecutor
        from rclpy.signals import SignalHandlerOptions

        self._context = Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(f"probe_{os.getpid()}", context=self._context)
        self.group = ReentrantCallbackGroup()
        self.executor = MultiThreadedExecutor(num_threads=4, context=self._context)
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._actions: dict[str, SafeActionClient] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        # What one test destroys under the executor's hands must not end it for all that follow.
        while not self._closing.is_set() and self._context.ok():
            with suppress(Exception):
                self.executor.spin_once()

    def close(self) -> None:
        """End the thread and destroy the node."""
        self._closing.set()
        self.executor.shutdown(timeout_sec=5.0)
        self._context.try_shutdown()
        self._thread.join(5.0)

    def ask(
        self,
        kind: Any,
        name: str,
        request: Any = None,
        timeout: float = 2 * DEADLINE,
        *,
        repeatable: bool = True,
    ) -> Any:
        """Call a service and return the response; say if the request must not be served twice."""
        from fcp_ros.client import PendingReply

        client = self._client(kind, name)
        wait_until(client.service_is_ready, f"the service {name}")
        request = request or kind.Request()
        return PendingReply(client, request, name, repeatable=repeatable).result(timeout)

    def _client(self, kind: Any, name: str) -> Any:
        client = self._clients.get(name)
        if client is None:
            client = self.node.create_client(kind, name, callback_group=self.group)
            self._clients[name] = client
        return client

    def action(self, kind: Any, name: str) -> SafeActionClient:
        """A client of an action whose server is there."""
        from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionClient

        client = self._actions.get(name)
        if client is None:
            client = SafeActionClient(self.node, kind, name, callback_group=self.group)
            self._actions[name] = client
        wait_until(client.server_is_ready, f"the action {name}")
        return client

    def listen(self, kind: Any, topic: str, *, latched: bool = False, depth: int = 1000) -> Inbox:
        """Collect the messages of a topic from now on (a latched one: with the last of before)."""
        return Inbox(self, kind, topic, latched, depth)

    def publisher(self, kind: Any, topic: str, *, latched: bool = False) -> Any:
        """A publisher that somebody listens to already."""
        publisher = self.node.create_publisher(kind, topic, _qos(latched, 100))
        wait_until(lambda: publisher.get_subscription_count() > 0, f"a subscriber of {topic}")
        return publisher

    def change_state(self, node: str, transition: int) -> bool:
        """Ask for a lifecycle transition; whether it succeeded."""
        from lifecycle_msgs.srv import ChangeState

        name = f"{node}/change_state"
        self._client(ChangeState, name)
        # A request that is repeated because its answer was lost would be refused. A node that has
        # answered this probe knows its clients, the one above as well: no more answers get lost.
        self.state_of(node)
        request = ChangeState.Request()
        request.transition.id = transition
        return bool(self.ask(ChangeState, name, request, repeatable=False).success)

    def state_of(self, node: str) -> str:
        """The lifecycle state of a node, such as "active".

        Asked again where there is no answer: a node that has only just heard of its client may lose
        one on the way.
        """
        from lifecycle_msgs.srv import GetState

        from fcp_ros.client import FcpTimeout

        name = f"{node}/get_state"
        for _ in range(3):
            with suppress(FcpTimeout):
                return str(self.ask(GetState, name, timeout=DEADLINE / 3).current_state.label)
        return str(self.ask(GetState, name).current_state.label)


def _qos(latched: bool, depth: int) -> Any:
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

    durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability)


class Inbox:
    """The messages that came on a topic."""

    def __init__(self, probe: Probe, kind: Any, topic: str, latched: bool, depth: int) -> None:
        self.messages: list[Any] = []
        self._probe = probe
        self._topic = topic
        qos = _qos(latched, depth)
        self._subscription = probe.node.create_subscription(
            kind, topic, self.messages.append, qos, callback_group=probe.group
        )

    def wait(
        self, fits: Callable[[Any], object] = lambda _message: True, timeout: float = DEADLINE
    ) -> Any:
        """The first message that fits, of those that came and will come."""
        return wait_until(
            lambda: next((message for message in list(self.messages) if fits(message)), None),
            f"a fitting message on {self._topic}",
            timeout,
        )

    def wait_for_publisher(self) -> None:
        """Wait until somebody publishes on the topic."""
        wait_until(
            lambda: self._probe.node.count_publishers(self._topic), f"a publisher of {self._topic}"
        )

    def close(self) -> None:
        """Listen no longer."""
        self._probe.node.destroy_subscription(self._subscription)


@pytest.fixture(scope="session", autouse=True)
def ros_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A ROS domain of its own on this machine only, where nodes meet as separate processes do.

    Logs and stores go to a temporary folder.
    """
    from fcp_ros.nodes.runtime.transports import list_loopback_variables

    folder = tmp_path_factory.mktemp("ros")
    patch = pytest.MonkeyPatch()
    for name, value in list_loopback_variables().items():
        patch.setenv(name, value)
    patch.delenv("ROS_LOCALHOST_ONLY", raising=False)
    patch.setenv("ROS_LOG_DIR", str(folder / "log"))
    patch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with claim_domain() as domain_id:
        patch.setenv("ROS_DOMAIN_ID", str(domain_id))
        yield domain_id
    patch.undo()


@pytest.fixture(scope="package")
def probe(ros_environment: int) -> Iterator[Probe]:
    """Looks at the nodes from outside."""
    probe = Probe()
    yield probe
    probe.close()


@pytest.fixture
def tf2(monkeypatch: pytest.MonkeyPatch) -> None:
    """tf2_ros, or what stands in for it where only wheels are; nodes made afterwards listen."""
    pytest.importorskip("tf2_msgs", reason="`make setup` has not built the tests' interfaces")
    if find_spec("tf2_ros") is None:
        monkeypatch.syspath_prepend(str(SUPPORT / "tf2_stand_in"))
        monkeypatch.setitem(sys.modules, "tf2_ros", import_module("tf2_ros"))


@pytest.fixture(scope="session")
def until() -> Callable[..., Any]:
    """`wait_until`, for tests."""
    return wait_until


@pytest.fixture(scope="session")
def stack_options() -> Callable[..., StackOptions]:
    """Makes options for nodes that touch nothing outside of `folder`: (folder, overrides, ...)."""

    from fcp_ros.nodes.stack import StackOptions

    def make(
        folder: Path, overrides: dict[str, Any] | None = None, *, warm: bool = False, **more: Any
    ) -> StackOptions:
        merged: dict[str, dict[str, Any]] = {
            "scene_graph": {"last_graph": str(folder / "scene-{robot}.sqlite")},
            "grounder": {
                "calibration_path": str(folder / "calibration-{robot}-{world}.sqlite"),
                "cache_path": str(folder / "judgements.sqlite"),
            },
            "executive": {
                "outcome_journal": str(folder / "outcomes-{robot}-{world}.sqlite"),
                "name_store": str(folder / "names-{robot}-{world}.sqlite"),
            },
            "simulated_executor": {"time_scale": 1000.0},
        }
        if not warm:
            merged["grounder"]["warm_up"] = False
        for node, values in (overrides or {}).items():
            merged.setdefault(node, {}).update(values)
        return StackOptions(overrides=merged, **{"scene": SCENE, **more})

    return make


@pytest.fixture(scope="session")
def tiles(repository: Path) -> dict[str, str]:
    """Options of nodes on the sliding tiles, a puzzle that no planner solves within a test."""
    data = repository / "test" / "ros" / "data"
    return {"domain": str(data / "sliding_tiles.yaml"), "scene": str(data / "sliding_tiles.json")}


@pytest.fixture(scope="session")
def live(
    stack_options: Callable[..., StackOptions], ros_environment: int
) -> Callable[..., AbstractContextManager[tuple[NodeStack, FcpClient]]]:
    """Runs nodes with a client of theirs: arguments as of `stack_options`.

    `offers`: the services and actions that the client has to have found.
    """
    from fcp_ros.client import FcpClient
    from fcp_ros.nodes.stack import NodeStack

    @contextmanager
    def start(
        *given: Any, namespace: str, offers: tuple[str, ...] = (), **more: Any
    ) -> Iterator[tuple[NodeStack, FcpClient]]:
        options = stack_options(*given, namespace=namespace, **more)
        with NodeStack(options) as stack, FcpClient(namespace=namespace) as client:
            stack.wait_active()
            if offers:
                client.wait_for(*offers, timeout=2 * DEADLINE)
            yield stack, client

    return start


@pytest.fixture(scope="package")
def stack(
    stack_options: Callable[..., StackOptions],
    tmp_path_factory: pytest.TempPathFactory,
    ros_environment: int,
) -> Iterator[NodeStack]:
    """All five nodes, without a namespace, running for the whole session.

    Tests that use it leave all nodes active; `scene` gives them the scene as it was at first.
    """
    from fcp_ros.nodes.stack import NodeStack

    with NodeStack(stack_options(tmp_path_factory.mktemp("stack"), warm=True)) as stack:
        stack.wait_active()
        yield stack


@pytest.fixture(scope="package")
def client(stack: NodeStack) -> Iterator[FcpClient]:
    """A client of the session's stack."""
    from fcp_ros.client import FcpClient

    with FcpClient() as client:
        yield client


@pytest.fixture(scope="package")
def as_loaded() -> dict[str, object]:
    """What the session's scene_graph node said of itself when its scene had been loaded."""
    return {}


@pytest.fixture
def scene(stack: NodeStack, client: FcpClient, as_loaded: dict[str, object]) -> Any:
    """The session's stack with the scene as it was at first, known to all nodes; the message.

    It is loaded again unless nothing has come in since then, as the node's own numbers show.
    """
    node = stack.nodes["scene_graph"]
    if node.diagnose().values != as_loaded:
        loaded = client.load_scene(SCENE)
        assert loaded.success, loaded.message
        wait_until(lambda: knows_scene(stack, loaded.sequence_number), "the scene in all nodes")
        as_loaded.clear()
        as_loaded.update(node.diagnose().values)
    return client.scene()


def knows_scene(stack: NodeStack, sequence: int) -> bool:
    """Whether every node that follows the scene graph has this one, or a later one."""
    numbers = [node.diagnose().values.get("scene_sequence_number") for node in stack.nodes.values()]
    return all(isinstance(n, int) and n >= sequence for n in numbers if n is not None)
