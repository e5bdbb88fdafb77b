# SPDX-License-Identifier: Apache-2.0
"""Proposers: abstractions of training tasks, and the faults that are handed back to them.

- `faults`: a fault of an abstraction as a value, and what ends a search for one.
- `proposer`: the interface of proposers.
- `written`: abstractions written by a person or a language model.
- `separation`, `symbolic`: abstractions learned from sampled transitions.
- `state_words`: states and facts in words.
"""
