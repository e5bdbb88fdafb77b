# SPDX-License-Identifier: Apache-2.0
"""``fcp generalize`` and ``fcp policy``: general policies, found and shown.

generalize: the command that looks for a policy. training: its tasks, from files.
proposers: who proposes abstractions. rounds: what each round said, for people and as JSON.
show: ``fcp policy show``.
"""
