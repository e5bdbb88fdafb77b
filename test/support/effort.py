# SPDX-License-Identifier: Apache-2.0
"""How hard tests with random trials try, by the profile that --hypothesis-profile chooses."""

from __future__ import annotations

from hypothesis import settings

SHARES = {"ci": 0.125, "new": 1.0, "nightly": 4.0}
"""The share of the trials that a test states, by profile; see test/conftest.py."""


FEWEST = 5
"""Tests that state more trials than this have at least this many in each profile."""


def scaled(trials: int, quick: int | None = None) -> int:
    """Return the number of random trials for a test that states `trials`.

    `quick`: how many in the profile ``ci``, where its share is more than the same ones in every run
    are worth.
    """
    if quick is not None and not is_thorough():
        return quick
    share = SHARES[settings.get_current_profile_name()]
    return max(min(trials, FEWEST), round(trials * share))


def is_thorough() -> bool:
    """Return True if tests marked ``thorough`` are run, too: in all profiles but ``ci``."""
    return SHARES[settings.get_current_profile_name()] >= 1.0
