# SPDX-License-Identifier: Apache-2.0
"""Heads: degrees learned from people's judgements, on the vectors or hidden states of a model.

- `head_judge`: the oracle `head`; the choice of the head, its sides, the rubric's shift.
- `head_file`: a file of heads; `head`: its arithmetic, with `kernel` and `degree_map`.

Folder `features`: what a head sees of a pair. Folder `learning`: ``fcp grounding train``. Folder
`packaged`: heads that were trained on the judgements in config/judgements.
"""
