# SPDX-License-Identifier: Apache-2.0
"""Judgements of people: graded pairs, and the words that they are compared by.

- `judgement_set`: graded judgements in CSV files, split into training and held-out parts.
- `words`: the spelling in which requests, rubrics and judgements are compared.
- `agreement`: how well degrees agree with judgements.
"""
