# SPDX-License-Identifier: Apache-2.0
"""The small flat of the household domain, and steps in it."""

from household_flat import fetch, flat, household, step

__all__ = ["fetch", "flat", "household", "step"]
