# SPDX-License-Identifier: Apache-2.0
"""Scenes: reading, relations, changes."""
