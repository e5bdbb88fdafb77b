# SPDX-License-Identifier: Apache-2.0
"""Plans, scenes and demonstrations as terminal text, JSON, pictures and HTML pages.

For a planning result: `console` (rich text, with the source of each degree), `plain_json` (JSON,
and a plan read back from it), `explored_goals` (the relaxed goals that were looked at, in levels),
`pddl_result` (in the notation of PDDL files and of the planning competitions), `behaviour_tree`
(as a tree of BehaviorTree.CPP), `plan_page` (one HTML page).
For a run of the demonstration: `demo_report` (its values, and one HTML page).
For a scene: `scene_page` (one HTML page), `node_names` (readable names, nodes by label).
The folder `templates` holds the pages, which `pages` writes.

Pictures, as inline SVG: `floor_plan` (the scene from above, with the route of a plan) with
`label_placement` (names that do not cover one another, and names inside rooms), `timeline` (steps
as bars, with the membership falling against alpha), `policy_graph` (what a policy on qstates may
lead to). `figure` has the size, style and colours of the first two.

Nothing is imported here: the drawing library is slow to load, and most commands draw nothing.
"""
