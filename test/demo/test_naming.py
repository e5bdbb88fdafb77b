# SPDX-License-Identifier: Apache-2.0
"""The prologue of the demonstration."""

from __future__ import annotations

import io

from rich.console import Console

from fcp_ros.demo.run import show_names


def test_names_of_the_other_perception_are_kept_after_trials() -> None:
    console = Console(file=io.StringIO(), width=80)
    show_names(console, 80)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "ALIGNED 16 names have a meaning in the domain (16 of them tried)" in text
    for line in ("supports = on(2, 1)", "links = connected(2, 3, 1)", "shut = not is_open"):
        assert line in text
    assert "portal = door" in text
