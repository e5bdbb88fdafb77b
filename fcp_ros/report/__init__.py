# SPDX-License-Identifier: Apache-2.0
"""Pictures, the self-contained HTML page and the JSON of what was planned and executed."""

from fcp_ros.report.floor_plan import draw_floor_plan
from fcp_ros.report.json_report import plain_result, read_plan, to_plain, write_json
from fcp_ros.report.model import CalibratedDegree, Episode, Report, StepOutcome
from fcp_ros.report.names import said
from fcp_ros.report.page import render_page, write_page
from fcp_ros.report.timeline import draw_timeline

__all__ = [
    "CalibratedDegree",
    "Episode",
    "Report",
    "StepOutcome",
    "draw_floor_plan",
    "draw_timeline",
    "plain_result",
    "read_plan",
    "render_page",
    "said",
    "to_plain",
    "write_json",
    "write_page",
]
