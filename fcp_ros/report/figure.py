# SPDX-License-Identifier: Apache-2.0
"""Matplotlib figures as inline SVG, in the colours of the page."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

# The colours that all pictures share: one for each meaning.
INK = "#1f2933"
MUTED = "#7b8794"
FAINT = "#d9dfe6"
PAPER = "#ffffff"
ROOM = "#f3f0e9"
ROOM_EDGE = "#b8b09c"
ROOM_NAME = "#857a61"
DOOR = "#dff3e3"
DOOR_NAME = "#247a38"
FURNITURE = "#d5dde5"
FURNITURE_EDGE = "#8a99a8"
ITEM = "#2b6cb0"
ROUTE = "#d9480f"
MEMBERSHIP = "#2b6cb0"
ALPHA = "#c92a2a"
GOOD = "#2f9e44"
WARN = "#e8a33d"

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",  # text is not drawn as paths: small, searchable, in the page's font
    "svg.hashsalt": "fcp_ros",  # the same picture gives the same bytes
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}

NAME = "name"
"""Group id, before a number, of a text with a light edge that keeps it readable anywhere."""

_EDGE = "paint-order:stroke;stroke:#fff;stroke-width:3.2;stroke-linejoin:round;"
_HALO = re.compile(r'(<g id="name\d+">.*?<text style=")', re.DOTALL)


def new_figure(width: float, height: float, *, arranged: bool = True) -> Figure:
    """Return an empty figure (inches); `arranged` fits the axes to it with all their texts."""
    figure = Figure(figsize=(width, height), layout="constrained" if arranged else None)
    FigureCanvasSVG(figure)
    return figure


def to_svg(figure: Figure, label: str, prefix: str) -> str:
    """Render a figure as one ``<svg>``, described for people who cannot see it.

    `prefix`, unique in the page, keeps the element ids of two pictures apart.
    """
    buffer = io.StringIO()
    with rc_context(STYLE), warnings.catch_warnings():
        # Text is not drawn as paths, so a letter missing from matplotlib's font does no harm.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    text = buffer.getvalue()
    svg = text[text.index("<svg") :]
    svg = _HALO.sub(rf"\1{_EDGE}", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf"\1#{prefix}-", svg)
    safe = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{safe}" ', 1)
