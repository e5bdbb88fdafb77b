# SPDX-License-Identifier: Apache-2.0
"""The life cycle of a node: transitions that can be repeated, autostart, and diagnostics."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from fcp_ros.nodes.runtime.bond import Bond, bond_is_installed
from fcp_ros.nodes.runtime.parameters import (
    COMMON_PARAMETERS,
    FileRefusedError,
    ParameterSpec,
    ParameterTable,
)
from fcp_ros.nodes.runtime.rclpy_repairs import read_state, refuse_impossible_transitions
from fcp_ros.nodes.runtime.server_life import LifeSign

AUTOSTART_DELAY = 0.05
"""Seconds from construction to configuration: time to be added to an executor first."""

AUTOSTART_AGAIN = 10.0
"""Seconds until the next try after a failed one: a full disk is freed, a file comes back."""

DIAGNOSTICS_PERIOD = 1.0
"""Seconds between two diagnostics messages."""


class ConfigureError(Exception):
    """The node can't be configured or activated with its parameters; one sentence why."""


class NodeState(str, Enum):
    """The states of the ROS life cycle: the primary ones, and those on the way between them."""

    UNCONFIGURED = "unconfigured"
    INACTIVE = "inactive"
    ACTIVE = "active"
    FINALIZED = "finalized"
    CONFIGURING = "configuring"
    CLEANING_UP = "cleaningup"
    SHUTTING_DOWN = "shuttingdown"
    ACTIVATING = "activating"
    DEACTIVATING = "deactivating"
    ERROR_PROCESSING = "errorprocessing"


@dataclass(frozen=True)
class Diagnosis:
    """A node's report on ``/diagnostics``; level is OK, WARN or ERROR (bytes)."""

    level: bytes = DiagnosticStatus.OK
    message: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


