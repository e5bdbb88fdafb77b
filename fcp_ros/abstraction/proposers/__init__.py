# SPDX-License-Identifier: Apache-2.0
"""Proposers: abstractions of training tasks, and the faults that are handed back to them.

- `faults`: a fault of an abstraction as a value, with the state in words, and what ends a search.
- `proposer`: the interface of proposers.
- `written`: abstractions written by a person or a language model.
- `separation`, `symbolic`: abstractions learned from sampled transitions.
"""
