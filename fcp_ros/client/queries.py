# SPDX-License-Identifier: Apache-2.0
"""Messages with many fields, made from plain Python values; the latest of a latched topic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from fcp_ros.msg import (
    Argument,
    ArgumentContext,
    PlanRequest,
    PlanResult,
    PlanStatus,
    PredicateQuery,
)
from fcp_ros.nodes.conversions.common import attributes_to_ros, duration_to_ros
from fcp_ros.nodes.conversions.plan import budgets_to_ros
from fcp_ros.nodes.runtime.qos import state_qos


def fetch_latched(
    node: Node, message_type: Any, topic: str, group: CallbackGroup, timeout: float
) -> Any:
    """Fetch the last message of a latched topic.

    `node`: that another thread spins. Raises TimeoutError if nobody has published one in time.
    """
    come: Future[Any] = Future()

    def take(message: Any) -> None:
        if not come.done():
            come.set_result(message)

    subscription = node.create_subscription(
        message_type, topic, take, state_qos(), callback_group=group
    )
    try:
        return come.result(timeout)
    except FutureTimeout as error:  # before Python 3.11 it is no TimeoutError
        raise TimeoutError(f"no message on {topic} within {timeout} s") from error
    finally:
        node.destroy_subscription(subscription)


AttributeValue = bool | int | float | str


@dataclass(frozen=True)
class Element:
    """An element of the scene with its context for a judgement."""

    name: str
    category: str  # its category, such as "mug"
    # the attributes that the predicate declares as context
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


def predicate_query(predicate: str, **arguments: Element | str) -> PredicateQuery:
    """Build a query for the grounder.

    `predicate`: a graded predicate of the domain. `arguments`: parameter -> element, or text; in
    the order of the predicate's parameters.
    """
    return PredicateQuery(
        predicate=predicate,
        arguments=[_argument(parameter, value) for parameter, value in arguments.items()],
    )


def _argument(parameter: str, value: Element | str) -> ArgumentContext:
    if isinstance(value, str):
        text = Argument(parameter=parameter, kind=Argument.TEXT, value=value)
        return ArgumentContext(argument=text)
    return ArgumentContext(
        argument=Argument(parameter=parameter, kind=Argument.ELEMENT, value=value.name),
        category=value.category,
        attributes=attributes_to_ros(value.attributes),
    )


def plan_request(
    goal: str = "",
    *,
    instruction: str = "",  # the goal in words instead, such as "bring me something to drink from"
    speaker: str = "",  # the element that speaks, for the instruction
    alpha: float | None = None,  # least acceptable membership, in [0, 1]
    time_limit: float | None = None,  # seconds
    tnorm: str = "",  # how degrees compose
    relax: bool = True,  # True to relax a goal that cannot be reached as stated
    # a relaxation to a lower degree has to be confirmed, in [0, 1]
    confirm_below: float | None = None,
    # memberships that differ by at most this are equal, in [0, 1]
    indifference: float | None = None,
    optimise: str = "",  # "membership", or "cost" or "duration" of the plans that reach alpha
    deadline: float | None = None,  # seconds that the plan may take
    # resource, "cost", "time" or "steps" -> how much of it the plan may use
    budgets: Mapping[str, float] | None = None,
    explain: bool = False,  # True to explain the loss of each step and what binds at alpha
) -> PlanRequest:
    """Build a planning request; the planner's parameters decide what is left out."""
    return PlanRequest(
        goal=to_sendable(goal),
        instruction=to_sendable(instruction),
        speaker=to_sendable(speaker),
        alpha=math.nan if alpha is None else float(alpha),
        time_limit=duration_to_ros(time_limit or 0.0),
        tnorm=tnorm,
        forbid_relaxation=not relax,
        confirm_below=math.nan if confirm_below is None else float(confirm_below),
        indifference=math.nan if indifference is None else float(indifference),
        optimise=optimise,
        deadline=duration_to_ros(deadline or 0.0),
        budgets=budgets_to_ros(budgets or {}),
        explain=explain,
    )


def to_sendable(text: str) -> str:
    """Put a question mark for each lone surrogate: what a message can't carry, a node can't refuse.

    Python makes them of bytes on the command line or in a file that are not UTF-8.
    """
    return text.encode("utf-8", "replace").decode()


def is_solved(result: PlanResult) -> bool:
    """Return True if a PlanResult message has a plan that may be executed."""
    solved = (PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING)
    return result.status.code in solved
