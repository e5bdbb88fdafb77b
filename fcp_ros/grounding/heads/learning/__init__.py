# SPDX-License-Identifier: Apache-2.0
"""Training of heads (``fcp grounding train``); nothing here is needed to judge.

- `training`: a head for each set of judgements, measured on the held-out part beside raw cosine.
- `regression`: kernel ridge regression on supports, its settings chosen by cross-validation.
- `feature_maker`: the features of a training, by a sentence or a causal model.
- `trainer`: from the name of a model to its file.
"""
