# SPDX-License-Identifier: Apache-2.0
"""A client that brings nodes up and down as nav2's lifecycle manager does (Jazzy).

nav2_msgs and nav2 are not here, but what a node sees of the manager is only this: the services
``change_state`` and ``get_state``, each with a time limit, node after node in the order of their
names; and with each active node a bond, over the topic ``bond``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP
ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE
SHUTDOWN = Transition.TRANSITION_UNCONFIGURED_SHUTDOWN
LEADS_TO = {
    CONFIGURE: "inactive",
    CLEANUP: "unconfigured",
    ACTIVATE: "active",
    DEACTIVATE: "inactive",
    SHUTDOWN: "finalized",
}
BEAT_PERIOD = 0.1
"""Seconds between two beats of the manager's end, as nav2's."""


class BondEnd:
    """The manager's end of a bond: formed by a first beat, broken by silence or by a farewell.

    `timeout`: the silence (s) that breaks it; both ends have that long to hear of each other.
    """

    def __init__(self, node: Any, topic: str, name: str, timeout: float) -> None:
        from bond.msg import Status

        self._node, self._name, self.timeout = node, name, timeout
        self._type: Any = Status
        self._heard: float | None = None
        self._farewell = False
        self._publisher = node.create_publisher(Status, topic, 5)
        self._subscription = node.create_subscription(Status, topic, self._hear, 5)
        self._timer = node.create_timer(BEAT_PERIOD, lambda: self._say(True))

    @property
    def is_formed(self) -> bool:
        return self._heard is not None

    @property
    def is_broken(self) -> bool:
        silent = self._heard is not None and time.monotonic() - self._heard > self.timeout
        return self._farewell or silent

    def close(self) -> None:
        """Say farewell and destroy the end."""
        self._node.destroy_timer(self._timer)
        self._say(False)
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_publisher(self._publisher)

    def _say(self, active: bool) -> None:
        self._publisher.publish(
            self._type(
                id=self._name,
                instance_id="manager",
                active=active,
                heartbeat_timeout=self.timeout,
                heartbeat_period=BEAT_PERIOD,
            )
        )

    def _hear(self, message: Any) -> None:
        if message.id == self._name and message.instance_id != "manager":
            self._heard = time.monotonic()
            self._farewell = not message.active


class LifecycleManager:
    """Brings nodes up together; what fails is said in `problem`.

    `node`: spun by somebody else, with callbacks side by side. `service_timeout`: for each answer
    (s). `bond_timeout`: as of `BondEnd`; 0 for no bonds.
    """

    def __init__(
        self,
        node: Any,
        namespace: str,
        names: Sequence[str],
        service_timeout: float,
        bond_timeout: float,
    ) -> None:
        self._node, self._namespace, self.names = node, namespace, tuple(names)
        self.service_timeout, self._bond_timeout = service_timeout, bond_timeout
        self.bonds: dict[str, BondEnd] = {}
        self._clients = {
            (name, kind): node.create_client(kind, f"/{namespace}/{name}/{service}")
            for name in names
            for kind, service in ((ChangeState, "change_state"), (GetState, "get_state"))
        }
        self.problem = ""

    def start_up(self) -> bool:
        """Configure all, then activate all; stop at the first that fails."""
        return self._change_all(CONFIGURE) and self._change_all(ACTIVATE)

    def pause(self) -> bool:
        return self._change_all(DEACTIVATE)

    def resume(self) -> bool:
        return self._change_all(ACTIVATE)

    def reset(self, hard: bool = False) -> bool:
        """Bring all back to unconfigured; `hard`: go on where one fails, as after a lost bond."""
        return self._change_all(DEACTIVATE, hard) and self._change_all(CLEANUP, hard)

    def shut_down(self) -> None:
        """Bring all down, whatever fails."""
        for transition in (DEACTIVATE, CLEANUP, SHUTDOWN):
            self._change_all(transition, go_on=True)

    def find_broken(self) -> list[str]:
        """List the nodes whose bond is broken."""
        return [name for name, bond in self.bonds.items() if bond.is_broken]

    def close(self) -> None:
        for name in tuple(self.bonds):
            self.bonds.pop(name).close()
        for client in self._clients.values():
            self._node.destroy_client(client)

    def find_state(self, name: str) -> str:
        """Ask for a node's state; "" without an answer in time."""
        answer = self._call(name, GetState, GetState.Request())
        return "" if answer is None else str(answer.current_state.label)

    def _change_all(self, transition: int, go_on: bool = False) -> bool:
        is_up = transition in (CONFIGURE, ACTIVATE)
        for name in self.names if is_up else reversed(self.names):
            if not self._change(name, transition) and not go_on:
                return False
        return True

    def _change(self, name: str, transition: int) -> bool:
        request = ChangeState.Request()
        request.transition.id = transition
        if transition == DEACTIVATE and name in self.bonds:
            self.bonds.pop(name).close()
        answer = self._call(name, ChangeState, request)
        wanted = LEADS_TO[transition]
        if answer is None or not answer.success or self.find_state(name) != wanted:
            why = "no answer" if answer is None else "refused"
            self.problem = f"{name} did not get {wanted}: {why}"
            return False
        if transition == ACTIVATE and self._bond_timeout > 0.0:
            return self._form_bond(name)
        return True

    def _form_bond(self, name: str) -> bool:
        topic = f"/{self._namespace}/bond"
        bond = self.bonds[name] = BondEnd(self._node, topic, name, self._bond_timeout)
        if not _wait(lambda: bond.is_formed, self._bond_timeout / 2):
            self.problem = f"{name} formed no bond"
            return False
        return True

    def _call(self, name: str, kind: Any, request: Any) -> Any:
        client = self._clients[name, kind]
        if not client.wait_for_service(self.service_timeout):
            return None
        future = client.call_async(request)
        if not _wait(future.done, self.service_timeout):
            with suppress(ValueError):  # answered just now
                client.remove_pending_request(future)
            return None
        return future.result()


def _wait(is_true: Callable[[], object], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
