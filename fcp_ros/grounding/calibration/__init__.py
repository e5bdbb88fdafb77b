# SPDX-License-Identifier: Apache-2.0
"""Calibration: observed outcomes move the degrees that plans rely on.

    store -> calibrator -> pool of a predicate and model -> posterior degree of a context

- `store`: outcomes and resets in a SQLite file, for audit and undo.
- `location`: the file of a robot and world. `merging`: copies evidence from one file to another.
- `calibrator`: the calibrated degree of a judgement; keeps the evidence summed up in memory.
- `pool`: the fit to all outcomes of a predicate that relied on one model.
- `pooled_map`: the recalibration of a model's degrees in that fit.
- `neighbourhood`: the influence of similar contexts in that fit.
- `posterior`: the beta-binomial degree of one context, and the forgetting of old outcomes.
- `regression`: Platt scaling, isotonic regression and grouped sums.
- `drift`: alarms when outcomes leave the degrees (CUSUM).
- `reliability`: Brier score and calibration error of past degrees.
- `summary`: all of this for people (``fcp calibration``).
"""
