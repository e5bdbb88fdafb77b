# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node ``executive``, the settings that they stand for, and its error codes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.execution.dispatch_model import DispatchSettings
from fcp_ros.execution.goal_queue import Ticket, WhenBusy
from fcp_ros.execution.kept_goals import KeepSettings
from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES, WORLD
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FOLDERS,
    ParameterSpec,
    ParameterTable,
    TakesEffect,
)

JOURNAL_PATH = "~/.local/state/fcp_ros/outcomes/{robot}/{world}.sqlite"

NAMES_PATH = "~/.local/state/fcp_ros/names/{robot}/{world}.sqlite"


PlanError = ExecutePlan.Result
"""Error codes of ``execute_task_plan``."""

GoalError = AchieveGoal.Result
"""Error codes of ``achieve_goal``."""


class WhenLate(IntEnum):
    """The consequences of a deadline that can't be kept; a test compares them with the actions."""

    GO_ON = 1
    STOP = 2
    REPLAN = 3


@dataclass(frozen=True)
class WaitSettings:
    """Longest waits for others than executors, in seconds."""

    server_wait: float  # Until the planner answers at all
    planner_timeout: float  # Until it has a plan, if the request names no time limit
    planner_margin: float  # Beyond the request's time limit
    grace_time: float  # Until a cancelled planner answers
    settle_time: float  # Until the scene graph that a plan was made on has arrived
    scene_wait: float  # Until a lost scene graph is kept up to date again, in a goal that has begun
    learn_wait: float  # Until the grounder has learned from an outcome
    question_timeout: float  # Until a question is answered


def _seconds(name: str, default: float, description: str, minimum: float = 0.0) -> ParameterSpec:
    return ParameterSpec(
        name, default, f"{description} [s].", minimum, 3600.0, takes_effect=TakesEffect.AT_ONCE
    )


PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    ParameterSpec(
        "max_replans",
        3,
        "Largest number of replans for a goal that does not say.",
        0,
        100,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "when_busy",
        "queue",
        "What becomes of a goal that comes while another is at work, and does not say: it waits, "
        "takes that one's place, or is refused.",
        choices=tuple(one.name.lower() for one in WhenBusy),
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "goals_at_once",
        1,
        "Most goals at work at a time. Their plans are executed side by side; where they share a "
        "robot, executor or resource, or a fact that one changes, steps of the later one wait.",
        1,
        8,
    ),
    ParameterSpec(
        "most_waiting",
        20,
        "Most goals that wait for their turn, or are kept; more are refused.",
        1,
        1000,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "keep_attempts",
        8,
        "Most attempts within keep_window to restore what a goal keeps (always ...); then it ends.",
        1,
        1000,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "keep_window",
        600.0,
        "Time in which attempts to restore what a goal keeps are counted [s].",
        1.0,
        86400.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    _seconds(
        "keep_pause",
        1.0,
        "Pause after the first such attempt within keep_window; after each more twice as long",
    ),
    ParameterSpec(
        "when_late",
        "go_on",
        "What follows as soon as the deadline of a goal that does not say can't be kept any more: "
        "nothing, or after the present step the goal ends, or is planned for the time left.",
        choices=tuple(one.name.lower() for one in WhenLate),
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
    _seconds("min_step_timeout", 10.0, "Time that a step may take in any case", 0.1),
    _seconds("accept_timeout", 5.0, "Longest time until an executor accepts a step", 0.1),
    _seconds("grace_time", 5.0, "Longest wait for an executor that was asked to stop", 0.1),
    _seconds("executor_wait", 5.0, "Longest wait for executors, and the planner, to be there", 0.1),
    _seconds("settle_time", 3.0, "Longest wait for the scene graph to show a step's effects"),
    _seconds("scene_wait", 60.0, "Longest wait for a lost scene graph before a goal is given up"),
    _seconds(
        "finish_wait", 30.0, "Longest wait for other robots' steps to end when one has failed"
    ),
    _seconds("planner_timeout", 120.0, "Longest wait for a plan, if the goal names no limit", 0.1),
    _seconds("planner_margin", 10.0, "Wait for the planner beyond the time limit of the goal"),
    _seconds("learn_wait", 1.5, "Longest wait for the grounder to learn before replanning"),
    _seconds("question_timeout", 60.0, "Longest wait for an answer to a question; then it is no"),
    ParameterSpec(
        "shared_executors",
        [""],
        "Executors that take steps of several robots at once; all others get one step at a time.",
    ),
    ParameterSpec(
        "robot_namespaces",
        [""],
        "Robots with executors of their own, as ELEMENT=NAMESPACE, such as robot_1=/alice: a step "
        "goes to that of the first such robot among its arguments, and the others go on without a "
        "robot whose executors are gone. Without any, all robots share one set of executors.",
    ),
    ParameterSpec(
        "outcome_backlog",
        10_000,
        "Most outcomes that wait for a grounder to confirm them; beyond it the oldest are given "
        "up.",
        1,
        1_000_000,
    ),
    ParameterSpec(
        "outcome_journal",
        JOURNAL_PATH,
        "SQLite file of the outcomes that no grounder has confirmed yet, for the next start; "
        '{robot} is the namespace, {world} real or simulated; "": they end with the process.',
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "name_store",
        NAMES_PATH,
        "SQLite file of the names of perception that were proposed, kept and refused; {robot} is "
        'the namespace, {world} real or simulated; "": they end with the process.',
        takes_effect=TakesEffect.AT_START,
    ),
    WORLD,
    ParameterSpec(
        "trust_executors",
        False,
        "Write the effects of a step that succeeds into the scene graph, unless it shows them.",
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


def make_dispatch_settings(values: ParameterTable) -> DispatchSettings:
    return values.fill(DispatchSettings, min_timeout=values.number("min_step_timeout"))


def make_wait_settings(values: ParameterTable) -> WaitSettings:
    return values.fill(WaitSettings, server_wait=values.number("executor_wait"))


def make_keep_settings(values: ParameterTable) -> KeepSettings:
    return values.fill(KeepSettings)


def read_robots(values: ParameterTable) -> RobotExecutors:
    """Return which robots have executors of their own. Raises ConfigureError if that is unclear."""
    shared = values.texts("shared_executors")
    try:
        return RobotExecutors.parse(values.texts("robot_namespaces"), shared)
    except ValueError as error:
        raise ConfigureError(f"robot_namespaces: {error}") from error


def make_ticket(values: ParameterTable, key: bytes, request: Any) -> Ticket:
    when_busy = request.when_busy or WhenBusy[values.text("when_busy").upper()]
    return Ticket(key, request.priority, WhenBusy(when_busy))


def find_late_policy(values: ParameterTable, request: Any) -> WhenLate:
    return WhenLate(request.when_late or WhenLate[values.text("when_late").upper()])
