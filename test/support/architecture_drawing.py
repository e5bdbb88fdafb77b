# SPDX-License-Identifier: Apache-2.0
"""The picture and the table of folders in docs/architecture.md, made from the package itself.

``python test/support/architecture_drawing.py`` writes both again; a test compares them. Layers and
their order come from `layer_tables`, arrows from the imports, roles from docstrings, and the
numbers from the lists of the page.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from html import escape

from layer_tables import BESIDE, FOLDERS, LAYERS, ROS_ALLOWED_IN
from package_source import REPOSITORY, Module, read_modules

PAGE = REPOSITORY / "docs" / "architecture.md"
PICTURE = REPOSITORY / "docs" / "architecture.svg"
BEGIN, END = "<!-- folders -->\n", "<!-- /folders -->"

COLUMNS = {
    "cli": (0, 12), "demo": (0, 9), "client": (0, 6),
    "report": (6, 11), "nodes": (0, 10),
    "relaxation": (0, 3), "recipes": (3, 5), "alignment": (5, 7), "execution": (7, 11),
    "physics": (7, 10),
    "abstraction": (9, 12),
    "planning": (3, 12), "language": (0, 3),
    "grounding": (0, 12),
    "binding": (0, 12), "domain": (0, 7), "scene": (7, 12), "fuzzy": (0, 3), "cset": (3, 7),
    "foundation": (0, 12),
}  # fmt: skip
"""First and last column of each layer's box. Its row follows from the imports.

A box has to leave free the way of arrows between the rows above and below it.
"""

# Lengths in pixels.
WIDTH, MARGIN, GUTTER, ROW_GAP = 1000, 16, 16, 26
PADDING, LINE, CHIP_HEIGHT, CHIP_GAP = 10, 15, 19, 5
CHARACTER = 6.3
"""Mean width of a character of the small text."""

WAYS = {"goal": "#2b6cb0", "degree": "#c05621", "scene": "#2f855a"}
ROS_FILL, FILL, CHIP_FILL, EDGE, INK, MUTED = (
    "#e3edf9", "#f5f6f8", "#ffffff", "#8a99a8", "#1f2933", "#52606d",
)  # fmt: skip

Arrow = tuple[str, str]


@dataclass(frozen=True)
class Box:
    """A layer's box; lengths in pixels, y downwards."""

    left: float
    right: float
    top: float
    bottom: float


# --- the package


def find_arrows(modules: dict[str, Module], layers: list[str]) -> list[Arrow]:
    """Find the imports among layers, without those that follow from others."""
    imported: dict[str, set[str]] = {layer: set() for layer in layers}
    for module in modules.values():
        own = module.name.split(".")[1:2]
        targets = {name.split(".")[1] for name in module.imports if name.startswith("fcp_ros.")}
        if own and own[0] in imported:
            imported[own[0]] |= targets & imported.keys() - set(own)

    def find_reachable(layer: str) -> set[str]:
        return set().union(*({one} | find_reachable(one) for one in imported[layer]))

    return [
        (one, other)
        for one in layers
        for other in sorted(imported[one])
        if not any(other in find_reachable(middle) for middle in imported[one])
    ]


def find_rows(layers: list[str], arrows: list[Arrow]) -> dict[str, int]:
    """Find the row of each layer, from 0 at the bottom: just below the lowest that imports it."""
    depth: dict[str, int] = {}
    for layer in layers:  # those that import a layer come before it
        depth[layer] = max((depth[one] + 1 for one, other in arrows if other == layer), default=0)
    return {layer: max(depth.values()) - depth[layer] for layer in layers}


def get_role(module: Module) -> str:
    """Return the first line of a module's docstring, without its full stop."""
    lines = (ast.get_docstring(module.tree) or "").splitlines()
    return lines[0].rstrip(".").replace("``", "`") if lines else ""


