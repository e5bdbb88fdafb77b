# SPDX-License-Identifier: Apache-2.0
"""The relaxed goals that were looked at, as a picture: the goal as stated on top.

A row for each number of changes. A line leads to a goal from the one whose changes it makes, too,
with the change that it adds. The bar of a goal is filled up to the membership of its plan, within
the bound that its changes set; the mark is alpha. The goal of the answer, and those above it, are
framed.

The picture is made of SVG elements with classes, so it takes the colours of a light or dark page.
Outcomes differ by shape and word, too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning.model.result import PlanningResult, RelaxationOutcome
from fcp_ros.report.explored_goals import ExploredGoals, GoalLevel, ShownGoal, arrange_explored
from fcp_ros.report.figure import frame_drawing

WIDTH, HEIGHT = 190.0, 46.0  # Size of the box of a goal, px
GAP = 20.0  # Least distance of two boxes of a row, px
LINE = 15.0  # Height of a line of text, px
SLOPE = 40.0  # Height that the lines between two rows have to themselves, px
CAPTION = 22.0  # Height of the caption of a row, px
LEAST_COLUMNS = 3
"""Boxes for which a row has room at least, so that a caption stands beside the lines."""
LETTER = 6.6  # Width of a letter of a caption, px
LETTERS = 29  # Letters of a change in one line above its box
MOST_LINES = 3  # Lines of the changes above a box; the tooltip has all of them
MOST_TOLD = 12  # Goals that are not shown, in the tooltip of a caption
MARGIN, EDGE = 10.0, 14.0  # Free space above and below boxes, and beside them, px

_MARKS: Mapping[RelaxationOutcome, str] = {
    RelaxationOutcome.SOLVED: '<circle r="7"/><path d="M-3.2,.2 L-.8,2.8 L3.4,-2.6"/>',
    RelaxationOutcome.BELOW_ALPHA: '<path d="M-7.5,-6 L7.5,-6 L0,7 Z"/><path d="M0,-3 L0,2.5"/>',
    RelaxationOutcome.IMPOSSIBLE: (
        '<rect x="-6.5" y="-6.5" width="13" height="13"/><path d="M-3,-3 L3,3 M3,-3 L-3,3"/>'
    ),
    RelaxationOutcome.TRIVIAL: '<path d="M0,-8 L8,0 L0,8 L-8,0 Z"/><path d="M-3,0 L3,0"/>',
    RelaxationOutcome.IMPLIED: (
        '<rect x="-6.5" y="-6.5" width="13" height="13" rx="3"/><path d="M-3,-2 L3,-2 M-3,2 L3,2"/>'
    ),
    RelaxationOutcome.UNKNOWN: '<circle r="7"/><path d="M-3,0 L-2.9,0 M0,0 L.1,0 M3,0 L3.1,0"/>',
}
"""The mark of each outcome, around the origin, its outline first."""

_CLASSES: Mapping[RelaxationOutcome, str] = {
    RelaxationOutcome.SOLVED: "good",
    RelaxationOutcome.BELOW_ALPHA: "warn",
    RelaxationOutcome.IMPOSSIBLE: "bad",
    RelaxationOutcome.TRIVIAL: "dull",
    RelaxationOutcome.IMPLIED: "dull implied",
    RelaxationOutcome.UNKNOWN: "dull",
}

_STYLE = """
.lattice { --l-ink:#1f2933; --l-muted:#5b6774; --l-line:#b3bdc7; --l-faint:#e4e8ec;
 --l-paper:#ffffff; --l-good:#2b8a3e; --l-warn:#b45f06; --l-bad:#c92a2a; --l-bar:#2b6cb0;
 --l-bound:#c3d5ea; --l-chosen:#d9480f;
 font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif; fill:var(--l-ink) }
