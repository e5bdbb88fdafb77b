# SPDX-License-Identifier: Apache-2.0
"""Grounding: to what degree does a vague predicate hold? Oracles, cache and calibration."""

from fcp_ros.grounding.cache import CacheStatistics, JudgementCache
from fcp_ros.grounding.calibration import CalibrationStore, Evidence, Reset
from fcp_ros.grounding.context import build_request
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.grounding.grounder import Grounder, OracleInfo, make_grounder
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest, Membership
from fcp_ros.grounding.options import Device, GroundingOptions, ScoringMode
from fcp_ros.grounding.oracle import MembershipOracle
from fcp_ros.grounding.registry import ORACLES

__all__ = [
    "ORACLES",
    "ArgumentContext",
    "CacheStatistics",
    "CalibrationStore",
    "Device",
    "Evidence",
    "Grounder",
    "GroundingCode",
    "GroundingError",
    "GroundingOptions",
    "JudgementCache",
    "JudgementRequest",
    "Membership",
    "MembershipOracle",
    "OracleInfo",
    "Reset",
    "ScoringMode",
    "build_request",
    "make_grounder",
]
