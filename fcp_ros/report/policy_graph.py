# SPDX-License-Identifier: Apache-2.0
"""The graph of a policy as a picture: qstates as boxes, with the actions that are taken there.

A row for each least number of steps from the start. The lines leave a box under the name of their
action; those to the next row go straight down, others run around the boxes on the right. Goals have
a double frame, qstates without an action a broken one. The qstates that a run came through, and
its steps, are drawn stronger.

The picture is made of SVG elements with classes, so it takes the colours of a light or dark page.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from fcp_ros.abstraction.qnp.problem import QState, describe_state
from fcp_ros.abstraction.qnp.state_space import PolicyEdge, PolicyGraph
from fcp_ros.foundation.wording import to_printable
from fcp_ros.report.figure import draw_text, frame_drawing
from fcp_ros.report.relaxation_lattice import spread_apart

LETTER = 6.7  # Width of a letter, px
LINE = 15.0  # Height of a line of text, px
LETTERS = 30  # Letters of a qstate in one line
MOST_LETTERS = 40  # Letters of the name of an action; the tooltip has all of them
PADDING = 9.0  # Free space around texts in a box, px
GAP = 26.0  # Least distance of two boxes of a row, px
SLOPE = 34.0  # Height that the lines between two rows have to themselves, px
LANE = 9.0  # Distance of lines that run beside one another, px
LOOP = 14.0  # Free space on the right of a box, for a line that leads back to the box itself, px
EDGE = 14.0  # Free space around the picture, px
MOST_SHOWN = 80  # Qstates that are drawn, nearest to the start first

_STYLE = """
.policy { --p-ink:#1f2933; --p-muted:#5b6774; --p-line:#8c99a6; --p-paper:#ffffff;
 --p-action:#2b6cb0; --p-good:#2b8a3e; --p-bad:#c92a2a; --p-run:#d9480f;
 font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif; fill:var(--p-ink) }