@media (prefers-color-scheme: dark) { .lattice { --l-ink:#e6eaee; --l-muted:#a3adb8;
 --l-line:#66727f; --l-faint:#37414b; --l-paper:#1d242b; --l-good:#69db7c; --l-warn:#ffc078;
 --l-bad:#ff8787; --l-bar:#74b0f4; --l-bound:#35506e; --l-chosen:#ff922b } }
.lattice .caption, .lattice .small { fill:var(--l-muted); font-size:11px }
.lattice .caption { paint-order:stroke; stroke:var(--l-paper); stroke-width:5px;
 stroke-linejoin:round }
.lattice .between { stroke:var(--l-faint); stroke-width:1; stroke-dasharray:2 3 }
.lattice .small { font-variant-numeric:tabular-nums }
.lattice .edge { fill:none; stroke:var(--l-line); stroke-width:1.3 }
.lattice .edge.chain { stroke:var(--l-chosen); stroke-width:2.6 }
.lattice .edge.closest { stroke-dasharray:7 4 }
.lattice .label { text-anchor:middle; font-size:11.5px; paint-order:stroke;
 stroke:var(--l-paper); stroke-width:5px; stroke-linejoin:round }
.lattice .chain .label { font-weight:600 }
.lattice .box { fill:var(--l-paper); stroke:var(--l-line); stroke-width:1.2 }
.lattice .implied .box { stroke-dasharray:4 3 }
.lattice .chain .box { stroke:var(--l-chosen); stroke-width:2.6; stroke-dasharray:none }
.lattice .mark > * { fill:var(--l-paper); stroke:var(--l-muted); stroke-width:1.6;
 stroke-linecap:round; stroke-linejoin:round }
.lattice .good .mark > * { stroke:var(--l-good) } .lattice .good .outcome { fill:var(--l-good) }
.lattice .warn .mark > * { stroke:var(--l-warn) } .lattice .warn .outcome { fill:var(--l-warn) }
.lattice .bad .mark > * { stroke:var(--l-bad) } .lattice .bad .outcome { fill:var(--l-bad) }
.lattice .dull .outcome { fill:var(--l-muted) }
.lattice .outcome { font-weight:600 }
.lattice .answer { fill:var(--l-chosen); font-weight:700; font-size:11px; text-anchor:end }
.lattice .whole { fill:var(--l-faint) } .lattice .bound { fill:var(--l-bound) }
.lattice .membership { fill:var(--l-bar) } .lattice .alpha { fill:var(--l-bad) }
.lattice .end { text-anchor:end }
"""


def draw_relaxation_lattice(result: PlanningResult, stated: str) -> str:
    """Draw the relaxed goals that were looked at as ``<svg>`` without ids; "" without any."""
    if not result.explored:
        return ""
    explored = arrange_explored(result)
    rows = _lay_out(explored)
    boxes = sorted((box for row in rows for box in row.boxes), key=lambda box: box.shown.in_chain)
    left = -WIDTH / 2 - EDGE
    captions = (2 * EDGE + LETTER * len(row.level.describe()) for row in rows)
    right = max(*(box.x + WIDTH / 2 + EDGE for box in boxes), *(left + one for one in captions))
    height = rows[-1].boxes[0].y + HEIGHT + MARGIN
    drawn = [_draw_edge(box, rows, explored) for box in boxes]
    drawn += [_draw_caption(row, left + EDGE, right - EDGE) for row in rows[1:]]
    drawn += [_draw_box(box, result.alpha, explored, stated) for box in boxes]
    label = f"Relaxed goals that were looked at: {_describe_levels(explored.levels)}"
    box = (left, right - left, height)
    return frame_drawing("lattice", label, _STYLE, box, "".join(drawn))


# --- places


@dataclass(frozen=True, slots=True)
class _Box:
    """A goal at its place: number of its row, x of its centre and y of its upper edge, px."""

    shown: ShownGoal
    row: int
    x: float
    y: float
    label: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A level at its place; y of its caption, px."""

    level: GoalLevel
    y: float
    boxes: tuple[_Box, ...]

    @property
    def label_top(self) -> float:
        """Upper edge of the highest label, px."""
        return min(box.y - LINE * len(box.label) for box in self.boxes) - 4.0

    def find_gap(self, x: float) -> float:
        """Find the place beside the boxes that is nearest to `x`."""
        half = (WIDTH + GAP) / 2
        places = [self.boxes[0].x - half, *(box.x + half for box in self.boxes)]
        return min(places, key=lambda place: abs(place - x))


def _lay_out(explored: ExploredGoals) -> list[_Row]:
    """Give each goal its place: as far as possible below the goal that it hangs from."""
    rows: list[_Row] = []
    centres: dict[int, float] = {}
    step = WIDTH + GAP
    widest = max(LEAST_COLUMNS, *(len(level.shown) for level in explored.levels))
    room = (widest - 1) * step
    y = MARGIN
    for number, level in enumerate(explored.levels):
        labels = [_label_goal(shown) for shown in level.shown]
        top = y
        y += (CAPTION + SLOPE if rows else 0.0) + LINE * max(map(len, labels))
        wanted = _place_children(level.shown, centres, room / 2)
        places = spread_apart(wanted, step, room)
        boxes = tuple(
            _Box(shown, number, x, y, label)
            for shown, x, label in zip(level.shown, places, labels, strict=True)
        )
        centres.update((box.shown.goal.number, box.x) for box in boxes)
        rows.append(_Row(level, top, boxes))
        y += HEIGHT + MARGIN
    return rows


def _place_children(
    row: Sequence[ShownGoal], centres: Mapping[int, float], centre: float
) -> list[float]:
    """Place the goals of a row side by side below their parents, or else below the centre."""
    step = WIDTH + GAP
    families: dict[int, int] = {}
    for shown in row:
        families[shown.parent] = families.get(shown.parent, 0) + 1
    begun: dict[int, int] = {}
    wanted = []
    for shown in row:
        place = begun.get(shown.parent, 0)
        begun[shown.parent] = place + 1
        offset = place - (families[shown.parent] - 1) / 2
        wanted.append(centres.get(shown.parent, centre) + offset * step)
    return wanted


def spread_apart(wanted: Sequence[float], step: float, room: float) -> list[float]:
    """Move ascending places until neighbours are `step` apart, with the least squared moves.

    They lie between 0 and `room`, where there is room enough for all.
    """
    # With the steps taken off, places that must not overlap are numbers that must not fall: groups
    # that would fall take their mean (pool adjacent violators).
    groups: list[tuple[float, int]] = []
    for index, place in enumerate(wanted):
        mean, size = place - index * step, 1
        while groups and groups[-1][0] > mean:
            before, count = groups.pop()
            mean = (mean * size + before * count) / (size + count)
            size += count
        groups.append((mean, size))
    last = room - (len(wanted) - 1) * step
    flat = [min(max(mean, 0.0), last) for mean, size in groups for _ in range(size)]
    return [place + index * step for index, place in enumerate(flat)]


def _label_goal(shown: ShownGoal) -> tuple[str, ...]:
    """Return the lines above a box: the changes that the goal adds."""
    if not shown.goal.changes:
        return ("the goal as stated",)
    lines: list[str] = []
    for change in shown.added:
        text = to_printable(change).replace("->", "\N{RIGHTWARDS ARROW}")
        lines += textwrap.wrap(text, LETTERS, break_on_hyphens=False) or [""]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1][: LETTERS - 2]} \u2026"]
    return tuple(lines)


