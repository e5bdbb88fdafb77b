# SPDX-License-Identifier: Apache-2.0
"""Abstractions that somebody wrote as YAML: a person in a file, or a language model.

- `file_proposer`: the text of a file, proposed once.
- `model_proposer`: a language model that writes one, is told its faults, and writes it again.
- `prompt`: the questions to it, and a domain and a task in its words.
- `transcript`: what it was asked and what it answered.
"""
