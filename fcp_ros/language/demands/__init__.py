# SPDX-License-Identifier: Apache-2.0
"""Demands: what clauses ask for, learned from people's sentences, in domains never seen.

- `clause`: clauses with their nouns masked; `parsed_clauses`: read off dependency trees.
- `frames`: the phrases of a domain as verb, markers and slots.
- `model`: ranks the meanings of a domain for a clause; `roles`: arguments in their places;
  `names`: nouns that people said for labels.
- `rows`, `training`, `weights_file`: ``fcp language train``; `clauses.yaml`: rows of our own;
  `demands.safetensors`: the weights (see NOTICE).
"""
