# SPDX-License-Identifier: Apache-2.0
"""``fcp generalize`` and ``fcp policy``: general policies, found and shown.

generalize: the command that looks for a policy: who proposes, and what each round said. training:
its tasks, from files.
show: ``fcp policy show``.
"""
