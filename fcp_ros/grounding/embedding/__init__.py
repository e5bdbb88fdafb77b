# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from sentence embeddings.

- `oracle`: the three ways to judge, chosen by the predicate's form.
- `head_judge`: by a trained head; `head` is its arithmetic, `head_file` its safetensors file.
- `pair_features`: the features of a pair that a head sees.
- `phrasing`: similarity of a pair without a head.
- `degree_map`: monotone maps from similarity or score to degree, moved by a rubric's examples.
- `training`: trains the heads (``fcp grounding train``) and measures them on the held-out part.
"""
