# SPDX-License-Identifier: Apache-2.0
"""The report as one self-contained HTML page without scripts, fonts or network access."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.report.demo_report import DemoReport, Episode, StepOutcome
from fcp_ros.report.drawing import figure
from fcp_ros.report.drawing.floor_plan import draw_floor_plan
from fcp_ros.report.drawing.relaxation_lattice import draw_relaxation_lattice
from fcp_ros.report.drawing.timeline import draw_timeline
from fcp_ros.report.explored_goals import remove_reasons
from fcp_ros.report.plan_page import PolicyPath, draw_policy_path, make_plan_environment

_OUTCOMES = {OutcomeCode.SUCCEEDED: figure.GOOD, OutcomeCode.CANCELLED: figure.MUTED}


@dataclass(frozen=True)
class EpisodeView:
    """An episode with its pictures, for the template; the message is without reasons of changes."""

    episode: Episode
    floor_plan: Markup
    timeline: Markup
    lattice: Markup
    message: str
    path: PolicyPath | None
    executed: dict[str, StepOutcome]


def render_page(report: DemoReport) -> str:
    """Return the report as a complete HTML document."""
    environment = make_plan_environment()
    environment.globals["outcome_colour"] = choose_outcome_colour
    views = [_draw_episode(episode) for episode in report.episodes]
    return environment.get_template("report.html.j2").render(report=report, views=views)


def choose_outcome_colour(outcome: OutcomeCode | None) -> str:
    """Choose the colour of a step by its outcome; neutral if it was only planned."""
    if outcome is None:
        return figure.FURNITURE_EDGE
    return _OUTCOMES.get(outcome, figure.ALPHA)


def _state_goal(episode: Episode) -> str:
    understood = episode.understood
    return episode.goal if understood is None else f'"{understood.instruction}": {episode.goal}'


def _draw_episode(episode: Episode) -> EpisodeView:
    result = episode.result
    plan = result.plan
    steps = plan.steps if plan is not None else ()
    chosen = [element for _, element in plan.binding] if plan is not None else []
    return EpisodeView(
        episode=episode,
        # These are SVG that this package drew itself; everything else in the page is escaped.
        floor_plan=Markup(draw_floor_plan(episode.scene, steps, f"plan{episode.number}", chosen)),
        timeline=Markup(
            "" if plan is None else draw_timeline(plan, f"time{episode.number}", result.traces)
        ),
        lattice=Markup(draw_relaxation_lattice(result, _state_goal(episode))),
        message=remove_reasons(result),
        path=draw_policy_path(result, episode.policy),
        executed={str(outcome.index): outcome for outcome in episode.outcomes},
    )
