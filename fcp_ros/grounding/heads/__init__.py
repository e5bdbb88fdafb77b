# SPDX-License-Identifier: Apache-2.0
"""Heads: degrees learned from people's judgements, on the vectors or hidden states of a model.

- `head_judge`: the oracle `head`; the choice of the head, its sides, the rubric's shift.
- `head_file`: a file of heads; `head`: a head's arithmetic, and its map from scores to degrees.
- What a head sees of a pair: `pair_features` by a sentence model, from the vectors of both sides;
  `state_features`, `hidden_states` by a causal model that is asked about the pair.
- ``fcp grounding train``, of which nothing is needed to judge: `head_training` trains a head for
  each set of judgements, measured on the held-out part beside raw cosine; `ridge_regression` does
  it on supports, with settings chosen by cross-validation; `feature_maker` makes the features.

Folder `packaged`: heads that were trained on the judgements in config/judgements.
"""
