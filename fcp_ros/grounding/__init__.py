# SPDX-License-Identifier: Apache-2.0
"""Grounding: to what degree does a vague predicate hold? Oracles, cache and calibration."""

from fcp_ros.grounding.context import build_request
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest, Membership

__all__ = [
    "ArgumentContext",
    "GroundingCode",
    "GroundingError",
    "JudgementRequest",
    "Membership",
    "build_request",
]
