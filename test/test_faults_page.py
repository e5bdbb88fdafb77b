# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path


def test_each_test_that_the_page_names_is_there(repository: Path) -> None:
    page = (repository / "docs" / "faults.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", page)
    assert len(named) > 30
    files: dict[str, list[Path]] = {}
    for path in (repository / "test").rglob("test_*.py"):
        files.setdefault(path.name, []).append(path)
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not any(f"def {test}(" in path.read_text() for path in files.get(file, []))
    ]
    assert not missing
