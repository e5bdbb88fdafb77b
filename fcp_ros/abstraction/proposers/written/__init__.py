# SPDX-License-Identifier: Apache-2.0
"""Abstractions that somebody wrote as YAML: a person in a file, or a language model.

- `abstraction_text`: such a text, read; that of a file is proposed once.
- `model_proposer`: a language model that writes one, is told its faults, and writes it again.
"""
