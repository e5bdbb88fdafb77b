# SPDX-License-Identifier: Apache-2.0
"""Exit codes of ``fcp``, in one place.

0 means done as asked, 2 wrong usage or input (as for any command-line program), and 10 upwards a
planning status that is not a plan, so that a script can tell "unsolvable" from "ran out of time".
"""

from __future__ import annotations

from fcp_ros.planning import PlanStatus

DONE = 0
FAILED = 1
DIFFERENT = 1  # as diff and cmp say it
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
}


def to_exit_code(status: PlanStatus) -> int:
    """Returns the exit code for a planning status."""
    return _PLANNING[status]
