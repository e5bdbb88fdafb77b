# SPDX-License-Identifier: Apache-2.0
"""The base of all nodes: services, actions and topics of one behaviour; requests always answered.

A node's services and actions exist from its construction, so that a request to a node that is not
active is answered with a sentence instead of silence; everything else (topics, models, stores) is
made when the node is configured, and destroyed when it is cleaned up.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

from fcp_ros.nodes.runtime.lifecycle import NodeState, TransitionsNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer
from fcp_ros.nodes.runtime.refusals import (
    RefusalKind,
    RequestRefusal,
    RequestRefused,
    fill_refusal,
)


def state_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of a state: who joins late gets the last message (transient local).

    Args:
        depth: Number of messages that a receiver may be behind. A state that is sent as changes
            needs more than one: no change may be missed.
    """
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def event_qos() -> QoSProfile:
    """Return the profile of events: none is lost while a receiver is at most 100 behind."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=100,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def newest_qos(*, reliable: bool) -> QoSProfile:
    """Return the profile of streams of which only the newest message matters (depth 1).

    Args:
        reliable: False receives from any sender, True only from reliable ones.
    """
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=policy,
        durability=DurabilityPolicy.VOLATILE,
    )


def qos_overrides() -> QoSOverridingOptions:
    """Let the parameters ``qos_overrides.<topic>.*`` change history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()


RESULT_TIMEOUT = 300
"""Seconds for which an action server keeps a result that nobody has fetched."""


class PendingRequests:
    """Counts the requests that are being answered; ``with pending:`` around answering one."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        with self._changed:
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait_for_none(self, timeout: float) -> bool:
        """Wait until nothing is being answered; return False if it takes over `timeout` s."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout)


