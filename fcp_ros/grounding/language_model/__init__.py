# SPDX-License-Identifier: Apache-2.0
"""The oracle of a causal language model on this machine; nothing is generated.

A batch of requests becomes prompts, prompts become tokens, packed forward passes give the
probability of every way to write a score from 0 to 100.

- `oracle`: from requests to memberships.
- `rubric_prompt`: the question in words (shared with the endpoint oracle), and as tokens.
- `causal_model`: the model in memory, and all ways in which its tokens write a score.
- `packed_forward`: runs a packed pass with a tree mask after a cached prefix.
"""
