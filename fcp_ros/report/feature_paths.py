# SPDX-License-Identifier: Apache-2.0
"""The features of a policy along its plan: a row for each, and the abstract actions above them.

The steps of the plan are the common axis. A boolean is a bar where it is true; a number is a line
over its values, with the values at its ends, and a gap where a distance has no way. Values are
known where an abstract action begins or ends; within one they are drawn as before it.

The picture is made of SVG elements with classes, so it takes the colours of a light or dark page.
"""

from __future__ import annotations

from html import escape

from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning.model.plan import PolicyTrace
from fcp_ros.report.svg import draw_text, frame_drawing

WIDTH = 740.0  # Width of the picture, px
NAMES = 120.0  # Width of the names of the features, px
ENDS = 34.0  # Width of the value at either end of a row, px
ROW = 36.0  # Height of a row, px; a line takes `LINE` of it
LINE = 26.0
BAND = 22.0  # Height of the abstract actions, px
LETTER = 6.6  # Width of a letter, px
MOST_LETTERS = 17
"""Letters of the name of a feature; the tooltip has all of them and its definition."""
LEAST_LETTERS = 5  # Letters of a longer name of an abstract action that are worth showing
MOST_ROWS = 24  # Features that are drawn
MOST_BANDS = 150  # Abstract actions that are drawn: more would be too narrow

_STYLE = """
.features { --f-ink:#1f2933; --f-muted:#5b6774; --f-faint:#e4e8ec; --f-blue:#2b6cb0;
 --f-band:#dbe7f3; --f-other:#eef3f8;
 font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif; fill:var(--f-ink) }
@media (prefers-color-scheme: dark) { .features { --f-ink:#e6eaee; --f-muted:#a3adb8;
 --f-faint:#37414b; --f-blue:#74b0f4; --f-band:#2b4560; --f-other:#223244 } }
.features .ground { stroke:var(--f-faint) } .features .value { fill:var(--f-muted) }
.features .from { text-anchor:end } .features .move { text-anchor:middle; font-weight:600 }
.features .band { fill:var(--f-band) } .features .band.other { fill:var(--f-other) }
.features .true { fill:var(--f-blue); opacity:.75 }
.features .area { fill:var(--f-blue); opacity:.14 }
.features .line { fill:none; stroke:var(--f-blue); stroke-width:1.8; stroke-linejoin:round }
"""


def draw_feature_paths(trace: PolicyTrace) -> str:
    """Draw the values of all features along a plan as ``<svg>`` without ids; "" without steps."""
    if not trace.moves or not trace.moves[-1].steps:
        return ""
    shown = trace.features[:MOST_ROWS]
    hidden = len(trace.features) - len(shown)
    height = BAND + 6 + ROW * (len(shown) + (hidden > 0)) + 18
    drawn = [_draw_moves(trace)]
    for place in range(len(shown)):
        drawn.append(_draw_row(trace, place, BAND + 6 + ROW * place))
    bottom = BAND + 6 + ROW * len(shown)
    if hidden:
        drawn.append(draw_text("value", 0, bottom + LINE, f"and {hidden} more features"))
        bottom += ROW
    count = trace.moves[-1].steps
    drawn.append(draw_text("value", _find_x(trace, 0), bottom + 13, "step 1"))
    if count > 1:
        drawn.append(draw_text("value from", _find_x(trace, count), bottom + 13, f"step {count}"))
    label = f"Values of {len(trace.features)} features along {count} steps"
    return frame_drawing("features", label, _STYLE, (0.0, WIDTH, height), "".join(drawn))


def _find_x(trace: PolicyTrace, steps: int) -> float:
    """Return the x at which that many steps are done."""
    left = NAMES + ENDS
    return left + (WIDTH - left - ENDS) * steps / trace.moves[-1].steps


