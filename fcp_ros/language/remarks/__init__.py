# SPDX-License-Identifier: Apache-2.0
"""Parts of an instruction that may be left out, learned from labelled ones.

- `remark_model`: what is known of a part, by its place in the tree and its words; the probability
  that it asks for nothing, by weights in a file.
- `training`: ``fcp language train-remarks``; `rows.yaml`: the labelled parts.
"""
