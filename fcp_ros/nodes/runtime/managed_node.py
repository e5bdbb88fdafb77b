# SPDX-License-Identifier: Apache-2.0
"""The base of all nodes: services, actions and topics of one behaviour; requests always answered.

A node's services and actions exist from its construction, so that a request to a node that is not
active is answered with a sentence instead of silence; everything else (topics, models, stores) is
made when the node is configured, and destroyed when it is cleaned up.

No callback blocks the executor's thread while it waits: one that has to wait is a coroutine, and
awaits (`ManagedNode.await_answer`). So one thread is enough for a node, or for many.
"""

from __future__ import annotations

import inspect
import threading
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future as Answer
from concurrent.futures import InvalidStateError
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from fcp_ros.nodes.runtime.goal_jobs import execute_goal
from fcp_ros.nodes.runtime.lifecycle import NodeState, TransitionsNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.nodes.runtime.qos import (
    event_qos,
    newest_qos,
    qos_overrides,
    request_qos,
    state_qos,
)
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer, make_wakeable
from fcp_ros.nodes.runtime.request_checks import (
    NOT_SERVED,
    RefusalKind,
    RequestRefusal,
    RequestRefused,
    fill_refusal,
    find_invalid_field,
    make_refusal,
)
from fcp_ros.nodes.runtime.server_life import call_later
from fcp_ros.nodes.runtime.worker import Job, NodeWorkers, Worker

# --- the requests that a service has answered ---

MOST_REMEMBERED = 64
"""Requests whose answers are remembered. A client repeats its own after seconds."""


class AnsweredRequests:
    """The answers of the last requests, by the ids that their senders gave them; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[bytes, Answer[Any]] = OrderedDict()

    def find(self, request_id: bytes) -> tuple[Answer[Any], bool]:
        """Return the answer to a request, and True if nobody has begun to make it.

        `request_id`: id of the request; all zeros if it has none, and then its answer is its own.
        """
        if not any(request_id):
            return Answer(), True
        with self._lock:
            known = self._answers.get(request_id)
            if known is not None:
                return known, False
            answer = self._answers[request_id] = Answer()
            if len(self._answers) > MOST_REMEMBERED:
                self._answers.popitem(last=False)
            return answer, True


# --- the base of all nodes ---

RESULT_TIMEOUT = 300
"""Seconds for which an action server keeps a result that nobody has fetched."""


class PendingRequests:
    """Counts the requests that are being answered.

    ``with pending:`` around answering one; `begin` and `end` where that is not one piece of code.
    """

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()
        self._then: Callable[[], None] | None = None

    def begin(self) -> None:
        with self._changed:
            self._count += 1

    def end(self) -> None:
        then = None
        with self._changed:
            self._count -= 1
            self._changed.notify_all()
            if self._count == 0:
                then, self._then = self._then, None
        if then is not None:
            then()

    def __enter__(self) -> None:
        self.begin()

    def __exit__(self, *_error: object) -> None:
        self.end()

    def wait_for_none(self, timeout: float) -> bool:
        """Wait until nothing is being answered; return False if it takes over `timeout` s."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout)

    def call_when_none(self, then: Callable[[], None]) -> None:
        """Call a function as soon as nothing is being answered: now, or after the last answer."""
        with self._changed:
            if self._count:
                self._then = then
                return
        then()


class Closable(Protocol):
    """A part of a node that has an end."""

    def close(self) -> object: ...


P = TypeVar("P", bound=Closable)


