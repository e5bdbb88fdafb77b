# SPDX-License-Identifier: Apache-2.0
"""Libraries that take seconds to import, for modules of tests that each process collects."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class Later:
    """A library that is imported when a test first uses it; without it the module is skipped."""

    def __init__(self, name: str) -> None:
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed", allow_module_level=True)
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # Pytest looks for names of its own in whatever a module holds.
        if attribute.startswith("_") or attribute == "pytestmark":
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
