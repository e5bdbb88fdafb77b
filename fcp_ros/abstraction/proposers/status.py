# SPDX-License-Identifier: Apache-2.0
"""The outcomes of looking for a general policy."""

from __future__ import annotations

from enum import Enum

from fcp_ros.planning import PlanStatus


class GeneralizationStatus(str, Enum):
    """The outcome of looking for a general policy."""

    FOUND = "FOUND"
    """A policy passed all checks on the training tasks."""
    UNREPAIRED = "UNREPAIRED"
    """The abstractions of all rounds have faults, or the proposer has no other one."""
    NO_COMMON_POLICY = "NO_COMMON_POLICY"
    """No features of those allowed tell the training states apart as needed."""
    UNSUPPORTED = "UNSUPPORTED"
    """The domain or a goal has what policies can't deal with."""
    MODEL_FAILED = "MODEL_FAILED"
    """A language model can't be loaded or asked."""
    LIMIT = "LIMIT"
    """A limit on size was reached first."""
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"


_INTERRUPTIONS = {
    PlanStatus.TIMEOUT: GeneralizationStatus.TIMEOUT,
    PlanStatus.CANCELLED: GeneralizationStatus.CANCELLED,
}


def translate_interruption(status: PlanStatus) -> GeneralizationStatus:
    """Translate the status of an interruption (`planning.model.watch.Interrupted`)."""
    return _INTERRUPTIONS.get(status, GeneralizationStatus.LIMIT)