class ManagedNode(TransitionsNode):
    """A lifecycle node of this package.

    Subclasses create services and actions in their constructor (`offer_service`, `offer_action`),
    topics in `configure` (`publish_state`, `subscribe_events`, ...), and override the hooks of
    `TransitionsNode`; an overridden `release` or `finalize` calls the one here last.

    Args:
        name: Default name of the node.
        specs: Its parameters; ``autostart`` is added.
        kwargs: Passed on to `rclpy.node.Node` (namespace, parameter_overrides, context, ...).
    """

    def __init__(self, name: str, specs: Iterable[ParameterSpec], **kwargs: Any) -> None:
        super().__init__(name, specs, **kwargs)
        self.requests = ReentrantCallbackGroup()
        """Callback group of services and actions: several may be served at a time."""
        self._pending = PendingRequests()
        self._offered_services: list[Any] = []
        self._offered_actions: list[ActionServer] = []
        self._publishers_made: list[Publisher] = []
        self._subscriptions_made: list[Subscription] = []

    def refusal(self) -> RequestRefusal | None:
        """Return why a request can't be served now; None if it can."""
        if self.is_active:
            return None
        name = self.get_fully_qualified_name()
        if self.fault:
            advice = f"{self.fault} Correct that, then configure and activate it."
        elif self.state is NodeState.INACTIVE:
            advice = f"Activate it: ros2 lifecycle set {name} activate"
        elif self.state is NodeState.UNCONFIGURED:
            advice = "Configure and activate it, or wait until it has done so itself."
        else:
            advice = "Start it again."
        sentence = f"The node {name} is {self.state.value}. {advice}"
        return RequestRefusal(RefusalKind.NODE_INACTIVE, sentence)

    def internal_fault(self, where: str, error: BaseException) -> RequestRefusal:
        """Log an unexpected exception, and return the refusal that reports it."""
        self.get_logger().error(f"{where}: {''.join(traceback.format_exception(error)).rstrip()}")
        return RequestRefusal(
            RefusalKind.INTERNAL_ERROR,
            f"{where} failed with {type(error).__name__}: {error}. This is a fault of the node "
            f"{self.get_fully_qualified_name()}; its log has the details.",
        )

    # --- services and actions -------------------------------------------------------------------

    def offer_service(
        self,
        service_type: Any,
        name: str,
        serve: Callable[[Any, Any], Any],
        refuse: Callable[[Any, RequestRefusal], Any] = fill_refusal,
    ) -> None:
        """Offer a service that always answers.

        Args:
            service_type: Its type.
            name: Its relative name.
            serve: (request, response) -> response; called only while the node is active. Raises
                `RequestRefused` to refuse the request.
            refuse: Fills in the response and returns it, if the node is not active or `serve`
                raised.
        """

        def answer(request: Any, response: Any) -> Any:
            with self._pending:
                refusal = self.refusal()
                if refusal is not None:
                    return refuse(response, refusal)
                try:
                    return serve(request, response)
                except RequestRefused as error:
                    return refuse(service_type.Response(), error.refusal)
                except Exception as error:
                    return refuse(service_type.Response(), self.internal_fault(name, error))

        service = self.create_service(service_type, name, answer, callback_group=self.requests)
        self._offered_services.append(service)

    def offer_action(
        self,
        action_type: Any,
        name: str,
        execute: Callable[[ServerGoalHandle], Any],
        *,
        accepted: Callable[[ServerGoalHandle], None] | None = None,
        cancel: Callable[[ServerGoalHandle], None] | None = None,
    ) -> ActionServer:
        """Offer an action that accepts every goal and every cancel request.

        A goal that can't be served is accepted and then aborted with a reason, because a rejection
        carries none: `execute` has to check `refusal` itself.

        Args:
            action_type: Its type.
            name: Its relative name.
            execute: Called in an executor thread once a goal executes; ends the goal and returns
                the result.
            accepted: Called with an accepted goal; decides when it executes. Default: at once.
            cancel: Called for each cancel request, just before the goal's status shows it; must
                return at once.
        """

        def on_cancel(goal: ServerGoalHandle) -> CancelResponse:
            if cancel is not None:
                cancel(goal)
            return CancelResponse.ACCEPT

        def on_execute(goal: ServerGoalHandle) -> Any:
            with self._pending:
                return execute(goal)

        server = SafeActionServer(
            self,
            action_type,
            name,
            on_execute,
            callback_group=self.requests,
            goal_callback=lambda _request: GoalResponse.ACCEPT,
            handle_accepted_callback=accepted,
            cancel_callback=on_cancel,
            result_timeout=RESULT_TIMEOUT,
        )
        self._offered_actions.append(server)
        return server

    # --- topics ---------------------------------------------------------------------------------

    def publish_state(self, message_type: Any, topic: str, depth: int = 1) -> Publisher:
        """Make a latched publisher that publishes while the node is active."""
        return self._make_publisher(message_type, topic, state_qos(depth))

    def publish_events(self, message_type: Any, topic: str) -> Publisher:
        """Make a publisher of events that publishes while the node is active."""
        return self._make_publisher(message_type, topic, event_qos())

    def subscribe_state(
        self, message_type: Any, topic: str, receive: Callable[[Any], None], *, raw: bool = False
    ) -> Subscription:
        """Subscribe to a latched topic; with `raw`, receive the serialised bytes."""
        return self._make_subscription(message_type, topic, receive, state_qos(), raw)

    def subscribe_events(
        self, message_type: Any, topic: str, receive: Callable[[Any], None], *, raw: bool = False
    ) -> Subscription:
        """Subscribe to events, received one by one in their order; see `subscribe_state`."""
        return self._make_subscription(message_type, topic, receive, event_qos(), raw)

    def subscribe_newest(
        self, message_type: Any, topic: str, receive: Callable[[Any], None], *, reliable: bool
    ) -> Subscription:
        """Subscribe to a stream of which only the newest message is kept while one is handled."""
        qos = newest_qos(reliable=reliable)
        return self._make_subscription(message_type, topic, receive, qos, False)

    def _make_publisher(self, message_type: Any, topic: str, qos: QoSProfile) -> Publisher:
        publisher = self.create_lifecycle_publisher(
            message_type, topic, qos, qos_overriding_options=qos_overrides()
        )
        self._publishers_made.append(publisher)
        return publisher

    def _make_subscription(
        self,
        message_type: Any,
        topic: str,
        receive: Callable[[Any], None],
        qos: QoSProfile,
        raw: bool,
    ) -> Subscription:
        def receive_safely(message: Any) -> None:
            try:
                receive(message)
            except Exception as error:
                self.internal_fault(f"receiving {topic}", error)

        subscription = self.create_subscription(
            message_type,
            topic,
            receive_safely,
            qos,
            callback_group=MutuallyExclusiveCallbackGroup(),
            qos_overriding_options=qos_overrides(),
            raw=raw,
        )
        self._subscriptions_made.append(subscription)
        return subscription

    def retire(self, timeout: float) -> None:
        """Stop serving, and wait at most `timeout` s until pending requests are answered.

        The executor must still spin; afterwards it may stop, and then the node may be finished.
        """
        if self.is_active:
            self.stop_serving()
        if not self._pending.wait_for_none(timeout):
            self.get_logger().warning(f"a request was not answered within {timeout:g} s")

    # --- destruction ----------------------------------------------------------------------------

    def release(self) -> None:
        """Destroy the topics that `configure` made."""
        while self._publishers_made:
            self.destroy_lifecycle_publisher(self._publishers_made.pop())
        while self._subscriptions_made:
            self.destroy_subscription(self._subscriptions_made.pop())

    def finalize(self) -> None:
        """Destroy services and actions."""
        while self._offered_actions:
            self._offered_actions.pop().destroy()
        while self._offered_services:
            self.destroy_service(self._offered_services.pop())
