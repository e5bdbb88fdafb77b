# SPDX-License-Identifier: Apache-2.0
"""Plans, scenes and demonstrations as terminal text, JSON, pictures and HTML pages.

For a planning result: `console` (rich text, with the source of each degree), `plain_json` (JSON,
and a plan read back from it), `explored_goals` (the relaxed goals that were looked at, in levels),
`pddl_result` (in the notation of PDDL files and of the planning competitions), `plan_page` (one
HTML page).
For a run of the demonstration: `demo_report` (its values), `demo_page` (one HTML page).
For a scene: `scene_page` (one HTML page), `names` (readable names, nodes by label).
`drawing` holds the pictures, `templates` the pages, which `pages` writes.

Import pictures and pages from their own files: the drawing library is slow to load, and most
commands draw nothing.
"""

from fcp_ros.report.plain_json import read_plan, to_plain, to_plain_result

__all__ = ["to_plain_result", "read_plan", "to_plain"]