# --- elements


def _draw_edge(box: _Box, rows: Sequence[_Row], explored: ExploredGoals) -> str:
    """Draw the line to a goal from the one above it; it passes rows between them in a gap."""
    above = (one for row in rows[: box.row] for one in row.boxes)
    parent = next((one for one in above if one.shown.goal.number == box.shown.parent), None)
    if parent is None:
        return ""
    kind = "edge"
    if box.shown.in_chain:
        kind += " chain" if explored.is_chosen else " chain closest"
    x, y = parent.x, parent.y + HEIGHT
    path = f"M{x:.1f},{y:.1f}"
    for number in range(parent.row + 1, box.row):
        row = rows[number]
        gap = row.find_gap(x + (box.x - x) / (box.row - number + 1))
        path += _draw_bend(x, y, gap, row.label_top)
        x, y = gap, row.boxes[0].y + HEIGHT
        path += f" L{x:.1f},{y:.1f}"
    path += _draw_bend(x, y, box.x, box.y - LINE * len(box.label) - 4.0)
    return f'<path class="{kind}" d="{path}"/>'


def _draw_bend(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f" C{x:.1f},{middle:.1f} {to_x:.1f},{middle:.1f} {to_x:.1f},{to_y:.1f}"


def _draw_caption(row: _Row, left: float, right: float) -> str:
    words = row.level.describe()
    told = [f"{'; '.join(goal.changes)}: {goal.outcome.value}" for goal in row.level.hidden]
    if len(told) > MOST_TOLD:
        told[MOST_TOLD:] = [f"and {len(told) - MOST_TOLD} more"]
    tip = f"<title>{_escape_lines([words, *told])}</title>" if told else ""
    return (
        f'<path class="between" d="M{left:.1f},{row.y:.1f} H{right:.1f}"/>'
        f'<text class="caption" x="{left:.1f}" y="{row.y + 15:.1f}">{escape(words)}{tip}</text>'
    )


def _draw_box(box: _Box, alpha: float, explored: ExploredGoals, stated: str) -> str:
    goal = box.shown.goal
    left, top = box.x - WIDTH / 2, box.y
    kind = _CLASSES[goal.outcome] + (" chain" if box.shown.in_chain else "")
    tip = _escape_lines(_tell(box, stated))
    parts = [f'<g class="goal {kind}"><title>{tip}</title>']
    for number, line in enumerate(reversed(box.label)):
        y = top - 5.0 - LINE * number
        parts.append(f'<text class="label" x="{box.x:.1f}" y="{y:.1f}">{escape(line)}</text>')
    parts.append(
        f'<rect class="box" x="{left:.1f}" y="{top:.1f}" width="{WIDTH:.0f}" '
        f'height="{HEIGHT:.0f}" rx="7"/>'
        f'<g class="mark" transform="translate({left + 16:.1f},{top + 15:.1f})">'
        f"{_MARKS[goal.outcome]}</g>"
        f'<text class="outcome" x="{left + 30:.1f}" y="{top + 19:.1f}">{goal.outcome.value}</text>'
    )
    if goal.number == explored.answer:
        word = "chosen" if explored.is_chosen else "closest"
        parts.append(f'<text class="answer" x="{left + WIDTH - 9:.1f}" y="{top + 19:.1f}">')
        parts.append(f"{word}</text>")
    parts.append(_draw_bar(left + 9.0, top + 30.0, goal.membership, goal.bound, alpha))
    plan = f"{goal.membership:.2f} " if goal.membership > 0.0 else ""
    parts.append(
        f'<text class="small end" x="{left + WIDTH - 9:.1f}" y="{top + 38:.1f}">'
        f"{plan}\N{LESS-THAN OR EQUAL TO} {goal.bound:.2f}</text></g>"
    )
    return "".join(parts)


def _draw_bar(x: float, y: float, membership: float, bound: float, alpha: float) -> str:
    length, height = 92.0, 8.0
    parts = [
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{length * value:.1f}" '
        f'height="{height:.0f}" rx="2"/>'
        for kind, value in (("whole", 1.0), ("bound", bound), ("membership", membership))
        if value > 0.0
    ]
    parts.append(
        f'<rect class="alpha" x="{x + length * alpha - 1:.1f}" y="{y - 3:.1f}" width="2" '
        f'height="{height + 6:.0f}"/>'
    )
    return "".join(parts)


def _tell(box: _Box, stated: str) -> list[str]:
    """Tell all about a goal, for its tooltip."""
    goal = box.shown.goal
    lines = list(goal.changes) or [f"as stated: {stated}"]
    plan = f"; membership of its plan {goal.membership:.2f}" if goal.membership > 0.0 else ""
    lines.append(f"{goal.outcome.value}; at most {goal.bound:.2f} by its changes{plan}")
    return [*lines, goal.reason] if goal.reason else lines


def _escape_lines(lines: Sequence[str]) -> str:
    return escape("\n".join(to_printable(line) for line in lines))


def _describe_levels(levels: Sequence[GoalLevel]) -> str:
    return "; ".join(level.describe() for level in levels)
