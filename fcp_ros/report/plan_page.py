# SPDX-License-Identifier: Apache-2.0
"""The page of a planning request, with the features of a policy along its plan.

The steps of the plan are the common axis. A boolean is a bar where it is true; a number is a line
over its values, with the values at its ends, and a gap where a distance has no way. Values are
known where an abstract action begins or ends; within one they are drawn as before it.

The picture is made of SVG elements with classes, so it takes the colours of a light or dark page.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePath

from jinja2 import Environment
from markupsafe import Markup

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.qnp.state_space import build_policy_graph
from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning import PlanningResult
from fcp_ros.planning.model.plan import PolicyTrace
from fcp_ros.report.console import StepGroup, describe_origin, group_steps
from fcp_ros.report.explored_goals import count_outcomes, remove_reasons
from fcp_ros.report.figure import draw_text, frame_drawing
from fcp_ros.report.pages import make_environment, write_page
from fcp_ros.report.policy_graph import draw_policy_graph
from fcp_ros.report.relaxation_lattice import draw_relaxation_lattice
from fcp_ros.report.timeline import draw_timeline

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


LONGEST_TIMELINE = 60  # Steps of a plan with a timeline, which has a row for each
LONGEST_GOAL = 600  # Letters of a goal that are shown


@dataclass(frozen=True)
class PolicyPath:
    """The policy that made a plan, as a page shows it."""

    name: str
    trace: PolicyTrace
    features: Markup  # the picture of the values along the plan
    graph: Markup  # the picture of the policy with the path of the run; empty without the policy
    groups: dict[int, StepGroup]  # by the number of steps that come before them


@dataclass(frozen=True)
class PlanRequest:
    """The request that a page answers."""

    domain: str
    scene: str  # name or file of the scene or PDDL problem
    goal: str = ""  # as it was asked for; "" for the goal of a PDDL problem

    @property
    def scene_name(self) -> str:
        return PurePath(self.scene).name


def write_plan_page(
    result: PlanningResult, request: PlanRequest, policy: GeneralPolicy | None, path: Path
) -> Path:
    return write_page(render_plan_page(result, request, policy), path)


def render_plan_page(
    result: PlanningResult, request: PlanRequest, policy: GeneralPolicy | None = None
) -> str:
    """Return the page as a complete HTML document; arguments as of `write_plan_page`."""
    plan = result.plan
    is_short = plan is not None and len(plan.steps) <= LONGEST_TIMELINE
    goal = result.goal or request.goal
    return (
        make_plan_environment()
        .get_template("plan.html.j2")
        .render(
            request=request,
            result=result,
            goal=goal if len(goal) <= LONGEST_GOAL else f"{goal[:LONGEST_GOAL]}\u2026",
            message=remove_reasons(result),
            # These are SVG that this package drew itself; everything else in the page is escaped.
            timeline=Markup(
                draw_timeline(plan, "time", result.traces) if plan and is_short else ""
            ),
            lattice=Markup(draw_relaxation_lattice(result, request.goal or result.goal)),
            path=draw_policy_path(result, policy),
        )
    )


def draw_policy_path(result: PlanningResult, policy: GeneralPolicy | None) -> PolicyPath | None:
    """Draw the path of the policy, if at hand, that made a plan; None without a trace of it."""
    trace = result.policy_trace
    if trace is None or result.plan is None:
        return None
    # Both are SVG that this package drew itself.
    return PolicyPath(
        result.policy,
        trace,
        Markup(draw_feature_paths(trace)),
        Markup("" if policy is None else _draw_graph(policy, trace)),
        group_steps(trace),
    )


def make_plan_environment() -> Environment:
    environment = make_environment()
    environment.globals["describe_origin"] = describe_origin
    environment.globals["count_outcomes"] = count_outcomes
    return environment


def _draw_graph(policy: GeneralPolicy, trace: PolicyTrace) -> str:
    """Draw what the policy may lead to from the qstate in which the run began."""
    visited = [*(move.values for move in trace.moves), trace.final]
    run = [sum(1 << bit for bit, value in enumerate(values) if value) for values in visited]
    graph = build_policy_graph(policy.qnp, policy.policy, run[:1])
    return draw_policy_graph(graph, run, [move.action for move in trace.moves])
