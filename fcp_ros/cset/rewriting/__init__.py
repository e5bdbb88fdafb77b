# SPDX-License-Identifier: Apache-2.0
"""Rewriting: rules, application conditions, what makes a match legal, and the rewrites."""
