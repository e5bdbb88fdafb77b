# SPDX-License-Identifier: Apache-2.0
"""Execution without ROS: dispatch a plan, watch the world, decide what follows, assign credit.

    dispatch.py           the state machine that gives the steps of one plan to their executors
    dispatch_model.py     its phases, settings, results, sentences, and the world that it asks
    events.py             the events that it is told of, and the commands that it answers with
    ledger.py             the executors that may still be acting: outlives a single plan
    monitoring.py         the check that the world fits the present step and the rest of the plan,
                          its deadline, and things that make a relaxed goal strict again
    outcome.py            the outcome of a step
    policy.py             the follow-up of a plan that has ended: achieved, replan, give up
    credit.py             the judgements that an outcome is evidence for
    simulated_world       a world in which steps can be done

A node feeds events to the dispatcher and carries out its commands. The dispatcher asks the monitor
about the world, and the monitor asks `planning.stepping` what a step does. When the plan has ended,
the policy decides what follows, and the outcomes of the steps become credits of their judgements.
"""

from fcp_ros.foundation.deferred_imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.execution.dispatch import Dispatcher
    from fcp_ros.execution.dispatch_model import (
        DispatchPhase,
        DispatchResult,
        DispatchSettings,
        DispatchStatus,
        WorldView,
    )
    from fcp_ros.execution.faults import (
        Fault,
        FaultError,
        FaultKind,
        FaultPlan,
        PatternError,
        StepPattern,
        SuccessModel,
        parse_fault,
        parse_faults,
        parse_pattern,
        parse_success,
    )
    from fcp_ros.execution.ledger import ExecutorLedger
    from fcp_ros.execution.monitoring import Monitor, PlanWatch, find_obstacle
    from fcp_ros.execution.outcome import Outcome, OutcomeCode, StepRecord
    from fcp_ros.execution.policy import Decision, FollowUp, ReplanPolicy
    from fcp_ros.execution.simulated_world import (
        Performance,
        Performed,
        QualityModel,
        SimulatedWorld,
    )

__all__ = [
    "Decision",
    "DispatchPhase",
    "DispatchResult",
    "DispatchSettings",
    "DispatchStatus",
    "Dispatcher",
    "ExecutorLedger",
    "Fault",
    "FaultError",
    "FaultKind",
    "FaultPlan",
    "FollowUp",
    "Monitor",
    "Outcome",
    "OutcomeCode",
    "PatternError",
    "Performance",
    "Performed",
    "PlanWatch",
    "QualityModel",
    "ReplanPolicy",
    "SimulatedWorld",
    "StepPattern",
    "StepRecord",
    "SuccessModel",
    "WorldView",
    "find_obstacle",
    "parse_fault",
    "parse_faults",
    "parse_pattern",
    "parse_success",
]
