# SPDX-License-Identifier: Apache-2.0
"""Self-contained HTML pages: the environment of their templates, and their files."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from fcp_ros.foundation.wording import to_printable


def make_environment() -> Environment:
    """Make the environment of the templates, which escapes all but `Markup`."""
    environment = Environment(
        loader=PackageLoader("fcp_ros.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = to_printable
    return environment


def write_page(page: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name from a file may hold half a surrogate pair.
    path.write_text(page, encoding="utf-8", errors="xmlcharrefreplace")
    return path
