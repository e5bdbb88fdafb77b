# SPDX-License-Identifier: Apache-2.0
"""A report as one self-contained HTML page: no scripts, no fonts, nothing fetched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fcp_ros.report.floor_plan import draw_floor_plan
from fcp_ros.report.model import Episode, Report, StepOutcome
from fcp_ros.report.palette import outcome_colour
from fcp_ros.report.provenance import provenance
from fcp_ros.report.timeline import draw_timeline


@dataclass(frozen=True)
class EpisodeView:
    """An episode with its pictures, as the template takes it."""

    episode: Episode
    floor_plan: Markup
    timeline: Markup
    executed: dict[str, StepOutcome]


def render_page(report: Report) -> str:
    """Returns the report as a complete HTML document."""
    environment = Environment(
        loader=PackageLoader("fcp_ros.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["outcome_colour"] = outcome_colour
    environment.globals["provenance"] = provenance
    views = [_view(episode) for episode in report.episodes]
    return environment.get_template("report.html.j2").render(report=report, views=views)


def write_page(report: Report, path: Path) -> Path:
    """Writes the page, creating its folder, and returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_page(report), encoding="utf-8")
    return path


def _view(episode: Episode) -> EpisodeView:
    plan = episode.result.plan
    steps = plan.steps if plan is not None else ()
    chosen = [element for _, element in plan.binding] if plan is not None else []
    return EpisodeView(
        episode=episode,
        # Both are SVG that this package drew itself; everything else in the page is escaped.
        floor_plan=Markup(draw_floor_plan(episode.scene, steps, f"plan{episode.number}", chosen)),
        timeline=Markup(draw_timeline(plan, f"time{episode.number}") if plan is not None else ""),
        executed={str(outcome.index): outcome for outcome in episode.outcomes},
    )
