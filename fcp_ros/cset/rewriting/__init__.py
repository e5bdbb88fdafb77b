# SPDX-License-Identifier: Apache-2.0
"""Rewriting: rules, what makes a match legal, and the rewrites."""
