# SPDX-License-Identifier: Apache-2.0
"""The graph of a policy as a picture: qstates as boxes, with the actions that are taken there.

A row for each least number of steps from the start. The lines leave a box under the name of their
action; those to the next row go straight down, others around the boxes on the right. Goals have a
double frame, qstates without an action a broken one. The qstates that a run came through, and its
steps, are drawn stronger.

The picture is made of SVG elements with classes, so it takes the colours of a light or dark page.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean

from fcp_ros.abstraction.qnp.problem import QState, describe_state
from fcp_ros.abstraction.qnp.state_space import PolicyEdge, PolicyGraph
from fcp_ros.foundation.wording import to_printable

LETTER = 6.7  # Width of a letter, px
LINE = 15.0  # Height of a line of text, px
LETTERS = 30  # Letters of a qstate in one line
MOST_LETTERS = 40  # Letters of the name of an action; the tooltip has all of them
PADDING = 9.0  # Free space around texts in a box, px
GAP = 26.0  # Least distance of two boxes of a row, px
SLOPE = 34.0  # Height that the lines between two rows have to themselves, px
LANE = 9.0  # Distance of lines that run beside one another on the right of all boxes, px
LANES = 5  # Lines that run beside one another between two rows
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
    rows, height = _lay_out(graph)
    boxes = {box.state: box for row in rows for box in row}
    left = min((box.x - box.width / 2 for box in boxes.values()), default=0.0)
    right = max((box.x + box.width / 2 for box in boxes.values()), default=0.0)
    taken = _list_taken(graph, run, actions)
    edges = [one for one in dict.fromkeys(graph.edges) if {one.source, one.target} <= boxes.keys()]
    edges.sort(key=lambda edge: edge in taken)
    # Lines to one qstate share a lane around the boxes.
    around = dict.fromkeys(edge.target for edge in edges if _is_around(edge, boxes))
    lanes = {target: number for number, target in enumerate(around, 2)}
    drawn = [_draw_edge(edge, boxes, right, lanes, edge in taken) for edge in edges]
    drawn += [_draw_box(box, graph, box.state in run) for box in boxes.values()]
    hidden = len(graph.states) - len(boxes)
    if hidden:
        drawn.append(_draw_text("note", left, height + LINE, f"and {hidden} more qstates"))
        height += 2 * LINE
    beside = LANE * (len(lanes) + 2)
    box = (left - EDGE, right - left + beside + 2 * EDGE, height + EDGE)
    label = escape(f"Policy graph: {len(graph.states)} qstates, {len(graph.goals)} of them goals")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="policy" role="img" aria-label="{label}" '
        f'width="{box[1]:.0f}" height="{box[2]:.0f}" '
        f'viewBox="{box[0]:.1f} 0 {box[1]:.1f} {box[2]:.1f}"><style>{_STYLE}</style>'
        f"{''.join(drawn)}</svg>"
    )


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


def _lay_out(graph: PolicyGraph) -> tuple[list[list[_Box]], float]:
    """Place the boxes of each row in the order of those that lead to them; return the height."""
    following: dict[QState, list[PolicyEdge]] = {}
    leading: dict[QState, list[QState]] = {}
    for edge in dict.fromkeys(graph.edges):
        following.setdefault(edge.source, []).append(edge)
        leading.setdefault(edge.target, []).append(edge.source)
    rows = _split_rows(graph.states[:MOST_SHOWN], graph.initial, following)
    sizes = {state: _measure_box(graph, state, following) for row in rows for state in row}
    step = max((size[2] for size in sizes.values()), default=0.0) + GAP
    centres: dict[QState, float] = {}
    placed: list[list[_Box]] = []
    y = EDGE + SLOPE / 2 + 7.0  # lines around lead to the first row, too
    for number, row in enumerate(rows):
        above = {state: centres[state] for state in (rows[number - 1] if number else ())}

        def measure_place(state: QState, above: Mapping[QState, float] = above) -> float:
            return fmean([above[one] for one in leading.get(state, ()) if one in above] or [0.0])

        ordered = sorted(row, key=measure_place)
        centres.update((one, (at - (len(row) - 1) / 2) * step) for at, one in enumerate(ordered))
        height = max(sizes[state][3] for state in row)
        placed.append([])
        for one in ordered:
            lines, actions, width, _ = sizes[one]
            placed[-1].append(_Box(one, number, centres[one], y, width, height, lines, actions))
        y += height + SLOPE
    return placed, y - SLOPE


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


def _is_around(edge: PolicyEdge, boxes: Mapping[QState, _Box]) -> bool:
    """Return True if a line leads neither to the next row nor to the box itself."""
    source, target = boxes[edge.source], boxes[edge.target]
    return source is not target and target.row != source.row + 1


def _draw_edge(
    edge: PolicyEdge,
    boxes: Mapping[QState, _Box],
    right: float,
    lanes: Mapping[QState, int],
    in_run: bool,
) -> str:
    """Draw a line down to the next row, to the box itself, or around the boxes."""
    source, target = boxes[edge.source], boxes[edge.target]
    x, y = source.find_port(edge.action), source.y + source.height
    end_x, end_y, head = target.x, target.y, "l-4,-8 h8 Z"
    if source is target:
        end_x, end_y = source.x + source.width / 2, source.y + source.height / 2
        way = f"C{x:.1f},{y + 26:.1f} {end_x + 40:.1f},{end_y + 8:.1f} {end_x + 8:.1f},{end_y:.1f}"
        head = "l8,-4 v8 Z"
    elif _is_around(edge, boxes):
        lane = lanes[edge.target]
        end_x += target.width / 4
        gap = SLOPE / 2 - 2.0 * (lane % LANES)
        way = (
            f"V{y + gap:.1f} H{right + LANE * lane:.1f} V{end_y - 7 - gap:.1f} H{end_x:.1f} "
            f"V{end_y - 7:.1f}"
        )
    else:
        middle = (y + end_y - 7) / 2
        way = f"C{x:.1f},{middle:.1f} {end_x:.1f},{middle:.1f} {end_x:.1f},{end_y - 7:.1f}"
    kind = " run" if in_run else ""
    return (
        f'<path class="edge{kind}" d="M{x:.1f},{y:.1f} {way}"/>'
        f'<path class="head{kind}" d="M{end_x:.1f},{end_y:.1f} {head}"/>'
    )


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
        parts.append(_draw_text("", box.x, box.y + LINE * number + 2, line))
    y = box.y + box.height - PADDING / 2
    if word:
        parts.append(_draw_text("mark", box.x, y, word))
    for name in box.actions:
        parts.append(_draw_text("action", box.find_port(name), y, _shorten(to_printable(name))))
    return "".join([*parts, "</g>"])


def _draw_frame(kind: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="7"/>'
    )


def _draw_text(kind: str, x: float, y: float, text: str) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _tell(box: _Box, graph: PolicyGraph) -> str:
    """Tell all about a qstate, for its tooltip."""
    lines = [describe_state(graph.qnp, box.state)]
    for name in box.actions:
        effects = graph.qnp.action(name).effects.items()
        words = ", ".join(f"{change.value} {variable}" for variable, change in effects)
        lines.append(f"{name}: {words or 'changes nothing'}")
    return escape("\n".join(to_printable(line) for line in lines))
