# SPDX-License-Identifier: Apache-2.0
"""Judgements of people: graded pairs, and the words that they are compared by.

- `judgement_set`: graded judgements in CSV files, split into training and held-out parts, and how
  well degrees agree with them.
- `known_answers`: what people judged word for word is looked up before a model is asked.
- `judged_pairs`: the judged pairs in a safetensors file, found by their words.
"""
