# SPDX-License-Identifier: Apache-2.0
"""Stacks for tests of execution: one with all nodes, one without executors, others as needed."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from rclpy.parameter import Parameter

from fcp_ros.client import FcpClient, FcpUnavailable, plan_request
from fcp_ros.client.pending import PendingGoal
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome, ExecutionState, Plan, SceneGraphUpdate
from fcp_ros.nodes.conversions.plan import step_to_ros
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros
from fcp_ros.nodes.stack import NodeStack
from fcp_ros.planning.model.plan import PlanStep

ANSWER = 30.0
"""Seconds within which any goal of these tests ends."""

SCENE = "twin_house_furnished"

FAULTS = (
    "pick(item=drinking_glass_1): EXECUTION_FAILED",
    "pick(item=vase_1): hang",
    "pick(item=laptop_1): POSTCONDITION_FAILED x1",
)
"""What goes wrong in the stack that many tests share; each test has items of its own."""

SLOW = 6000.0  # at 100 times the speed a minute: a busy machine must not let it end first
"""Expected seconds of a step that a test means to interrupt."""


class Site:
    """A running stack in its own namespace, seen from outside."""

    def __init__(self, stack: NodeStack, probe: Any, until: Callable[..., Any]) -> None:
        self.stack = stack
        self.probe = probe
        self.until = until
        self.executive: Any = stack.nodes["executive"]
        self._as_loaded: dict[str, Any] | None = None
        """What the scene_graph node said of itself then: the same again if nothing came in."""
        self.client = FcpClient(namespace=stack.options.namespace)
        self.outcomes = probe.listen(ActionOutcome, self.name("outcomes"))
        self.states = probe.listen(ExecutionState, self.name("execution_state"), latched=True)
        until(lambda: _have_scene(stack), "the scene in all nodes")
        for publisher in (self.executive._outcomes, self.executive._states):
            until(lambda p=publisher: p.get_subscription_count(), "the test's subscription")
        self.states.wait()  # the latched state: from now on no state is missed

    def name(self, relative: str) -> str:
        """The full name of a topic, service, action or node of the stack."""
        return f"/{self.stack.options.namespace}/{relative}"

    def reset(self) -> None:
        """The scene as it was at first in all nodes, and no outcomes."""
        keeper = self.stack.nodes.get("scene_graph")
        if keeper is None or keeper.diagnose().values != self._as_loaded:
            number = self.client.load_scene(SCENE).sequence_number
            self.until(lambda: _have_scene(self.stack, number), "the scene in all nodes")
            self._as_loaded = None if keeper is None else keeper.diagnose().values
        self.outcomes.messages.clear()
        self.states.messages.clear()

    def set(self, node: str, **values: Any) -> None:
        """Set parameters of a node that take effect at once."""
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        for result in self.stack.nodes[node].set_parameters(parameters):
            assert result.successful, result.reason

    def transit(self, node: str, *transitions: int) -> None:
        """Lead a node through lifecycle transitions."""
        for transition in transitions:
            assert self.probe.change_state(self.name(node), transition)

    # --- goals ----------------------------------------------------------------------------------

    def execute(self, plan: Plan) -> Any:
        """Execute a plan; returns state and result."""
        return self.end_of(self.send_execute(plan))

    def achieve(self, goal: str, **more: Any) -> Any:
        """Achieve a goal; returns state and result."""
        return self.end_of(self.send_achieve(goal, **more))

    def send_execute(self, plan: Plan, **more: Any) -> PendingGoal:
        """Send a plan as soon as the client has seen the executive."""
        return self._sent(lambda: self.client.send_execute(plan, **more))

    def send_achieve(self, goal: str, **more: Any) -> PendingGoal:
        """Send a goal as soon as the client has seen the executive."""
        request = plan_request(goal, alpha=0.5)
        return self._sent(lambda: self.client.send_achieve(request, **more))

    def _sent(self, send: Callable[[], PendingGoal]) -> PendingGoal:
        def attempt() -> PendingGoal | None:
            try:
                return send()
            except FcpUnavailable:
                return None

        sent: PendingGoal = self.until(attempt, "the executive's action")
        return sent

    def end_of(self, goal: PendingGoal) -> Any:
        """State and result of a goal, awaited."""
        result = goal.result(ANSWER)
        return goal.poll(), result

    # --- what is seen ---------------------------------------------------------------------------

    def performing(self) -> str:
        """What the simulated executors are doing."""
        return str(self.stack.nodes["simulated_executor"].diagnose().values["performing"])

    def codes(self, count: int) -> list[OutcomeCode]:
        """The outcomes that were published, once there are so many."""
        self.until(lambda: len(self.outcomes.messages) >= count, f"{count} outcomes")
        return [OutcomeCode(message.outcome.code) for message in self.outcomes.messages]

    def relations(self) -> set[tuple[str, tuple[str, ...]]]:
        """What holds in the scene graph."""
        return {relation.key for relation in graph_from_ros(self.client.scene()).relations}


def _have_scene(stack: NodeStack, number: int = 0) -> bool:
    seen = [
        node.diagnose().values.get("scene_sequence_number", number) for node in stack.nodes.values()
    ]
    return all(one != "none" and one >= number for one in seen)


class Sites:
    """Starts stacks, and stops them all at the end."""

    def __init__(self, options: Callable[..., Any], probe: Any, until: Any, numbers: Any) -> None:
        self._make = (options, probe, until, numbers)
        self._stacks: list[NodeStack] = []
        self._sites: list[Site] = []

    def start(
        self,
        folder: Path,
        nodes: tuple[str, ...] | None = None,
        robot: str = "",
        ros_args: tuple[str, ...] = (),
        **overrides: dict[str, Any],
    ) -> Site:
        """A stack of all nodes, or of these, as this or a new robot; overrides: node=parameters."""
        options, probe, until, numbers = self._make
        more: dict[str, Any] = {"ros_args": ros_args} | ({} if nodes is None else {"nodes": nodes})
        namespace = robot or f"site_{next(numbers)}"
        stack = NodeStack(options(folder, overrides, namespace=namespace, **more))
        self._stacks.append(stack)
        stack.start()
        stack.wait_active()
        self._sites.append(Site(stack, probe, until))
        return self._sites[-1]

    def stop(self) -> None:
        """Stop everything."""
        for site in self._sites:
            site.client.close()
        for stack in self._stacks:
            stack.stop()


@pytest.fixture(scope="package")
def make_sites(
    stack_options: Callable[..., Any], probe: Any, until: Callable[..., Any]
) -> Callable[[], Sites]:
    """Makes `Sites`."""
    numbers = itertools.count(1)
    return lambda: Sites(stack_options, probe, until, numbers)


@pytest.fixture
def site(make_sites: Callable[[], Sites], tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Starts a stack for one test."""
    sites = make_sites()
    yield lambda **given: sites.start(tmp_path, **given)
    sites.stop()


