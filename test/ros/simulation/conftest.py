# SPDX-License-Identifier: Apache-2.0
"""Live simulators that serve simulation_interfaces, and bridges that follow them."""

from __future__ import annotations

import itertools
import threading
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import pytest

from fcp_ros.package_files import find_scene
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.loading import load_scene

collect_ignore = [] if find_spec("simulation_interfaces") else ["test_bridge.py"]
if collect_ignore:

    def pytest_report_header():
        """Say what is left out, and why."""
        return "simulation_interfaces isn't built (docs/simulators.md): its tests are left out"


class ToyWorld:
    """The things of a scene, as a simulator without physics has them."""

    def __init__(self, graph):
        self._lock = threading.Lock()
        self.graph = graph

    def read_scene(self):
        return self.graph

    def change(self, put=(), gone=()):
        """Put nodes, or take some away."""
        with self._lock:
            nodes = {id_: node for id_, node in self.graph.nodes.items() if id_ not in gone}
            nodes.update((node.id, node) for node in put)
            self.graph = replace(self.graph, nodes=nodes, relations=())

    def set_pose(self, id_, pose):
        self.change([replace(self.graph.nodes[id_], pose=pose)])

    def rename(self, id_, name):
        self.change([replace(self.graph.nodes[id_], id=name)], [id_])

    def spawn(self, name, category, pose):
        self.change([SceneNode(name, Layer.OBJECT, category, pose=pose, size=(0.1, 0.1, 0.1))])

    def delete(self, name):
        self.change(gone=[name])


class Simulator:
    """A world, and the node that serves it."""

    def __init__(self, name, world, features=None):
        import rclpy
        from lone_nodes import own_context
        from rclpy.executors import MultiThreadedExecutor

        self.world, self.prefix = world, f"/{name}"
        self._ends = ExitStack()
        context = self._ends.enter_context(own_context())
        self._node = rclpy.create_node(name, context=context)
        self._executor = MultiThreadedExecutor(num_threads=2, context=context)
        self._executor.add_node(self._node)
        self.server = None
        self.appear(features)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def appear(self, features=None):
        """Serve the world."""
        from simulation_server import SimulationServer

        self.server = SimulationServer(self._node, self.world, self.prefix, features)

    def vanish(self):
        """Serve it no longer."""
        self.server.close()

    def set_state(self, name):
        states = import_module("simulation_interfaces.msg").SimulationState
        self.server.state = getattr(states, f"STATE_{name}")

    def close(self):
        self._executor.shutdown(timeout_sec=5.0)
        self._ends.close()
        self._thread.join(5.0)


@pytest.fixture(scope="module")
def numbers():
    return itertools.count(1)


@pytest.fixture
def simulate(ros_environment, numbers):
    """Starts a simulator of a furnished house, with the features that are named."""
    with ExitStack() as stack:

        def start(features=None):
            world = ToyWorld(load_scene(find_scene("twin_house_furnished")))
            simulator = Simulator(f"simulator_{next(numbers)}", world, features)
            stack.callback(simulator.close)
            return simulator

        yield start


@pytest.fixture
def follow(simulate, stack_options, tmp_path, numbers, probe):
    """Starts nodes and a bridge to a simulator; returns a view of them."""
    from lone_nodes import lone_node

    from fcp_ros.nodes.simulation.bridge import SimulationBridge
    from fcp_ros.nodes.stack import NodeStack

    with ExitStack() as ends:

        def start(simulator, *, nodes=("scene_graph",), scene="", overrides=None, **parameters):
            space = f"followed_{next(numbers)}"
            options = stack_options(tmp_path, overrides, nodes=nodes, namespace=space, scene=scene)
            stack = ends.enter_context(NodeStack(options))
            stack.wait_active(120.0)
            given = {"simulator": simulator.prefix, "poll_period": 0.05} | parameters
            bridge = ends.enter_context(lone_node(SimulationBridge, space, **given))
            return Followed(space, stack, bridge, probe)

        yield start


class Followed:
    """The nodes of one robot, and the graph that they have."""

    def __init__(self, space, stack, bridge, probe):
        self.space, self.stack, self.bridge, self.probe = space, stack, bridge, probe

    def graph(self):
        from fcp_ros.nodes.conversions.scene import graph_from_ros
        from fcp_ros.srv import GetSceneGraph

        answer = self.probe.ask(GetSceneGraph, f"/{self.space}/get_scene_graph")
        return graph_from_ros(answer.scene_graph) if answer.success else None

    def has(self, *facts):
        """Whether the graph has all these relations."""
        graph = self.graph()
        return graph is not None and all(graph.relation(*fact.split()) for fact in facts)

    def where(self, id_):
        graph = self.graph()
        node = graph.nodes.get(id_) if graph is not None else None
        pose = node.pose if node is not None else None
        return pose and tuple(round(value, 2) for value in pose.position)


HIGH = Pose.at(6.5, 2.0, 2.0)
"""In the air of the living room."""
