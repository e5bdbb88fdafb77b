# SPDX-License-Identifier: Apache-2.0
"""Grounding: the degree to which a vague predicate holds. Oracles, cache and calibration.

`grounder` is the front door: requests in, memberships out, outcomes recorded. It makes the oracles
of a domain by name. Lowest first:

- `judgement`, `options`, `membership_oracle`: the question and its answer, errors; settings,
  checked on construction; the interface of every oracle, and a predicate's version for cache keys.
- `judgement_set`: what people judged, from which heads are trained; `judged_pairs` looks it up.
- `calibration`: observed outcomes, and how they move degrees.
- `models`: models on disk and on a device, fetched by name.
- `request_reading`: the words that a model is asked about: names of assets, plurals, other
  spellings; `label_cutting` cuts off what is no part of a short noun phrase, by `known_words`.
- The oracles: `stated` (tables and rules), `embedding_oracle` (default) with `heads`,
  `language_model` (a folder), `endpoint_oracle` (a server: `model_server` is HTTP with bounds,
  `chat_completion` its checked answers).
- `tuning`: encoders that read both sides of a pair together; `confirming` asks one again about what
  a plan or an answer rests on.
- `generation`: texts that the layers above ask language models for; `generators` write them.
- `router`: which oracles of a predicate answer, combined, with fallbacks; `cached_oracle`: one of
  them behind the `judgement_cache` (memory and a SQLite file), left alone for a while if it's down.

A request passes from the cache to an oracle in one batch a predicate; calibration is applied last,
each time, so that a new outcome counts from the next judgement on. Torch and transformers
are imported at the first question, httpx2 when an endpoint oracle is made.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.grounding.calibration.calibrator import Calibrator, Question
    from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence, OutcomeNumber
    from fcp_ros.grounding.grounder import ORACLES, Grounder, make_grounder
    from fcp_ros.grounding.judgement import (
        ArgumentContext,
        GroundingCode,
        GroundingError,
        JudgementRequest,
        Membership,
        build_request,
    )
    from fcp_ros.grounding.judgement_cache import JudgementCache
    from fcp_ros.grounding.options import (
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

__all__ = [
    "ORACLES",
    "ArgumentContext",
    "CalibrationOptions",
    "CalibrationStore",
    "Calibrator",
    "Device",
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
    "OutcomeNumber",
    "Question",
    "Precision",
    "ScoringMode",
    "EvidenceWorld",
    "build_request",
    "make_grounder",
]