def list_steps(page: str) -> dict[str, dict[str, list[int]]]:
    """List the numbers of the steps that each way takes in each layer."""
    steps: dict[str, dict[str, list[int]]] = {}
    for way in WAYS:
        _, _, section = page.partition(f"## The way of a {way}\n")
        items = re.split(r"^(\d+)\. ", section.partition("\n## ")[0], flags=re.MULTILINE)[1:]
        layers: dict[str, list[int]] = {}
        for number, text in zip(items[::2], items[1::2], strict=True):
            for layer in dict.fromkeys(re.findall(r"\(\.\./fcp_ros/(\w+)/", text)):
                layers.setdefault(layer, []).append(int(number))
        steps[way] = layers
    return steps


# --- the table


def render_table(modules: dict[str, Module]) -> str:
    """Return the table of folders, with the first lines of their docstrings."""
    rows = ["| folder of `fcp_ros/` | holds |", "| --- | --- |"]
    for module in modules.values():
        if module.is_folder and module.name != "fcp_ros":
            path = "/".join(module.name.split(".")[1:])
            role = get_role(module).replace("|", r"\|")
            rows.append(f"| [`{path}`](../fcp_ros/{path}/__init__.py) | {role} |")
    return "\n".join(rows) + "\n"


def replace_table(page: str, modules: dict[str, Module]) -> str:
    """Return the page with the table as it should be."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}{render_table(modules)}{END}{rest.partition(END)[2]}"


# --- the picture


def draw_picture(modules: dict[str, Module], page: str) -> str:
    """Draw the layers with their folders, imports, and the steps of the ways."""
    layers = [*reversed(BESIDE), *reversed(LAYERS)]
    arrows = find_arrows(modules, layers)
    rows = find_rows(layers, arrows)
    roles = {
        layer: textwrap.wrap(
            get_role(modules[f"fcp_ros.{layer}"]).replace("`", ""), _count_characters(layer)
        )
        for layer in layers
    }
    chips = {layer: _wrap_chips(layer, list_folders(layer, modules)) for layer in layers}
    boxes: dict[str, Box] = {}
    top = float(MARGIN)
    for row in range(max(rows.values()), -1, -1):
        members = [layer for layer in layers if rows[layer] == row]
        height = max(
            2 * PADDING + LINE * (1.2 + len(roles[m])) + (CHIP_HEIGHT + CHIP_GAP) * len(chips[m])
            for m in members
        )
        for layer in members:
            left, right = _find_sides(layer)
            boxes[layer] = Box(left, right, top, top + height)
        top += height + ROW_GAP
    steps = list_steps(page)
    parts = [_draw_arrow(arrow, boxes) for arrow in arrows]
    for layer, box in boxes.items():
        fill = ROS_FILL if layer in ROS_ALLOWED_IN else FILL
        numbers = {way: steps[way][layer] for way in WAYS if layer in steps[way]}
        parts.append(_draw_box(layer, box, fill, roles[layer], chips[layer], numbers))
    parts.append(_draw_legend(top))
    height = top + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}" font-family="Helvetica, Arial, sans-serif">\n'
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{EDGE}"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def list_folders(layer: str, modules: dict[str, Module]) -> list[str]:
    """List the folders of a layer, lowest first where `FOLDERS` orders them."""
    found = sorted(
        name.split(".")[2]
        for name, module in modules.items()
        if module.is_folder and name.startswith(f"fcp_ros.{layer}.") and name.count(".") == 2
    )
    order = list(FOLDERS.get(layer, found))
    return sorted(found, key=order.index)


def _find_sides(layer: str) -> tuple[float, float]:
    first, last = COLUMNS[layer]
    column = (WIDTH - 2 * MARGIN + GUTTER) / 12
    return MARGIN + first * column, MARGIN + last * column - GUTTER


def _count_characters(layer: str) -> int:
    left, right = _find_sides(layer)
    return int((right - left - 2 * PADDING) / CHARACTER)


def _measure_chip(name: str) -> float:
    return CHARACTER * len(name) + 12


def _wrap_chips(layer: str, names: list[str]) -> list[list[str]]:
    """Break the folders of a layer into lines that fit into its box."""
    left, right = _find_sides(layer)
    lines: list[list[str]] = []
    used = float("inf")
    for name in names:
        width = _measure_chip(name) + CHIP_GAP
        if used + width > right - left - 2 * PADDING:
            lines.append([])
            used = 0.0
        lines[-1].append(name)
        used += width
    return lines


def _draw_box(
    layer: str,
    box: Box,
    fill: str,
    role: list[str],
    chips: list[list[str]],
    numbers: dict[str, list[int]],
) -> str:
    x, y = box.left + PADDING, box.top + PADDING + 11
    parts = [
        f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.right - box.left:.1f}" '
        f'height="{box.bottom - box.top:.1f}" rx="6" fill="{fill}" stroke="{EDGE}"/>',
        _draw_text(x, y, layer, 14, INK, "bold"),
    ]
    for line in role:
        y += LINE
        parts.append(_draw_text(x, y, line, 11.5, MUTED))
    y += 8
    for line in chips:
        left = x
        for name in line:
            width = _measure_chip(name)
            parts.append(
                f'<rect x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{CHIP_HEIGHT}" '
                f'rx="4" fill="{CHIP_FILL}" stroke="{EDGE}" stroke-width="0.7"/>'
            )
            parts.append(_draw_text(left + width / 2, y + 13.5, name, 11, INK, anchor="middle"))
            left += width + CHIP_GAP
        y += CHIP_HEIGHT + CHIP_GAP
    right = box.right - PADDING
    for way in reversed(numbers):
        for number in reversed(numbers[way]):
            right -= 9
            parts.append(
                f'<circle cx="{right:.1f}" cy="{box.top + 17:.1f}" r="8" fill="{WAYS[way]}"/>'
            )
            parts.append(
                _draw_text(right, box.top + 20.5, str(number), 10, CHIP_FILL, "bold", "middle")
            )
            right -= 10
    return "\n".join(parts)


def _draw_arrow(arrow: Arrow, boxes: dict[str, Box]) -> str:
    """Draw an arrow straight down, past the boxes between its ends."""
    above, below = boxes[arrow[0]], boxes[arrow[1]]
    left, right = max(above.left, below.left) + 12, min(above.right, below.right) - 12
    between = [box for box in boxes.values() if above.bottom < box.top and box.bottom < below.top]
    middle = (left + right) / 2
    places = sorted(range(int(left), int(right) + 1), key=lambda x: abs(x - middle))
    for x in places:
        if not any(box.left - 8 < x < box.right + 8 for box in between):
            return (
                f'<line x1="{x}" y1="{above.bottom:.1f}" x2="{x}" y2="{below.top - 1:.1f}" '
                f'stroke="{EDGE}" stroke-width="1.6" marker-end="url(#tip)"/>'
            )
    raise ValueError(f"no free way for {' -> '.join(arrow)}: change COLUMNS")


def _draw_legend(top: float) -> str:
    x, parts = float(MARGIN), []
    for way, colour in WAYS.items():
        parts.append(f'<circle cx="{x + 8:.1f}" cy="{top:.1f}" r="8" fill="{colour}"/>')
        parts.append(_draw_text(x + 22, top + 4, f"the way of a {way}", 12, INK))
        x += 165
    parts.append(
        f'<rect x="{x:.1f}" y="{top - 8:.1f}" width="16" height="16" rx="3" fill="{ROS_FILL}" '
        f'stroke="{EDGE}"/>'
    )
    parts.append(_draw_text(x + 24, top + 4, "the only layers that import rclpy", 12, INK))
    return "\n".join(parts)


def _draw_text(
    x: float, y: float, text: str, size: float, fill: str, weight: str = "", anchor: str = ""
) -> str:
    extra = f' font-weight="{weight}"' if weight else ""
    extra += f' text-anchor="{anchor}"' if anchor else ""
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} font-size="{size}" fill="{fill}"{extra}>{escape(text)}</text>'


def render() -> tuple[str, str]:
    """Return the page and the picture as they should be."""
    modules = read_modules()
    page = PAGE.read_text(encoding="utf-8")
    return replace_table(page, modules), draw_picture(modules, page)


if __name__ == "__main__":
    new_page, picture = render()
    PAGE.write_text(new_page, encoding="utf-8")
    PICTURE.write_text(picture, encoding="utf-8")
