# SPDX-License-Identifier: Apache-2.0
"""Forward search in Python, one alternative of the goal at a time."""
