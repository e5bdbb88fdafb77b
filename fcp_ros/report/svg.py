# SPDX-License-Identifier: Apache-2.0
"""Pictures made of SVG elements with classes, which take the colours of a light or dark page."""

from __future__ import annotations

from html import escape


def frame_drawing(
    kind: str, label: str, style: str, box: tuple[float, float, float], drawn: str
) -> str:
    """Frame SVG elements of our own as one ``<svg>``; `box`: left edge, width and height, px."""
    left, width, height = box
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" '
        f'aria-label="{escape(label)}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.1f} 0 {width:.1f} {height:.1f}"><style>{style}</style>{drawn}</svg>'
    )


def draw_text(kind: str, x: float, y: float, text: str) -> str:
    """Draw a text of a class of its picture ("" for none), its characters made harmless."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