class TransitionsNode(LifecycleNode):  # type: ignore[misc]
    """A lifecycle node whose transitions call hooks, and may fail without harm.

    A failed transition leaves the node where it was; the reason is logged, shown in the
    diagnostics, and kept in `fault` until a transition succeeds. Parameters: see `ParameterTable`.

    The state is that of rcl's state machine. Invariants: transitions come one by one, because
    rclpy's lifecycle services and the autostart timer share the node's default callback group;
    `finish` may come from any thread, and `_finishing` lets only one caller pass. With autostart a
    failed configuration is tried again until it succeeds, or somebody else configures.
    `is_active` is True from the end of an activation until the beginning of the way down, so that
    requests are refused while hooks run. No hook waits for others: the executor may have this one
    thread only.

    Publishes in every state: ``/diagnostics`` (`diagnostic_msgs/DiagnosticArray`, 1 Hz), and its
    sign of life; while it is active, beats on ``bond`` for nav2's lifecycle manager (see `Bond`).
    """

    def __init__(self, name: str, specs: Iterable[ParameterSpec], **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self.parameters = ParameterTable(self, (*COMMON_PARAMETERS, *specs))
        self._serving = False
        self._finished = False
        self._fault = ""
        self._finishing = threading.Lock()
        refuse_impossible_transitions(self)
        self.add_on_set_parameters_callback(self._check_change)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._diagnostics_timer = self.create_steady_timer(
            DIAGNOSTICS_PERIOD, self.publish_diagnostics, MutuallyExclusiveCallbackGroup()
        )
        self._life_sign = LifeSign(self)
        self._bond: Bond | None = None
        self._autostart_timer: Any = None
        self._starts_itself = False
        if self.parameters.flag("autostart"):
            # In the default group, as the lifecycle services are: transitions come one by one.
            self._autostart_timer = self.create_steady_timer(AUTOSTART_DELAY, self._autostart)

    def create_steady_timer(
        self, period: float, callback: Callable[[], None], group: CallbackGroup | None = None
    ) -> Any:
        """Make a timer (period in s) that runs even while simulated time stands still."""
        # rclpy's `create_timer` follows the node's clock: with use_sim_time and no ``/clock``
        # nothing would ever start.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        return self.create_timer(period, callback, callback_group=group, clock=clock)

    # --- hooks ----------------------------------------------------------------------------------

    def configure(self) -> None:
        """Make topics, models and stores; raise `ConfigureError` if that is not possible.

        After an error `release` is called, so that the node can be configured again.
        """

    def activate(self) -> None:
        """Begin to serve; publishers already publish. May raise `ConfigureError`."""

    def deactivate(self) -> None:
        """Stop all work (called while publishers still publish)."""

    def release(self) -> None:
        """Undo `configure`, even a half-done one; must not fail."""

    def finalize(self) -> None:
        """Destroy what the constructor made; called once, after `release`."""

    def diagnose(self) -> Diagnosis:
        """Report on the node, beyond its life cycle; called once a second in every state."""
        return Diagnosis()

    # --- state ----------------------------------------------------------------------------------

    @property
    def state(self) -> NodeState:
        return NodeState(read_state(self))

    @property
    def is_active(self) -> bool:
        return self._serving

    @property
    def participant(self) -> bytes | None:
        """The DDS participant of the node; None for a moment after its construction."""
        return self._life_sign.participant

    @property
    def fault(self) -> str:
        """The reason why the last transition failed, "" if it succeeded."""
        return self._fault

    # --- transitions (called by rclpy) ----------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure; after a failure the node stays unconfigured and can be configured again."""
        if not self._starts_itself:
            self._stop_autostart()  # somebody else leads it from now on

        def run() -> None:
            try:
                self.configure()
            except BaseException:
                self.release()
                raise

        return self._attempt("configure", run, super().on_configure, state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Enable the publishers, then begin to serve."""
        enabled = super().on_activate(state)
        if enabled is not TransitionCallbackReturn.SUCCESS:
            return enabled
        result = self._attempt("activate", self.activate)
        if result is TransitionCallbackReturn.SUCCESS:
            self._serving = True
            self._form_bond()
        else:
            super().on_deactivate(state)
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse new requests, stop all work, then disable the publishers."""
        self._break_bond()
        self.stop_serving()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._serving = False
        self._carry_out("clean up", self.release)
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Destroy everything; the node can't be used afterwards."""
        self._finish()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Return to unconfigured, from where the node can be configured again."""
        self._break_bond()
        self._serving = False
        self._carry_out("clean up", self.release)
        return super().on_error(state)

    def stop_serving(self) -> None:
        """Refuse new requests and stop all work: the first half of a deactivation."""
        self._serving = False
        self._carry_out("deactivate", self.deactivate)

    def finish(self) -> None:
        """Shut the node down from its own process, in whatever state; never raises."""
        try:
            self.trigger_shutdown()
        except Exception:  # in the middle of a transition, or shut down already
            self._finish()

    def _finish(self) -> None:
        with self._finishing:
            if self._finished:
                return
            self._finished = True
            was_active, self._serving = self._serving, False
        self._break_bond()
        if was_active:
            self._carry_out("deactivate", self.deactivate)
        self._carry_out("clean up", self.release)
        self._carry_out("shut down", self.finalize)
        self._stop_autostart()
        self.destroy_timer(self._diagnostics_timer)
        self._life_sign.close()

    def _form_bond(self) -> None:
        period = self.parameters.number("bond_period")
        if period > 0.0 and not self.parameters.flag("autostart") and bond_is_installed():
            self._bond = Bond(self, self.create_steady_timer, period)

    def _break_bond(self) -> None:
        bond, self._bond = self._bond, None
        if bond is not None:
            self._carry_out("break the bond", bond.close)

    def _attempt(
        self,
        what: str,
        hook: Callable[[], None],
        parent: Callable[[LifecycleState], TransitionCallbackReturn] | None = None,
        previous: LifecycleState | None = None,
    ) -> TransitionCallbackReturn:
        success = TransitionCallbackReturn.SUCCESS
        try:
            hook()
            result = success if parent is None else parent(previous)
        except (ConfigureError, FileRefusedError) as error:
            return self._fail(what, str(error))
        except Exception as error:
            self.get_logger().error(traceback.format_exc().rstrip())
            return self._fail(what, f"{type(error).__name__}: {error}.")
        if result is success:
            self._fault = ""
        return result

    def _carry_out(self, what: str, hook: Callable[[], None]) -> None:
        """Call a hook of the way down, which can't be refused: errors are only logged."""
        try:
            hook()
        except Exception:
            self.get_logger().error(f"{what}: {traceback.format_exc().rstrip()}")

    def _fail(self, what: str, reason: str) -> TransitionCallbackReturn:
        fault = f"It could not {what}: {reason}"
        if fault != self._fault:  # said once, however often it is tried
            self.get_logger().error(fault)
        self._fault = fault
        self.publish_diagnostics()
        return TransitionCallbackReturn.FAILURE

    def _autostart(self) -> None:
        self._stop_autostart()
        if self.state is not NodeState.UNCONFIGURED:
            return  # somebody else was faster
        success = TransitionCallbackReturn.SUCCESS
        self._starts_itself = True
        try:
            if self.trigger_configure() == success and self.trigger_activate() == success:
                self.get_logger().info("active")
        except Exception as error:  # of rcl, which has no common base class
            self.get_logger().error(traceback.format_exc().rstrip())
            self._fail("start", f"{type(error).__name__}: {error}.")
        finally:
            self._starts_itself = False
        if self.state is NodeState.UNCONFIGURED and not self._finished:
            self._autostart_timer = self.create_steady_timer(AUTOSTART_AGAIN, self._autostart)

    def _stop_autostart(self) -> None:
        timer, self._autostart_timer = self._autostart_timer, None
        if timer is not None:
            timer.cancel()
            self.destroy_timer(timer)

    # --- parameters and diagnostics -------------------------------------------------------------

    def _check_change(self, parameters: list[Parameter]) -> SetParametersResult:
        configured = self.state in (NodeState.INACTIVE, NodeState.ACTIVE)
        return self.parameters.check_change(parameters, configured=configured)

    def publish_diagnostics(self) -> None:
        try:
            found = self.diagnose()
        except Exception as error:
            found = Diagnosis(DiagnosticStatus.ERROR, f"diagnosing failed: {error}")
        level, message = found.level, found.message
        if self._fault:
            level, message = DiagnosticStatus.ERROR, self._fault
        elif not self.is_active:
            level = max(level, DiagnosticStatus.WARN)
            message = message or f"{self.state.value}: requests are refused"
        values = {"state": self.state.value, **found.values}
        status = DiagnosticStatus(
            level=level,
            name=self.get_fully_qualified_name(),
            message=message or "serving",
            hardware_id="fcp_ros",
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics_publisher.publish(array)
