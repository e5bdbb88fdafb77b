# SPDX-License-Identifier: Apache-2.0
"""Graded task planning for robots: scene graph and vague goal in, verified graded plan out."""
