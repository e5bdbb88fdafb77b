# SPDX-License-Identifier: Apache-2.0
"""Grounding: to what degree does a vague predicate hold? Oracles, cache and calibration."""

from fcp_ros.grounding.calibration.calibrator import Calibrated, Calibrator, Question
from fcp_ros.grounding.calibration.drift import Direction, Drift
from fcp_ros.grounding.calibration.evidence import Evidence, Reset
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.grounder import Grounder, OracleInfo, make_grounder
from fcp_ros.grounding.protocol.context import build_request
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import (
    CalibrationOptions,
    Device,
    EndpointOptions,
    GroundingOptions,
    LanguageModelOptions,
    Precision,
    ScoringMode,
)
from fcp_ros.grounding.protocol.oracle import MembershipOracle
from fcp_ros.grounding.registry import ORACLES
from fcp_ros.grounding.stores.judgement_cache import CacheStatistics, JudgementCache

__all__ = [
    "ORACLES",
    "ArgumentContext",
    "CacheStatistics",
    "Calibrated",
    "CalibrationOptions",
    "CalibrationStore",
    "Calibrator",
    "Device",
    "Direction",
    "Drift",
    "EndpointOptions",
    "Evidence",
    "Grounder",
    "GroundingCode",
    "GroundingError",
    "GroundingOptions",
    "JudgementCache",
    "JudgementRequest",
    "LanguageModelOptions",
    "Membership",
    "MembershipOracle",
    "OracleInfo",
    "Question",
    "Reliability",
    "Precision",
    "Reset",
    "ScoringMode",
    "build_request",
    "make_grounder",
]