@pytest.fixture(scope="package")
def full_site(
    make_sites: Callable[[], Sites], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """All nodes, with the faults named above."""
    sites = make_sites()
    yield sites.start(
        tmp_path_factory.mktemp("full"),
        simulated_executor={"faults": list(FAULTS), "time_scale": 100.0},
        executive={"executor_wait": 10.0},
    )
    sites.stop()


SETTINGS = (
    *("min_step_timeout", "timeout_factor", "grace_time", "executor_wait"),
    *("settle_time", "trust_executors"),
)


def as_before(site: Site) -> Iterator[Site]:
    """Give a test the scene as it was at first; put parameters of the executive back."""
    before = {name: site.executive.parameters[name] for name in SETTINGS}
    site.reset()
    yield site
    site.set("executive", **before)


@pytest.fixture
def here(full_site: Site) -> Iterator[Site]:
    """All nodes, and the scene as it was at first; parameters that a test sets are put back."""
    yield from as_before(full_site)


@pytest.fixture(scope="package")
def brain_site(
    make_sites: Callable[[], Sites], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Scene graph and executive, without any executor."""
    sites = make_sites()
    yield sites.start(
        tmp_path_factory.mktemp("brain"),
        nodes=("scene_graph", "executive"),
        executive={"executor_wait": 20.0, "settle_time": 0.2},
    )
    sites.stop()


@pytest.fixture
def brain(brain_site: Site) -> Iterator[Site]:
    """Scene graph and executive; parameters that a test sets are put back."""
    yield from as_before(brain_site)


@pytest.fixture(scope="session")
def plan_of(repository: Path) -> Callable[..., Plan]:
    """Makes plans from steps as people write them: `plan_of("pick robot_1 mug_1 ...", ...)`."""
    domain = load_domain(repository / "config" / "domains" / "household.yaml")

    def make(*lines: str, duration: float = 1.0) -> Plan:
        plan = Plan(goal="as the test wants it", alpha=0.5, membership=1.0, goal_degree=1.0)
        for line in lines:
            rule, *values = line.split()
            known = domain.rules[rule]
            arguments = tuple(zip(known.parameter_names, values, strict=True))
            step = PlanStep(rule, arguments, 1.0, 1.0, duration, known.executor)
            plan.steps.append(step_to_ros(step))
        plan.id.uuid = list(range(16))
        return plan

    return make


@pytest.fixture(scope="session")
def to_and_fro(plan_of: Callable[..., Plan]) -> Callable[..., Plan]:
    """From the kitchen to the living room and back: (expected duration of a step in s)."""
    return lambda duration=1.0: plan_of(
        "navigate robot_1 kitchen_1 living_room_1 door_1",
        "navigate robot_1 living_room_1 kitchen_1 door_1",
        duration=duration,
    )


def spawn_nodes() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start nodes in processes of their own, and kill them all, stopped ones too, at the end."""
    children = []

    def start(
        module: str,
        namespace: str,
        before: str = "",
        renamed: Mapping[str, str] = MappingProxyType({}),
        **parameters: object,
    ) -> subprocess.Popen[bytes]:
        code = f"import sys; from fcp_ros.nodes.{module} import main; sys.exit(main())"
        given = [f"{name}:={value}" for name, value in parameters.items()]
        options = [word for pair in given for word in ("-p", pair)]
        names = {"__ns": f"/{namespace}", **renamed}
        remap = ["--ros-args", *(w for pair in names.items() for w in ("-r", ":=".join(pair)))]
        children.append(
            subprocess.Popen([sys.executable, "-c", f"{before}\n{code}", *remap, *options])
        )
        return children[-1]

    yield start
    for child in children:
        child.kill()
        child.wait(10.0)


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a node in a process of its own: (module, namespace, code before, names that stand for
    others, parameters).
    """
    yield from spawn_nodes()


@pytest.fixture(scope="module")
def spawn_for_many() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """`spawn`, for nodes that the tests of a file share."""
    yield from spawn_nodes()


@pytest.fixture(scope="session")
def slow() -> float:
    """Expected seconds of a step that a test means to interrupt."""
    return SLOW


@pytest.fixture(scope="session")
def add_second_robot() -> Callable[[Site], Site]:
    """Puts the scene back as it was at first, with a second robot in the living room."""

    def add(site: Site) -> Site:
        site._as_loaded = None
        site.reset()
        updates = site.probe.publisher(SceneGraphUpdate, site.name("scene_graph_update"))
        scene = site.client.scene()
        first = graph_from_ros(scene).nodes["robot_1"]
        second = replace(first, id="robot_2", parents=("living_room_1",))
        number = scene.sequence_number + 1
        updates.publish(SceneGraphUpdate(sequence_number=number, nodes=nodes_to_ros([second])))
        nodes = site.stack.nodes.values()

        def have_it() -> bool:
            seen = (node.diagnose().values.get("scene_sequence_number", number) for node in nodes)
            return all(one == number for one in seen)

        site.until(have_it, "the second robot in all nodes")
        return site

    return add
