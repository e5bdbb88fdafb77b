# SPDX-License-Identifier: Apache-2.0
"""What was planned and executed, told: rich text, JSON, pictures and one HTML page.

Pictures (`floor_plan`, `timeline`, `page`) are imported from their own files: drawing takes a
library that is slow to load, and most commands draw nothing.
"""

from fcp_ros.report.json_report import plain_result, read_plan, to_plain, write_json
from fcp_ros.report.model import CalibratedDegree, Episode, Report, StepOutcome
from fcp_ros.report.names import said

__all__ = [
    "CalibratedDegree",
    "Episode",
    "Report",
    "StepOutcome",
    "plain_result",
    "read_plan",
    "said",
    "to_plain",
    "write_json",
]
