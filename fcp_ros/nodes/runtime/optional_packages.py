# SPDX-License-Identifier: Apache-2.0
"""Interfaces of packages that not every robot has, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fcp_ros.nodes.runtime.lifecycle import ConfigureError


def find_interfaces(package: str, kind: str = "msg") -> Any:
    """Import the interfaces of a package (msg, srv, action); None if it isn't installed."""
    try:
        return import_module(f"{package}.{kind}")
    except ImportError:
        return None


def require_interfaces(package: str, kind: str, advice: str) -> Any:
    """Import the interfaces of a package. Raises ConfigureError if it isn't installed."""
    found = find_interfaces(package, kind)
    if found is None:
        raise ConfigureError(f"the package {package} is not installed here: {advice}")
    return found