def _draw_moves(trace: PolicyTrace) -> str:
    """Draw the abstract actions as bands; the name stands in those that are wide enough."""
    drawn, done = [draw_text("value", 0, 15, "abstract action")], 0
    if len(trace.moves) > MOST_BANDS:
        middle = (_find_x(trace, 0) + _find_x(trace, trace.moves[-1].steps)) / 2
        drawn.append(draw_text("move", middle, 15, f"{len(trace.moves):,} of them"))
        return "".join(drawn)
    for number, move in enumerate(trace.moves):
        left, right = _find_x(trace, done), _find_x(trace, move.steps)
        name = to_printable(move.action)
        steps = f"step {done + 1}" if move.steps == done + 1 else f"steps {done + 1}-{move.steps}"
        kind = "band other" if number % 2 else "band"
        drawn.append(
            f'<rect class="{kind}" x="{left:.1f}" y="0" width="{right - left:.1f}" '
            f'height="{BAND:.0f}"><title>{escape(name)}: {steps}</title></rect>'
        )
        letters = int((right - left - 4) / LETTER)
        if letters >= min(len(name), LEAST_LETTERS):
            short = name if len(name) <= letters else f"{name[: letters - 1]}\u2026"
            drawn.append(draw_text("move", (left + right) / 2, 15, short))
        done = move.steps
    return "".join(drawn)


def _draw_row(trace: PolicyTrace, place: int, top: float) -> str:
    """Draw the name of a feature, its values at both ends, and its path."""
    feature = trace.features[place]
    values = [*(move.values[place] for move in trace.moves), trace.final[place]]
    ends = [0, *(move.steps for move in trace.moves)]
    name = to_printable(feature.name)
    short = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}\u2026"
    bottom = top + (ROW + LINE) / 2
    first, last = _find_x(trace, 0), _find_x(trace, ends[-1])
    if feature.is_boolean:
        path = _draw_truth(trace, values, ends, top)
    else:
        known = [None if value == feature.no_way else value for value in values]
        path = _draw_number(trace, known, ends, bottom)
    words = [feature.write_value(value) for value in (values[0], values[-1])]
    return (
        f"<g><title>{escape(name)}: {escape(to_printable(feature.text))}</title>"
        f"{draw_text('', 0, bottom - 5, short)}"
        f"{draw_text('value from', first - 6, bottom - 5, words[0])}"
        f'<path class="ground" d="M{first:.1f},{bottom:.1f} H{last:.1f}"/>{path}'
        f"{draw_text('value', last + 6, bottom - 5, words[1])}</g>"
    )


def _draw_truth(trace: PolicyTrace, values: list[int], ends: list[int], top: float) -> str:
    drawn = []
    for place, value in enumerate(values[:-1]):
        if value:
            left, right = _find_x(trace, ends[place]), _find_x(trace, ends[place + 1])
            drawn.append(
                f'<rect class="true" x="{left:.1f}" y="{top + ROW / 2 - 5:.1f}" '
                f'width="{right - left:.1f}" height="10"/>'
            )
    return "".join(drawn)


def _draw_number(
    trace: PolicyTrace, values: list[int | None], ends: list[int], bottom: float
) -> str:
    """Draw a line and the area below it for each stretch with values."""
    most = max(1, *(value or 0 for value in values))
    drawn, path, begun = [], "", 0.0
    for place, value in enumerate(values):
        x = _find_x(trace, ends[place])
        if value is not None:
            height = bottom - LINE * value / most
            begun = begun if path else x
            path = f"{path} V{height:.1f}" if path else f"M{x:.1f},{height:.1f}"
            if place + 1 < len(values):
                path += f" H{_find_x(trace, ends[place + 1]):.1f}"
        if path and (value is None or place + 1 == len(values)):
            drawn.append(f'<path class="area" d="{path} V{bottom:.1f} H{begun:.1f} Z"/>')
            drawn.append(f'<path class="line" d="{path}"/>')
            path = ""
    return "".join(drawn)
