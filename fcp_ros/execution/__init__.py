# SPDX-License-Identifier: Apache-2.0
"""Execution without ROS: dispatching plans, watching the world, replanning, a simulated world."""

from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import (
    DispatchResult,
    DispatchSettings,
    DispatchStatus,
    Phase,
    WorldView,
)
from fcp_ros.execution.faults import (
    Fault,
    FaultError,
    FaultKind,
    FaultPlan,
    SuccessModel,
    parse_fault,
    parse_faults,
    parse_success,
)
from fcp_ros.execution.ledger import ExecutorLedger
from fcp_ros.execution.monitoring import Monitor, PlanWatch, find_obstacle
from fcp_ros.execution.outcome import Outcome, OutcomeCode, StepRecord
from fcp_ros.execution.policy import Decision, ReplanPolicy, Verdict
from fcp_ros.execution.simulated_world import (
    Performance,
    Performed,
    QualityModel,
    SimulatedWorld,
)
from fcp_ros.execution.step_pattern import PatternError, StepPattern, parse_pattern

__all__ = [
    "Decision",
    "DispatchResult",
    "DispatchSettings",
    "DispatchStatus",
    "Dispatcher",
    "ExecutorLedger",
    "Fault",
    "FaultError",
    "FaultKind",
    "FaultPlan",
    "Monitor",
    "Outcome",
    "OutcomeCode",
    "PatternError",
    "Performance",
    "Performed",
    "Phase",
    "PlanWatch",
    "QualityModel",
    "ReplanPolicy",
    "SimulatedWorld",
    "StepPattern",
    "StepRecord",
    "SuccessModel",
    "Verdict",
    "WorldView",
    "find_obstacle",
    "parse_fault",
    "parse_faults",
    "parse_pattern",
    "parse_success",
]
