# SPDX-License-Identifier: Apache-2.0
"""Features of pairs, which are all that a head sees, by the model of its file.

- `encoders`: the encoder of a model's name.
- `pair_features`, `word_table`: by a sentence model, from the vectors of both sides.
- `state_features`, `hidden_states`, `questions`: by a causal model that is asked about the pair.
"""
