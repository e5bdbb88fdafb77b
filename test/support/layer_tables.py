# SPDX-License-Identifier: Apache-2.0
"""The layers of the package and the order of their folders, after docs/design.md.

test/test_structure.py holds the imports to them, and docs/architecture.md is drawn from them. A new
folder of a layer goes into `FOLDERS`.
"""

from __future__ import annotations

LAYERS = (
    "foundation",
    "fuzzy",
    "cset",
    "scene",
    "domain",
    "binding",
    "grounding",
    "planning",
    "language",
    "relaxation",
    "alignment",
    "abstraction",
    "recipes",
    "execution",
    "nodes",
)  # lowest first
# Neighbours that share what is below them and must not know one another, whatever their order.
STRANGERS = {
    ("domain", "scene"),
    ("alignment", "language"),
    ("alignment", "relaxation"),
    ("execution", "alignment"),
    ("abstraction", "language"),
    ("abstraction", "relaxation"),
    ("abstraction", "alignment"),
    ("execution", "abstraction"),
    ("recipes", "alignment"),
    ("recipes", "abstraction"),
    ("execution", "recipes"),
}
# The folders of the larger layers and the files below them, lowest first; other files use them all.
FOLDERS = {
    "scene": ("graph", "shapes", "relations", "formats", "live"),
    "grounding": (
        "judgement",
        "options",
        "membership_oracle",
        "judgement_set",
        "judged_pairs",
        "calibration",
        "models",
        "language_model",
        "heads",
        "tuning",
    ),
    "planning": (
        "model",
        "flat",
        "task",
        "goal",
        "relevance",
        "encoding",
        "heuristics",
        "search",
        "verification",
        "judging",
        "answer",
    ),
    "abstraction": (
        "states",
        "features",
        "qnp",
        "policy",
        "proposers",
        "debugging",
    ),
    "nodes": (
        "runtime",
        "conversions",
        "scene_access",
        "scene_graph",
        "grounder",
        "planner",
        "executive",
        "simulation",
        "executors",
        "simulated_executor",
    ),
}
# They stand beside the nodes: nothing below may import them. The client shares the nodes'
# conversions and action client; the command line and the demo use everything.
BESIDE = {
    "report": LAYERS[:-1],
    "client": LAYERS,
    "demo": (*LAYERS, "report", "client"),
    "cli": (*LAYERS, "report", "client", "demo"),
}
ROS_ALLOWED_IN = {"nodes", "client"}
