# SPDX-License-Identifier: Apache-2.0
"""How hard tests with random trials try, by the profile that --hypothesis-profile chooses."""

from __future__ import annotations

from hypothesis import settings

SHARES = {"ci": 0.5, "new": 1.0, "nightly": 4.0}
"""The share of the trials that a test states, by profile; see test/conftest.py."""


def scaled(trials: int) -> int:
    """Return this many random trials for a test that states `trials`: at least one."""
    return max(1, round(trials * SHARES[settings.get_current_profile_name()]))