class ManagedNode(TransitionsNode):
    """A lifecycle node of this package.

    Subclasses create services and actions in their constructor (`offer_service`, `offer_action`),
    topics in `configure` (`publish_state`, `subscribe_events`, ...), and override the hooks of
    `TransitionsNode`; an overridden `release` or `finalize` calls the one here, where what they
    `own` is closed. `specs`: its parameters; ``autostart`` is added. `kwargs`: passed on to
    `rclpy.node.Node` (namespace, parameter_overrides, context, ...).
    """

    def __init__(self, name: str, specs: Iterable[ParameterSpec], **kwargs: Any) -> None:
        super().__init__(name, specs, **kwargs)
        self.requests = ReentrantCallbackGroup()
        """Callback group of services and actions: several may be served at a time."""
        self.workers = NodeWorkers(lambda sentence: self.get_logger().warning(sentence))
        self._pending = PendingRequests()
        self._offered_services: list[Any] = []
        self._offered_actions: list[ActionServer] = []
        self._owned: list[Closable] = []
        self._publishers_made: list[Publisher] = []
        self._subscriptions_made: list[Subscription] = []

    def own(self, part: P) -> P:
        """Have a part closed when the node is cleaned up, or could not be configured.

        That is after the workers have ended, and before topics are destroyed; the last is first.
        """
        self._owned.append(part)
        return part

    def refusal(self, request: Any) -> RequestRefusal | None:
        """Return why a request can't be served now, or at all; None if it can.

        `request`: the request of a service, or the goal of an action.
        """
        if self.is_active:
            problem = find_invalid_field(request)
            return RequestRefusal(RefusalKind.INVALID_REQUEST, f"{problem}.") if problem else None
        name, state = self.get_fully_qualified_name(), self.state
        if self.fault:
            advice = f"{self.fault} Correct that, then configure and activate it."
        elif state is NodeState.INACTIVE:
            advice = f"Activate it: ros2 lifecycle set {name} activate"
        elif state is NodeState.UNCONFIGURED:
            advice = "Configure and activate it, or wait until it has done so itself."
        elif state in (NodeState.FINALIZED, NodeState.SHUTTING_DOWN):
            advice = "Start it again."
        else:
            advice = "Ask again in a moment."
        sentence = f"The node {name} is {state.value}. {advice}"
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
        # (request, response) -> response, a function or coroutine function; called only while the
        # node is active. Raises `RequestRefused` to refuse the request; what a worker raises that
        # has no result is a refusal, too.
        serve: Callable[[Any, Any], Any],
        # Fills in the response and returns it, if the node is not active or `serve` raised
        refuse: Callable[[Any, RequestRefusal], Any] = fill_refusal,
        *,
        # Give a request that comes again, with the same `request_id`, the answer of the first: its
        # answer was lost or is late, and what it asks for is not to be done twice
        once: bool = False,
    ) -> None:
        """Offer a service that always answers."""

        async def answer(request: Any, response: Any) -> Any:
            refusal = self.refusal(request)
            if refusal is not None:
                return refuse(response, refusal)
            try:
                served = serve(request, response)
                return await served if inspect.isawaitable(served) else served
            except (RequestRefused, *NOT_SERVED) as error:
                return refuse(service_type.Response(), make_refusal(error))
            except Exception as error:
                return refuse(service_type.Response(), self.internal_fault(name, error))

        async def answer_always(request: Any, response: Any) -> Any:
            with self._pending:
                return await answer(request, response)

        answered = AnsweredRequests()

        async def answer_once(request: Any, response: Any) -> Any:
            first, is_new = answered.find(bytes(request.request_id.uuid))
            if not is_new:
                return await self.await_answer(first)
            try:
                first.set_result(await answer_always(request, response))
            finally:
                first.cancel()  # without effect on an answer
            return first.result()

        service = self.create_service(
            service_type,
            name,
            answer_once if once else answer_always,
            qos_profile=request_qos(),
            callback_group=self.requests,
        )
        self._offered_services.append(service)

    def offer_action(
        self,
        action_type: Any,
        name: str,
        # Coroutine function that is called once a goal executes; ends the goal and returns the
        # result
        execute: Callable[[ServerGoalHandle], Awaitable[Any]],
        *,
        # Called with an accepted goal; decides when it executes, which it must some time. Default:
        # at once.
        accepted: Callable[[ServerGoalHandle], None] = execute_goal,
        # Called for each cancel request, once the goal's status shows it; must return at once
        cancel: Callable[[ServerGoalHandle], None] | None = None,
    ) -> ActionServer:
        """Offer an action that accepts every goal and every cancel request."""
        # A goal that can't be served is accepted and then aborted with a reason, because a
        # rejection carries none: `execute` has to ask `refusal` itself.

        def on_cancel(goal: ServerGoalHandle) -> CancelResponse:
            if cancel is not None:
                self.executor.create_task(self._tell_cancel, goal, cancel)
            return CancelResponse.ACCEPT

        def on_accepted(goal: ServerGoalHandle) -> None:
            self._pending.begin()
            accepted(goal)

        async def on_execute(goal: ServerGoalHandle) -> Any:
            try:
                return await execute(goal)
            finally:
                self._pending.end()

        server = SafeActionServer(
            self,
            action_type,
            name,
            on_execute,
            callback_group=self.requests,
            goal_callback=lambda _request: GoalResponse.ACCEPT,
            handle_accepted_callback=on_accepted,
            cancel_callback=on_cancel,
            goal_service_qos_profile=request_qos(),
            result_service_qos_profile=request_qos(),
            cancel_service_qos_profile=request_qos(),
            feedback_pub_qos_profile=request_qos(),
            result_timeout=RESULT_TIMEOUT,
        )
        self._offered_actions.append(server)
        return server

    def withdraw_action(self, server: ActionServer) -> None:
        self._offered_actions.remove(server)
        server.destroy()

    def _tell_cancel(
        self, goal: ServerGoalHandle, cancel: Callable[[ServerGoalHandle], None]
    ) -> None:
        """Tell of a cancel request: rclpy changes the goal's status only after its callback."""
        if goal.is_cancel_requested:
            cancel(goal)
        elif goal.is_active:  # in another thread of this executor, this very moment
            self.executor.create_task(self._tell_cancel, goal, cancel)

    async def await_answer(self, answer: Answer[Any]) -> Any:
        """Await the answer of a job, a batch or a call, without blocking the executor's thread.

        Returns its result; raises what it failed with.
        """
        if answer.done():
            return answer.result()
        done, finish = make_wakeable(self.executor)
        answer.add_done_callback(lambda _answer: finish())
        await done
        return answer.result()

    async def await_job(self, worker: Worker, job: Job[Any], limit: float) -> Any:
        """Await a job for at most `limit` s, without blocking the executor's thread.

        Raises TimeoutError if it took longer, and was cancelled.
        """
        either: Answer[None] = Answer()

        def end(_answer: Answer[Any] | None = None) -> None:
            with suppress(InvalidStateError):  # the other end came first
                either.set_result(None)

        job.answer.add_done_callback(end)
        alarm = call_later(limit, end)
        await self.await_answer(either)
        alarm.cancel()
        if not job.answer.done():
            worker.cancel(job)
            raise TimeoutError(f"No answer within {limit:g} s: give more time or ask for less.")
        return job.result()

    # --- topics ---------------------------------------------------------------------------------

    def publish_state(
        self,
        message_type: Any,
        topic: str,
        depth: int = 1,  # Messages that a receiver may be behind
        # Called with the counts of subscribers whenever one comes or goes
        on_match: Callable[[Any], None] | None = None,
    ) -> Publisher:
        """Make a latched publisher that publishes while the node is active."""
        return self._make_publisher(message_type, topic, state_qos(depth), on_match)

    def publish_events(self, message_type: Any, topic: str) -> Publisher:
        """Make a publisher of events that publishes while the node is active."""
        return self._make_publisher(message_type, topic, event_qos())

    def publish_to_the_end(self, message_type: Any, topic: str, qos: QoSProfile) -> Publisher:
        """Make a publisher for what must be told even when the node is active no more."""
        # A deactivation waits for nothing, and work that it stops still has an end to report.
        publisher = self.create_publisher(
            message_type, topic, qos, qos_overriding_options=qos_overrides()
        )
        self._publishers_made.append(publisher)
        return publisher

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

    def _make_publisher(
        self,
        message_type: Any,
        topic: str,
        qos: QoSProfile,
        on_match: Callable[[Any], None] | None = None,
    ) -> Publisher:
        publisher = self.create_lifecycle_publisher(
            message_type,
            topic,
            qos,
            event_callbacks=PublisherEventCallbacks(matched=on_match),
            qos_overriding_options=qos_overrides(),
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
        """Stop serving, and wait at most `timeout` s until pending requests are answered."""
        # The executor must still spin; afterwards it may stop, and then the node may be finished.
        if self.is_active:
            self.stop_serving()
        if not self._pending.wait_for_none(timeout):
            self.get_logger().warning(f"a request was not answered within {timeout:g} s")

    # --- destruction ----------------------------------------------------------------------------

    def release(self) -> None:
        self.workers.close()
        while self._owned:
            self._owned.pop().close()
        while self._publishers_made:
            self.destroy_lifecycle_publisher(self._publishers_made.pop())
        while self._subscriptions_made:
            self.destroy_subscription(self._subscriptions_made.pop())

    def finalize(self) -> None:
        self._pending.call_when_none(self._destroy_offered)

    def _destroy_offered(self) -> None:
        while self._offered_actions:
            self._offered_actions.pop().destroy()
        while self._offered_services:
            self.destroy_service(self._offered_services.pop())
