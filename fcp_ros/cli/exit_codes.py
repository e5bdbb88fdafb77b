# SPDX-License-Identifier: Apache-2.0
"""Exit codes of ``fcp``, in one place.

0 means success, 2 wrong usage or bad input (as in other command-line programs), and 10 or more a
planning status without a plan, so that a script can tell "unsolvable" from "out of time".
"""

from __future__ import annotations

from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.planning import PlanStatus

DONE = 0
FAILED = 1
DIFFERENT = 1  # the convention of diff and cmp
BAD_INPUT = 2

_PLANNING = {
    PlanStatus.SOLVED_OPTIMALLY: DONE,
    PlanStatus.SOLVED_SATISFICING: DONE,
    PlanStatus.INVALID_REQUEST: BAD_INPUT,
    PlanStatus.UNSOLVABLE_PROVEN: 10,
    PlanStatus.UNSOLVABLE_AT_ALPHA: 11,
    PlanStatus.UNSOLVABLE_INCOMPLETELY: 12,
    PlanStatus.TIMEOUT: 13,
    PlanStatus.MEMOUT: 14,
    PlanStatus.CANCELLED: 15,
    PlanStatus.UNSUPPORTED: 16,
    PlanStatus.INTERNAL_ERROR: 17,
    PlanStatus.BUSY: 18,
    PlanStatus.NODE_INACTIVE: 19,
    PlanStatus.NEEDS_CLARIFICATION: 20,
    PlanStatus.NO_JUDGEMENT: 21,
    PlanStatus.SCENE_LOST: 22,
}

_GENERALIZING = {
    GeneralizationStatus.FOUND: DONE,
    GeneralizationStatus.UNREPAIRED: 12,
    GeneralizationStatus.NO_COMMON_POLICY: 10,
    GeneralizationStatus.UNSUPPORTED: 16,
    GeneralizationStatus.MODEL_FAILED: 21,
    GeneralizationStatus.LIMIT: 14,
    GeneralizationStatus.TIMEOUT: 13,
    GeneralizationStatus.CANCELLED: 15,
}
"""Those of the planning statuses that are nearest."""


def to_exit_code(status: PlanStatus | GeneralizationStatus) -> int:
    if isinstance(status, PlanStatus):
        return _PLANNING[status]
    return _GENERALIZING[status]
