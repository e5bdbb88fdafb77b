# SPDX-License-Identifier: Apache-2.0
"""Heads: degrees learned from people's judgements, on the vectors of a model.

- `head_judge`: by a trained head; `head` is its arithmetic, `head_file` its safetensors file.
- `pair_features`: the features of a pair that a head sees.
- `degree_map`: monotone maps from similarity or score to degree, moved by a rubric's examples.
- `training`: trains the heads (``fcp grounding train``) and measures them on the held-out part.

Folder `packaged`: heads that were trained on the judgements in config/judgements.
"""
