# SPDX-License-Identifier: Apache-2.0
"""Recipes with something missing: read, rewritten with what there is, and shown."""
