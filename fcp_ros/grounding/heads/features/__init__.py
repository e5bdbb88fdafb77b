# SPDX-License-Identifier: Apache-2.0
"""Features of pairs, which are all that a head sees, by the model of its file.

- `pair_features`: by a sentence model, from the vectors of both sides.
- `state_features`, `hidden_states`: by a causal model that is asked about the pair.
"""
