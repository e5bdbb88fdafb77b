# SPDX-License-Identifier: Apache-2.0
"""Plans, scenes and whole runs told: as text for a terminal, JSON, pictures and HTML pages.

Of a planning result: `console` (rich text), `plain_json` (JSON, and a plan read back from it),
`ipc_plan` (the format of the planning competitions), `degree_origin` (who judged a degree).
Of a run of the demonstration: `demo_report` (its values), `demo_page` (one HTML page).
Of a scene: `scene_page` (one HTML page), `names` (nodes by label, as people read them).
`drawing` holds the pictures; `templates` the pages.

Pictures and pages are imported from their own files: drawing takes a library that is slow to load,
and most commands draw nothing.
"""

from fcp_ros.report.plain_json import read_plan, to_plain, to_plain_result

__all__ = ["to_plain_result", "read_plan", "to_plain"]
