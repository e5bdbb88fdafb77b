# SPDX-License-Identifier: Apache-2.0
"""Error codes of the executive's actions, with names; a test compares them with the actions."""

from __future__ import annotations

from enum import IntEnum


class PlanError(IntEnum):
    """Error codes of ``execute_plan``."""

    NONE = 0
    INVALID_PLAN = 201
    NO_EXECUTOR = 202
    STEP_FAILED = 203
    STEP_TIMED_OUT = 204
    CANCELLED = 205
    BUSY = 206
    NODE_INACTIVE = 207
    INTERNAL_ERROR = 208


class GoalError(IntEnum):
    """Error codes of ``achieve_goal``."""

    NONE = 0
    PLANNING_FAILED = 301
    REPLANS_EXHAUSTED = 302
    NO_EXECUTOR = 303
    TIMED_OUT = 304
    CANCELLED = 305
    BUSY = 306
    NODE_INACTIVE = 307
    INTERNAL_ERROR = 308
