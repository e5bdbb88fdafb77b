# SPDX-License-Identifier: Apache-2.0
"""Grounding: the degree to which a vague predicate holds. Oracles, cache and calibration.

`grounder` is the front door: requests in, memberships out, outcomes recorded. `registry` makes
the oracles of a domain by name.

- `protocol`: requests, memberships, options, errors, the interface of an oracle.
- `asking`: which oracle answers, the cache, fallbacks.
- The oracles: `stated` (tables and rules), `embedding_oracle` (default), `language_model` (a
  folder), `endpoint` (a server); `models` holds what the last three share about models on disk.
- `generation`: texts from language models for the layers above, such as goals in a grammar.
- `calibration`: observed outcomes, and how they move degrees.

A request passes from the cache to an oracle in one batch a predicate; calibration is applied last,
each time, so that a new outcome counts from the next judgement on. Torch and transformers
are imported at the first question, httpx2 when an endpoint oracle is made.
"""

from fcp_ros.foundation.deferred_imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.grounding.asking.judgement_cache import CacheStatistics, JudgementCache
    from fcp_ros.grounding.calibration.calibrator import CalibrationResult, Calibrator, Question
    from fcp_ros.grounding.calibration.drift import Direction, Drift
    from fcp_ros.grounding.calibration.reliability import Reliability
    from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence, OutcomeNumber, Reset
    from fcp_ros.grounding.grounder import Grounder, OracleInfo, make_grounder
    from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
    from fcp_ros.grounding.protocol.judgement import (
        ArgumentContext,
        JudgementRequest,
        Membership,
        build_request,
    )
    from fcp_ros.grounding.protocol.options import (
        CalibrationOptions,
        Device,
        EndpointOptions,
        Estimate,
        EvidenceOrigin,
        EvidenceWorld,
        GroundingOptions,
        LanguageModelOptions,
        Precision,
        ScoringMode,
    )
    from fcp_ros.grounding.protocol.oracle import MembershipOracle
    from fcp_ros.grounding.registry import ORACLES

__all__ = [
    "ORACLES",
    "ArgumentContext",
    "CacheStatistics",
    "CalibrationResult",
    "CalibrationOptions",
    "CalibrationStore",
    "Calibrator",
    "Device",
    "Direction",
    "Drift",
    "EndpointOptions",
    "Estimate",
    "Evidence",
    "EvidenceOrigin",
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
    "OutcomeNumber",
    "Question",
    "Reliability",
    "Precision",
    "Reset",
    "ScoringMode",
    "EvidenceWorld",
    "build_request",
    "make_grounder",
]
