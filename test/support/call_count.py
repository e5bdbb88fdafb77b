# SPDX-License-Identifier: Apache-2.0
"""Effort as a number of calls: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def find_longest_gap(act: Callable[[], object], *checks: Callable[..., object]) -> int:
    """Find the most calls between two calls of one of some functions, as `count_calls` does."""
    codes = {check.__code__ for check in checks}
    calls = longest = 0

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls, longest
        if event == "call" and frame.f_code in codes:
            longest, calls = max(longest, calls), 0
        else:
            calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return max(longest, calls)


def count_calls(act: Callable[[], object]) -> int:
    """Count the calls of functions and the turns of generators, in Python and in C."""
    calls = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls
