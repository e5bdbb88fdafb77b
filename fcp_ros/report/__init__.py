# SPDX-License-Identifier: Apache-2.0
"""Plans, scenes and demonstrations as terminal text, JSON, pictures and HTML pages.

For a planning result: `console` (rich text), `plain_json` (JSON, and a plan read back from it),
`relaxations` (what was changed, as rich text), `explored_goals` (the relaxed goals that were looked
at, in levels), `ipc_plan` (the format of the planning competitions), `pddl_result` (a result in the
notation of PDDL files), `degree_origin` (the source of a degree),
`policy_steps` (steps by the abstract actions of a policy), `plan_page` (one HTML page).
For a run of the demonstration: `demo_report` (its values), `demo_page` (one HTML page).
For a scene: `scene_page` (one HTML page), `names` (readable names, nodes by label).
`drawing` holds the pictures, `templates` the pages.

Import pictures and pages from their own files: the drawing library is slow to load, and most
commands draw nothing.
"""

from fcp_ros.report.plain_json import read_plan, to_plain, to_plain_result

__all__ = ["to_plain_result", "read_plan", "to_plain"]
