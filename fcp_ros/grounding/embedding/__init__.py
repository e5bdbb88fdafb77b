# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from sentence embeddings.

Judging:

- `oracle`: the three ways to judge, chosen by the predicate's form.
- `head_judge`: by a trained head; `head` is its arithmetic, `head_file` its safetensors file.
- `pair_features`: the features of a pair that a head sees.
- `phrasing`: similarity of a pair without a head.
- `degree_map`: monotone maps from similarity or score to degree, moved by a rubric's examples.
- `words`: the spelling in which requests, rubrics and judgements are compared.

Training (``fcp grounding train``):

- `judgement_set`: graded judgements in CSV files, split into training and held-out parts.
- `training`: trains the heads and measures them on the held-out part.
"""
