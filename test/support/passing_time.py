# SPDX-License-Identifier: Apache-2.0
"""Time that passes in no time: what takes long need not be waited for."""

from __future__ import annotations

import time

import pytest


def let_time_pass(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the monotonic clock of this process on by some seconds, until the test ends."""
    before = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: before() + seconds)
