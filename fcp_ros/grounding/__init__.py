# SPDX-License-Identifier: Apache-2.0
"""Grounding: to what degree does a vague predicate hold? Oracles, cache and calibration."""

from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence, Reset
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
    "CalibrationOptions",
    "CalibrationStore",
    "Device",
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
    "Precision",
    "Reset",
    "ScoringMode",
    "build_request",
    "make_grounder",
]
