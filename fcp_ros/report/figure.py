# SPDX-License-Identifier: Apache-2.0
"""Matplotlib figures as inline SVG, drawn without a display and without global state."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from fcp_ros.report import palette

STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",  # text stays text: small, searchable, in the page's own font
    "svg.hashsalt": "fcp_ros",  # the same picture gives the same bytes
    "text.color": palette.INK,
    "axes.edgecolor": palette.FAINT,
    "axes.labelcolor": palette.MUTED,
    "xtick.color": palette.MUTED,
    "ytick.color": palette.MUTED,
}


def new_figure(width: float, height: float) -> Figure:
    """Returns an empty figure of the given size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def to_svg(figure: Figure, label: str, prefix: str) -> str:
    """Renders a figure as one ``<svg>`` element to be placed into a page.

    Args:
        figure: what to draw.
        label: description for people who can't see it.
        prefix: unique in the page; keeps the element ids of two pictures apart.
    """
    buffer = io.StringIO()
    with rc_context(STYLE), warnings.catch_warnings():
        # Text stays text: that matplotlib's own font lacks a letter does not matter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    text = buffer.getvalue()
    svg = text[text.index("<svg") :]
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf"\1#{prefix}-", svg)
    safe = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{safe}" ', 1)
