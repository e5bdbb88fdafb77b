# SPDX-License-Identifier: Apache-2.0
"""Instances and their morphisms: immutable C-sets that share what did not change."""
