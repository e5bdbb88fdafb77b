# SPDX-License-Identifier: Apache-2.0
"""Proposers: abstractions of training tasks, and the faults that are handed back to them.

- `faults`: a fault of an abstraction as a value, and what ends a search for one.
"""
