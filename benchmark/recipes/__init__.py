# SPDX-License-Identifier: Apache-2.0
"""Recipes with something missing: `python -m benchmark.recipes` (docs/recipes.md)."""