@media (prefers-color-scheme: dark) { .policy { --p-ink:#e6eaee; --p-muted:#a3adb8;
 --p-line:#76828f; --p-paper:#1d242b; --p-action:#74b0f4; --p-good:#69db7c; --p-bad:#ff8787;
 --p-run:#ff922b } }
.policy text { text-anchor:middle } .policy .note { fill:var(--p-muted); text-anchor:start }
.policy .edge { fill:none; stroke:var(--p-line); stroke-width:1.3 }
.policy .head { fill:var(--p-line) }
.policy .box { fill:var(--p-paper); stroke:var(--p-line); stroke-width:1.2 }
.policy .action { fill:var(--p-action); font-weight:600 }
.policy .mark { fill:var(--p-muted); font-weight:600 }
.policy .start .box { stroke-width:2.4 }
.policy .goal .box, .policy .goal .inner { fill:var(--p-paper); stroke:var(--p-good) }
.policy .goal .mark { fill:var(--p-good) }
.policy .open .box { stroke:var(--p-bad); stroke-dasharray:5 3 }
.policy .open .mark { fill:var(--p-bad) }
.policy .run .box, .policy .run .inner { stroke:var(--p-run); stroke-width:2.6 }
.policy .edge.run { stroke:var(--p-run); stroke-width:2.6 } .policy .head.run { fill:var(--p-run) }
"""


def draw_policy_graph(
    graph: PolicyGraph, run: Sequence[QState] = (), actions: Sequence[str] = ()
) -> str:
    """Draw what a policy may lead to as ``<svg>`` without ids; a run through it is stronger.

    `actions`: those that the run took; if they aren't given, all that lead from one of its qstates
    to the next are taken for its own.
    """
    places = _lay_out(graph)
    boxes = [box for row in places.rows for box in row.boxes]
    taken = _list_taken(graph, run, actions)
    shown = [
        edge
        for edge in dict.fromkeys(graph.edges)
        if edge.source in places.box and edge.target in places.box
    ]
    shown.sort(key=lambda edge: edge in taken)
    drawn = [_draw_edge(edge, places, edge in taken) for edge in shown]
    drawn += [_draw_box(box, graph, box.state in run) for box in boxes]
    hidden = len(graph.states) - len(boxes)
    if hidden:
        drawn.append(
            f'<text class="note" x="{places.left:.1f}" y="{places.height - 4:.1f}">'
            f"and {hidden} more qstates</text>"
        )
    label = f"Policy graph: {len(graph.states)} qstates, {len(graph.goals)} of them goals"
    left, width = places.left - EDGE, places.right - places.left + 2 * EDGE
    box = (left, width, places.height + EDGE)
    return frame_drawing("policy", label, _STYLE, box, "".join(drawn))


def _list_taken(
    graph: PolicyGraph, run: Sequence[QState], actions: Sequence[str]
) -> frozenset[PolicyEdge]:
    steps = list(itertools.pairwise(run))
    if actions:
        pairs = zip(steps, actions, strict=True)
        return frozenset(PolicyEdge(source, name, target) for (source, target), name in pairs)
    ends = frozenset(steps)
    return frozenset(edge for edge in graph.edges if (edge.source, edge.target) in ends)


# --- places


@dataclass(frozen=True, slots=True)
class _Box:
    """A qstate at its place: its row, x of the centre and y of the upper edge, px."""

    state: QState
    row: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    actions: tuple[str, ...]

    def find_port(self, action: str) -> float:
        """Return the x at which the lines of an action leave the box."""
        widths = [_measure(name) for name in self.actions]
        left = self.x - sum(widths) / 2
        for name, width in zip(self.actions, widths, strict=True):
            if name == action:
                return left + width / 2
            left += width
        return self.x


@dataclass(frozen=True, slots=True)
class _Lanes:
    """The lines around the boxes, by the qstate that they lead to."""

    beside: Mapping[QState, int]
    above: Mapping[QState, int]  # by qstate, its number among those of its row to which lines lead
    # by row, the numbers of the qstates to which lines from the row lead
    below: Sequence[Mapping[QState, int]]

    def measure_above(self, row: Sequence[QState]) -> float:
        """Return the height of the lines above a row, px."""
        return LANE * sum(state in self.above for state in row)


@dataclass(frozen=True, slots=True)
class _BoxRow:
    """The boxes of a row, and y of the space below it, px."""

    boxes: tuple[_Box, ...]
    bottom: float


@dataclass(frozen=True, slots=True)
class _Places:
    """All boxes at their places, and the lines around them."""

    rows: tuple[_BoxRow, ...]
    box: Mapping[QState, _Box]
    lanes: _Lanes
    left: float
    inner_right: float
    right: float
    height: float


def _lay_out(graph: PolicyGraph) -> _Places:
    states = graph.states[:MOST_SHOWN]
    following: dict[QState, list[PolicyEdge]] = {}
    for edge in dict.fromkeys(graph.edges):
        following.setdefault(edge.source, []).append(edge)
    rows = _split_rows(states, graph.initial, following)
    lanes = _assign_lanes(rows, graph.edges)
    placed, bottom = _place_rows(graph, rows, following, lanes)
    box = {one.state: one for row in placed for one in row.boxes}
    left = min((one.x - one.width / 2 for one in box.values()), default=0.0)
    right = max((one.x + one.width / 2 for one in box.values()), default=0.0) + LOOP
    note = LINE if len(graph.states) > len(states) else 0.0
    beside = LANE * (len(lanes.beside) + 2)
    return _Places(
        tuple(placed), box, lanes, left, right, right + beside, bottom - SLOPE / 2 + note
    )


def _assign_lanes(rows: Sequence[Sequence[QState]], edges: Sequence[PolicyEdge]) -> _Lanes:
    """Give the lines that don't lead to the next row their lanes; those to one qstate share one."""
    depth = {state: number for number, row in enumerate(rows) for state in row}
    below: list[dict[QState, int]] = [{} for _ in rows]
    beside: dict[QState, int] = {}
    above: dict[QState, int] = {}
    count = [0] * len(rows)
    for edge in edges:
        start, end = depth.get(edge.source, -1), depth.get(edge.target, -1)
        if edge.source == edge.target or min(start, end) < 0 or end == start + 1:
            continue
        below[start].setdefault(edge.target, len(below[start]))
        beside.setdefault(edge.target, len(beside))
        if edge.target not in above:
            above[edge.target] = count[end]
            count[end] += 1
    return _Lanes(beside, above, below)


def _split_rows(
    states: Sequence[QState],
    initial: Sequence[QState],
    following: Mapping[QState, Sequence[PolicyEdge]],
) -> list[list[QState]]:
    """Return the qstates by their least number of steps from the start."""
    shown, known = set(states), set(initial)
    rows = [[state for state in initial if state in shown]]
    while rows[-1]:
        row: list[QState] = []
        for state in rows[-1]:
            for edge in following.get(state, ()):
                if edge.target in shown and edge.target not in known:
                    known.add(edge.target)
                    row.append(edge.target)
        rows.append(row)
    return rows[:-1]


def _place_rows(
    graph: PolicyGraph,
    rows: Sequence[Sequence[QState]],
    following: Mapping[QState, Sequence[PolicyEdge]],
    lanes: _Lanes,
) -> tuple[list[_BoxRow], float]:
    """Give the boxes their places: as far as possible below those that lead to them."""
    sizes = {state: _measure_box(graph, state, following) for row in rows for state in row}
    widest = max((size[2] for size in sizes.values()), default=0.0) + GAP
    room = (max(map(len, rows), default=1) - 1) * widest
    centres: dict[QState, float] = {}
    placed, y = [], EDGE
    for number, row in enumerate(rows):
        wanted = dict.fromkeys(row, room / 2)
        for state in row:
            leaders = [
                centres[one]
                for one in (rows[number - 1] if number else ())
                if any(edge.target == state for edge in following.get(one, ()))
            ]
            if leaders:
                wanted[state] = sum(leaders) / len(leaders)
        ordered = sorted(row, key=lambda state: wanted[state])
        where = _spread_evenly([wanted[state] for state in ordered], widest, room)
        centres.update(zip(ordered, where, strict=True))
        height = max(sizes[state][3] for state in row)
        y += lanes.measure_above(row)
        boxes = tuple(
            _Box(one, number, centres[one], y, *sizes[one][2:], *sizes[one][:2]) for one in ordered
        )
        placed.append(_BoxRow(boxes, y + height))
        y += height + SLOPE + LANE * len(lanes.below[number])
    return placed, y


def _spread_evenly(wanted: Sequence[float], step: float, room: float) -> list[float]:
    """Move places apart; equal ones share the space on both sides."""
    centred = [place + (index - (len(wanted) - 1) / 2) * 1e-6 for index, place in enumerate(wanted)]
    return spread_apart(centred, step, room)


def _measure_box(
    graph: PolicyGraph, state: QState, following: Mapping[QState, Sequence[PolicyEdge]]
) -> tuple[tuple[str, ...], tuple[str, ...], float, float]:
    """Return the lines and actions of a box, its width and its height."""
    text = to_printable(describe_state(graph.qnp, state))
    lines = tuple(textwrap.wrap(text, LETTERS, break_on_hyphens=False))
    actions = tuple(dict.fromkeys(edge.action for edge in following.get(state, ())))
    width = max(
        *(_measure(line) for line in lines), sum(_measure(name) for name in actions) or 60.0
    )
    return lines, actions, width, LINE * (len(lines) + 1) + 1.5 * PADDING


def _measure(text: str) -> float:
    """Return the width of a text with some space on both sides, px."""
    return LETTER * len(_shorten(text)) + 2 * PADDING


def _shorten(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}\u2026"


# --- elements


def _draw_edge(edge: PolicyEdge, places: _Places, in_run: bool) -> str:
    """Draw a line down to the next row, to the box itself, or around the boxes."""
    source, target = places.box[edge.source], places.box[edge.target]
    x, y = source.find_port(edge.action), source.y + source.height
    if edge.source == edge.target:
        side = source.x + source.width / 2
        half = source.y + source.height / 2
        path = (
            f"M{x:.1f},{y:.1f} C{x:.1f},{y + 26:.1f} {side + 40:.1f},{half + 8:.1f} "
            f"{side + 8:.1f},{half:.1f}"
        )
        head = f"M{side:.1f},{half:.1f} l8,-4 v8 Z"
    elif target.row == source.row + 1:
        end = target.y - 7
        middle = (y + end) / 2
        path = (
            f"M{x:.1f},{y:.1f} C{x:.1f},{middle:.1f} {target.x:.1f},{middle:.1f} "
            f"{target.x:.1f},{end:.1f}"
        )
        head = f"M{target.x:.1f},{target.y:.1f} l-4,-8 h8 Z"
    else:
        lanes, row = places.lanes, places.rows[source.row]
        beside = places.inner_right + LANE * (lanes.beside[edge.target] + 1)
        below = row.bottom + LANE * (lanes.below[source.row][edge.target] + 1)
        above = target.y - 9 - LANE * (lanes.above[edge.target] + 0.5)
        enter = target.x + min(target.width / 4, 30.0)
        path = (
            f"M{x:.1f},{y:.1f} V{below:.1f} H{beside:.1f} V{above:.1f} H{enter:.1f} "
            f"V{target.y - 7:.1f}"
        )
        head = f"M{enter:.1f},{target.y:.1f} l-4,-8 h8 Z"
    kind = " run" if in_run else ""
    return f'<path class="edge{kind}" d="{path}"/><path class="head{kind}" d="{head}"/>'


def _draw_box(box: _Box, graph: PolicyGraph, in_run: bool) -> str:
    kinds, word = ["state"], ""
    if box.state in graph.goals:
        kinds, word = [*kinds, "goal"], "goal"
    elif not box.actions:
        kinds, word = [*kinds, "open"], "no action"
    if box.state in graph.initial:
        kinds.append("start")
    if in_run:
        kinds.append("run")
    left = box.x - box.width / 2
    parts = [
        f'<g class="{" ".join(kinds)}"><title>{_tell(box, graph)}</title>',
        _draw_frame("box", left, box.y, box.width, box.height),
    ]
    if word == "goal":
        parts.append(_draw_frame("inner", left + 3, box.y + 3, box.width - 6, box.height - 6))
    for number, line in enumerate(box.lines, 1):
        parts.append(draw_text("", box.x, box.y + LINE * number + 2, line))
    y = box.y + LINE * (len(box.lines) + 1) + 6
    if word:
        parts.append(draw_text("mark", box.x, y, word))
    for name in box.actions:
        parts.append(draw_text("action", box.find_port(name), y, _shorten(to_printable(name))))
    return "".join([*parts, "</g>"])


def _draw_frame(kind: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="7"/>'
    )


def _tell(box: _Box, graph: PolicyGraph) -> str:
    """Tell all about a qstate, for its tooltip."""
    lines = [describe_state(graph.qnp, box.state)]
    for name in box.actions:
        effects = graph.qnp.action(name).effects.items()
        words = ", ".join(f"{change.value} {variable}" for variable, change in effects)
        lines.append(f"{name}: {words or 'changes nothing'}")
    return escape("\n".join(to_printable(line) for line in lines))
