# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the small flat of the household domain."""

from household_flat import flat, household

__all__ = ["flat", "household"]
