# SPDX-License-Identifier: Apache-2.0
"""Calibration: observed outcomes move the degrees that plans rely on.

    store -> calibrator -> pool of a model and predicate -> posterior degree of a context

- `store`: outcomes and resets in a SQLite file, for audit and undo; one for each robot and world.
- `calibrator`: the calibrated degree of a judgement; keeps the evidence summed up in memory.
- `pool`: the fit to all outcomes that relied on one model, by predicate.
- `pooled_map`: the recalibration of a model's degrees in that fit, pooled over its predicates.
- `posterior`: the beta-binomial degree of one context, and the forgetting of old outcomes.
- `drift`: alarms when outcomes leave the degrees (CUSUMs).
- `reliability`: Brier score and calibration error of past degrees.
- `summary`: all of this for people (``fcp calibration``).
"""
