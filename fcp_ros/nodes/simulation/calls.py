# SPDX-License-Identifier: Apache-2.0
"""The services of a simulator, asked one by one, with bounds; for worker threads."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future as Answer
from concurrent.futures import wait
from importlib import import_module
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from fcp_ros.nodes.runtime.action_call import ServiceCall
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.qos import request_qos

PACKAGE = "simulation_interfaces"

INSTALL = "install or build and source it (docs/simulators.md), and start this node again."

ANSWER_TIMEOUT = ParameterSpec(
    "answer_timeout",
    5.0,
    "Longest time for an answer of the simulator [s].",
    minimum=0.1,
    maximum=600.0,
    takes_effect=TakesEffect.AT_ONCE,
)

ENTITY = "entity"
"""Attribute of a node: its name in the simulator."""

LOOK_EVERY = 0.1
"""Seconds between two looks if a simulator that was asked is still there."""

_FEATURES = {
    "GetEntitiesStates": "ENTITY_STATE_GETTING",
    "GetEntityBounds": "ENTITY_BOUNDS",
    "GetEntityInfo": "ENTITY_INFO_GETTING",
    "GetEntityState": "ENTITY_STATE_GETTING",
    "GetNamedPoseBounds": "POSE_BOUNDS",
    "GetNamedPoses": "NAMED_POSES",
    "GetSimulationState": "SIMULATION_STATE_GETTING",
}
"""Service -> the feature by which a simulator says that it has it."""

SERVICES = ("GetSimulatorFeatures", "GetEntities", *_FEATURES)


class SimulatorError(RuntimeError):
    """A simulator that can't do what it is asked for; a sentence says what, and why."""


class SimulatorLost(SimulatorError):
    """A simulator that is not there, does not answer, or has no world."""


class SimulatorCalls:
    """Asks the services of a simulator. Thread-safe; its node is spun elsewhere.

    A service counts as there if discovery lists it, and the simulator names its feature. Many list
    services that only say RESULT_FEATURE_UNSUPPORTED.
    """

    def __init__(
        self,
        node: Node,
        prefix: str,  # Before the names of the services, such as "/gzserver"; "" for none
        answer_wait: Callable[[], float],  # Longest time for an answer [s]
    ) -> None:
        self._node = node
        self._answer_wait = answer_wait
        self._types = import_module(f"{PACKAGE}.srv")
        self._messages: Any = import_module(f"{PACKAGE}.msg")
        self._lock = threading.Lock()
        self._features: frozenset[int] | None = None
        self.stopped = threading.Event()  # Set to end what waits for an answer
        group = ReentrantCallbackGroup()
        self._clients = {
            kind: node.create_client(
                getattr(self._types, kind),
                f"{prefix.rstrip('/')}/{to_service_name(kind)}",
                qos_profile=request_qos(),
                callback_group=group,
            )
            for kind in SERVICES
        }

    @property
    def is_there(self) -> bool:
        return bool(self._clients["GetSimulatorFeatures"].service_is_ready())

    @property
    def name(self) -> str:
        return str(self._clients["GetSimulatorFeatures"].srv_name)

    def forget_features(self) -> None:
        """Ask for the features again: it may be another simulator by now."""
        with self._lock:
            self._features = None

    def supports(self, kind: str) -> bool:
        """Return True if the simulator has a service. Raises SimulatorLost."""
        feature = _FEATURES.get(kind)
        features = self._find_features()
        is_named = feature is None or getattr(self._messages.SimulatorFeatures, feature) in features
        if is_named and not self._clients[kind].service_is_ready() and not self.is_there:
            raise SimulatorLost(f"no simulator offers {self.name}")
        return is_named and bool(self._clients[kind].service_is_ready())

    def find_missing(self) -> tuple[str, ...]:
        return tuple(kind for kind in SERVICES if not self.supports(kind))

    def ask(self, kind: str, **fields: Any) -> Any:
        """Ask a service, and return its answer, which says that all went well.

        Raises SimulatorLost if nobody answers; SimulatorError if the answer is another.
        """
        answer = self._call(kind, getattr(self._types, kind).Request(**fields))
        result = getattr(answer, "result", None)
        if result is not None and result.result != self._messages.Result.RESULT_OK:
            name = find_constant(self._messages.Result, "RESULT_", result.result) or find_constant(
                getattr(self._types, kind).Response, "", result.result
            )
            detail = f": {result.error_message}" if result.error_message else ""
            raise SimulatorError(f"{kind} answers {name or result.result}{detail}")
        return answer

    def check_state(self) -> str:
        """Return the state of the simulator in words; "" if it doesn't tell.

        Raises SimulatorLost in a state without a world.
        """
        if not self.supports("GetSimulationState"):
            return ""
        states = self._messages.SimulationState
        state = self.ask("GetSimulationState").state.state
        name = find_constant(states, "STATE_", state).removeprefix("STATE_")
        name = name.lower().replace("_", " ")
        if state in (states.STATE_QUITTING, states.STATE_NO_WORLD, states.STATE_LOADING_WORLD):
            raise SimulatorLost(f"there is no world to follow: its state is {name}")
        return name

    def close(self) -> None:
        for client in self._clients.values():
            self._node.destroy_client(client)

    def _find_features(self) -> frozenset[int]:
        with self._lock:
            known = self._features
        if known is None:
            answer = self._call("GetSimulatorFeatures", self._types.GetSimulatorFeatures.Request())
            known = frozenset(answer.features.features)
            with self._lock:
                self._features = known
        return known

    def _call(self, kind: str, request: Any) -> Any:
        client = self._clients[kind]
        if not client.service_is_ready():
            raise SimulatorLost(f"no simulator offers {client.srv_name}")
        call = ServiceCall(client, request, repeatable=True)
        try:
            self._wait(call.answer, client)
            return call.answer.result(0.0)
        finally:
            call.forget()

    def _wait(self, answer: Answer[Any], client: Any) -> None:
        """Wait for an answer. Raises SimulatorLost if the server goes, or none comes in time."""
        left = self._answer_wait()
        while not wait([answer], min(LOOK_EVERY, left)).done:
            left -= LOOK_EVERY
            if self.stopped.is_set():
                raise SimulatorLost("the node was stopped")
            if not client.service_is_ready():
                raise SimulatorLost(f"the simulator has gone while {client.srv_name} was asked")
            if left <= 0.0:
                seconds = f"{self._answer_wait():g} s"
                raise SimulatorLost(f"{client.srv_name} did not answer within {seconds}")


def to_service_name(kind: str) -> str:
    """Return the name of a service by the type: ``GetEntities`` is ``get_entities``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind).lower()


def find_constant(message: Any, prefix: str, value: int) -> str:
    names = (name for name in dir(message) if name.startswith(prefix) and name.isupper())
    return next((name for name in names if getattr(message, name) == value), "")
