# SPDX-License-Identifier: Apache-2.0
"""What a process does that does not do what it is asked for, to be imported by that process."""

from __future__ import annotations

import time


def wait_for_ever(*_asked: object) -> None:
    while True:
        time.sleep(1)


def fail(*_asked: object) -> None:
    raise SystemExit(3)
