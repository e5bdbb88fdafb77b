# SPDX-License-Identifier: Apache-2.0
"""Levels: what a language model's scores mean, measured on questions whose answer is known.

A model may put everything between 0.5 and 0.85, or be unable to tell what the rubric calls 0 from
what it calls 100. Both are found out when a predicate is first asked about.

- `known_questions`: the rubric's examples, and judgements of the set that a predicate is judged
  like, as questions.
- `level_map`: the monotone map from a model's scores to degrees, used only where it helps.
- `oracle`: asks another oracle the known questions once, refuses or maps its answers.
"""
