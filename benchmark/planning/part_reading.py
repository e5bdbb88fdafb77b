# SPDX-License-Identifier: Apache-2.0
"""Part of the planning benchmark: what comes before planning, from a scene file to a state."""

from __future__ import annotations

import time
from itertools import pairwise

from benchmark.planning.household import household
from benchmark.planning.household_scene import write_scene
from benchmark.planning.ours import HOUSEHOLD_DOMAIN
from benchmark.planning.part_household import SIZES
from benchmark.planning.settings import Settings
from benchmark.tables import Line, Part
from fcp_ros.binding import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.scene import complete_relations, read_scene


def reading_part(settings: Settings) -> Part:
    """Seconds to read a file, to complete its relations and to make a state of it."""
    lines = []
    for objects, receptacles in SIZES[:2] if settings.quick else SIZES:
        scene = settings.folder / "reading.json"
        write_scene(household(objects, receptacles, 3), scene)
        runs = []
        for _ in range(settings.repetitions + 1):
            started = time.perf_counter()
            domain = load_domain(HOUSEHOLD_DOMAIN)
            domain_read = time.perf_counter()
            graph = read_scene(scene)
            scene_read = time.perf_counter()
            completed = complete_relations(graph)
            complete = time.perf_counter()
            scene_to_instance(completed, domain.schema, domain.mapping)
            finished = time.perf_counter()
            stages = (started, domain_read, scene_read, complete, finished)
            runs.append([b - a for a, b in pairwise(stages)])
        best = [min(stage) * 1e3 for stage in zip(*runs, strict=True)]
        figures = dict(zip(("domain ms", "scene file", "relations", "c-set"), best, strict=True))
        figures["total"] = sum(best)
        figures["MB"] = scene.stat().st_size / 1e6
        lines.append(Line(f"{objects:,}/{receptacles:,}", "ours", figures))
    return Part("reading", lines)
