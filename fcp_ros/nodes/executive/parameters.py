# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node ``executive``, and the settings that they stand for."""

from __future__ import annotations

from fcp_ros.execution.dispatch_model import DispatchSettings
from fcp_ros.nodes.executive.waiting_room import WaitSettings
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES
from fcp_ros.nodes.runtime.parameters import ParameterSpec, ParameterTable, TakesEffect


def _seconds(name: str, default: float, description: str, minimum: float = 0.0) -> ParameterSpec:
    return ParameterSpec(
        name, default, f"{description} [s].", minimum, 3600.0, takes_effect=TakesEffect.AT_ONCE
    )


PARAMETERS = (
    DOMAIN,
    TYPE_OVERRIDES,
    ParameterSpec(
        "max_replans",
        3,
        "How often a goal is planned anew, where the goal does not say.",
        0,
        100,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "timeout_factor",
        3.0,
        "A step may take this many times its expected duration.",
        0.01,
        1000.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    _seconds("min_step_timeout", 10.0, "What a step may take at least", 0.1),
    _seconds("accept_timeout", 5.0, "Longest time until an executor accepts a step", 0.1),
    _seconds("grace_time", 5.0, "Longest wait for an executor that was asked to stop", 0.1),
    _seconds("executor_wait", 5.0, "Longest wait for executors, and the planner, to be there", 0.1),
    _seconds("settle_time", 3.0, "Longest wait for the scene graph to show a step's effects"),
    _seconds(
        "planner_timeout", 120.0, "Longest wait for a plan, where the goal names no limit", 0.1
    ),
    _seconds("planner_margin", 10.0, "Wait for the planner beyond the time limit of the goal"),
    _seconds("learn_wait", 1.5, "Longest wait for the grounder to learn before planning anew"),
    ParameterSpec(
        "trust_executors",
        False,
        "Write the effects of succeeded steps into the scene graph where perception does not.",
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


def dispatch_settings(values: ParameterTable) -> DispatchSettings:
    """The bounds of a plan's execution as the parameters are now."""
    return DispatchSettings(
        timeout_factor=values.number("timeout_factor"),
        min_timeout=values.number("min_step_timeout"),
        accept_timeout=values.number("accept_timeout"),
        grace_time=values.number("grace_time"),
        executor_wait=values.number("executor_wait"),
        settle_time=values.number("settle_time"),
        trust_executors=values.flag("trust_executors"),
    )


def wait_settings(values: ParameterTable) -> WaitSettings:
    """The bounds of the other waits as the parameters are now."""
    return WaitSettings(
        server_wait=values.number("executor_wait"),
        planner_timeout=values.number("planner_timeout"),
        planner_margin=values.number("planner_margin"),
        grace_time=values.number("grace_time"),
        settle_time=values.number("settle_time"),
        learn_wait=values.number("learn_wait"),
    )
