# SPDX-License-Identifier: Apache-2.0
"""Demands: what clauses ask for, learned from people's sentences, in domains never seen.

- `frames`: clauses with their nouns masked; the phrases of a domain as verb, markers and slots.
- `parsed_clauses`: such clauses read off dependency trees.
- `model`: ranks the meanings of a domain for a clause; `roles`: arguments in their places;
  `names`: nouns that people said for labels; `vector_cache`: vectors of phrases, kept on disk.
- `rows`, `training`, `weights_file`: ``fcp language train``; `clauses.yaml`: rows of our own;
  `demands.safetensors`: the weights (see NOTICE).
"""
